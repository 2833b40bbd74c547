package io.chagres.fuse;

import io.chagres.fuse.wire.InitFlags;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * A feature that a file system requests from the kernel, and the promise it makes for it. Features that the kernel does
 * not know are left out: {@link FuseConnection#features()} shows what both agreed on. Source: the flags of {@code
 * fuse_init_in} and {@code fuse_open_out} in linux/fuse.h.
 */
public enum FuseFeature {
    /** Several reads of one open file may be in progress at once. */
    ASYNC_READ(InitFlags.ASYNC_READ, 0, 0),

    /** Several reads and writes past the page cache, of one call, may be in progress at once. */
    ASYNC_DIRECT_IO(InitFlags.ASYNC_DIO, 0, 0),

    /**
     * Open gets O_TRUNC and truncates; without this a setattr comes after it. Only for files that nobody executes: of a
     * running program the kernel refuses to truncate the file, but where it is opened for reading, with O_TRUNC, only
     * after open has done it.
     */
    ATOMIC_TRUNCATE(InitFlags.ATOMIC_O_TRUNC, 0, 0),

    /** The file system applies the umask itself, see {@link Request#umask()}. */
    OWN_UMASK(InitFlags.DONT_MASK, 0, 0),

    /** Requests that make a name say whether the caller is in the group of its directory. Since protocol 7.38. */
    CREATE_GROUP(InitFlags.CREATE_SUPP_GROUP, 0, 0),

    /**
     * The kernel reads, writes and maps files itself that were opened with a backing file, see
     * {@link Notifier#openBackingFile}: nobody is asked, and the pages are those of the backing file. Since protocol
     * 7.40, for the superuser, on file systems that are not stacked themselves; excludes {@link #WRITEBACK_CACHE}.
     */
    PASSTHROUGH(InitFlags.PASSTHROUGH, 0, 0),

    /** Lookups of {@code .} and {@code ..} work for every node, so that NFS can export the mount. */
    EXPORT(InitFlags.EXPORT_SUPPORT, 0, 0),

    /** Locks of fcntl(2) are asked from the file system; without this the kernel keeps them for this machine. */
    POSIX_LOCKS(InitFlags.POSIX_LOCKS, 0, 0),

    /** Locks of flock(2) are asked from the file system; without this the kernel keeps them for this machine. */
    FLOCK_LOCKS(InitFlags.FLOCK_LOCKS, 0, 0),

    /** ioctl works on directories too. */
    IOCTL_DIRECTORY(InitFlags.HAS_IOCTL_DIR, 0, 0),

    /**
     * The kernel drops cached pages of a file whose size or time of modification changed. It asks getattr before each
     * read whose attributes are too old, at a timeout of 0 before every read.
     */
    AUTO_INVALIDATE(InitFlags.AUTO_INVAL_DATA, 0, 0),

    /**
     * Cached pages go only when the file system says so by {@link Notifier#invalidateNode}, which it promises to do for
     * every change that was not made through this mount.
     */
    EXPLICIT_INVALIDATE(InitFlags.EXPLICIT_INVAL_DATA, 0, 0),

    /** {@link FuseFileSystem#readdirplus} works: lists of names bring attributes along. */
    READDIRPLUS(InitFlags.DO_READDIRPLUS, 0, 0),

    /** The kernel asks for attributes in lists only where somebody used them before. */
    READDIRPLUS_AUTO(InitFlags.READDIRPLUS_AUTO, 0, 0),

    /** Several lookups and lists of one directory may be in progress at once. */
    PARALLEL_DIRECTORY(InitFlags.PARALLEL_DIROPS, 0, 0),

    /**
     * Cached pages stay when a file is opened again. The file system promises that content changes only through this
     * mount, or that it calls {@link Notifier#invalidateNode}.
     */
    KEEP_CACHE(0, OpenReply.KEEP_CACHE, 0),

    /**
     * The kernel keeps lists of names and answers readdir itself. The file system promises that names change only
     * through this mount, or that it calls {@link Notifier#invalidateNode} for the directory.
     */
    DIRECTORY_CACHE(0, 0, OpenReply.CACHE_DIR | OpenReply.KEEP_CACHE),

    /**
     * Files are not opened: no open, release or flush is asked, the handle is always 0, pages stay cached. The file
     * system promises to need no state per open file. Excludes passthrough.
     */
    NO_OPEN(InitFlags.NO_OPEN_SUPPORT, 0, 0),

    /**
     * Directories are not opened: no opendir or releasedir is asked, the handle is always 0, and lists of names are
     * kept as with {@link #DIRECTORY_CACHE}, with the same promise.
     */
    NO_OPENDIR(InitFlags.NO_OPENDIR_SUPPORT, 0, 0),

    /**
     * Writes are collected in the page cache and come later, larger, and by no process. The file system promises that
     * size and content change only through this mount: the kernel knows sizes and times better.
     */
    WRITEBACK_CACHE(InitFlags.WRITEBACK_CACHE, 0, 0),

    /** Targets of symbolic links are kept like pages. The file system promises that they do not change. */
    CACHE_SYMLINKS(InitFlags.CACHE_SYMLINKS, 0, 0),

    /**
     * The file system clears set-user-id and set-group-id bits and capabilities when a file is written, truncated or
     * given away; without this the kernel asks for that.
     */
    HANDLE_KILLPRIV(InitFlags.HANDLE_KILLPRIV_V2, 0, 0),

    /** The attributes {@code system.posix_acl_*} work and the kernel checks permissions by them. */
    POSIX_ACL(InitFlags.POSIX_ACL, 0, 0),

    /**
     * The mount can be shown once more with other user and group ids, see mount_setattr(2) and MOUNT_ATTR_IDMAP. The
     * kernel maps the ids of files, and checks permissions ({@link FuseOptions#defaultPermissions}). The file system
     * promises to ask for nobody's rights: {@link Request#uid()} and {@link Request#gid()} are -1, also through the
     * mount itself, but where a file is made, which is to belong to them. Since protocol 7.41.
     */
    IDMAPPED_MOUNTS(InitFlags.ALLOW_IDMAP, 0, 0),

    /**
     * A server that takes the mount over from one that died gets the requests that the dead one had read and not
     * answered, see {@link FuseServer#takeOver} and {@link Request#isResent}. The file system promises that handling
     * one twice does no harm. All threads then read from one descriptor, not from one each. Since protocol 7.40.
     */
    RESEND(InitFlags.HAS_RESEND, 0, 0),

    /** The kernel ends the mount if a request is not answered in time, see {@link FuseOptions#withRequestTimeout}. */
    REQUEST_TIMEOUT(InitFlags.REQUEST_TIMEOUT, 0, 0),

    /** Reads and writes of every file go past the page cache: each of a program is a request, of the size it asked. */
    DIRECT_IO(0, OpenReply.DIRECT_IO, 0),

    /** Files opened with {@link OpenReply#DIRECT_IO} can be mapped shared. */
    DIRECT_IO_MMAP(InitFlags.DIRECT_IO_ALLOW_MMAP, 0, 0);

    /** The features of a file system that requests none: all that ask nothing of it either. */
    public static final Set<FuseFeature> DEFAULTS =
            Collections.unmodifiableSet(EnumSet.of(ASYNC_READ, ASYNC_DIRECT_IO, AUTO_INVALIDATE, PARALLEL_DIRECTORY));

    final long initFlag;
    final int openFlags;
    final int opendirFlags;

    FuseFeature(long initFlag, int openFlags, int opendirFlags) {
        this.initFlag = initFlag;
        this.openFlags = openFlags;
        this.opendirFlags = opendirFlags;
    }
}
