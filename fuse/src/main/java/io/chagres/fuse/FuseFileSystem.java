package io.chagres.fuse;

import io.chagres.foreign.Errno;

/**
 * A file system by node numbers: one method for each request of the kernel, see linux/fuse.h. A method that is not
 * overridden answers ENOSYS, or what the kernel itself would assume.
 *
 * <p>Methods are called by all threads of the {@link FuseServer} at once, unless it has only one. Each answers through
 * its reply, usually before it returns, see {@link Reply}. An exception is answered with EIO, logged and counted.
 * Nothing here allocates. Everywhere {@code request} describes the caller and {@code reply} takes the one answer;
 * these, names and data are views that are valid until the answer.
 *
 * <p>Sizes and positions are bytes, all error numbers are positive and may be others than those listed.
 */
public interface FuseFileSystem {
    /** The node of the root directory. */
    long ROOT = 1;

    /** No open file. */
    long NO_HANDLE = -1;

    /** See {@link #release}. */
    int RELEASE_FLOCK_UNLOCK = 2;

    /**
     * Begins: kernel and server have agreed on their features. Called once, before any other method.
     *
     * @param connection the features agreed on
     * @param notifier tells the kernel what changes by itself; keep it if something does
     */
    default void init(FuseConnection connection, Notifier notifier) {}

    /** Ends: no more requests come. Called once, after all other methods returned. */
    default void destroy() {}

    /**
     * Finds a name in a directory, see path_resolution(7). The answer counts one lookup of the node.
     *
     * <p>Valid replies: {@link EntryReply#entry}, {@link EntryReply#missing}, ENOENT.
     *
     * @param parent the directory
     * @param name a view, valid until the answer
     */
    default void lookup(Request request, long parent, Name name, EntryReply reply) {
        reply.error(Errno.ENOENT);
    }

    /**
     * Forgets lookups of a node. When all are forgotten the kernel does not name the number again, and a node without
     * names can go. Has no answer; batches of the kernel come as single calls.
     *
     * @param node which, the number given at lookup
     * @param lookups how many, 1 or more
     */
    default void forget(long node, long lookups) {}

    /**
     * Answers the attributes of a node, see stat(2).
     *
     * <p>Valid replies: {@link AttributesReply#attributes(Attributes)}, an error.
     *
     * @param node which, the number given at lookup
     * @param handle the open file it is asked through, or {@link #NO_HANDLE}
     */
    default void getattr(Request request, long node, long handle, AttributesReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Answers the attributes of a node and its birth time, see statx(2). Since protocol 7.39.
     *
     * <p>Valid replies: {@link StatxReply#attributes(Attributes)}, ENOSYS: the kernel then asks getattr and never this
     * again.
     *
     * @param node which, the number given at lookup
     * @param handle the open file it is asked through, or {@link #NO_HANDLE}
     * @param mask {@code STATX_} bits of the wanted fields
     */
    default void statx(Request request, long node, long handle, int mask, StatxReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Changes attributes: chmod(2), chown(2), truncate(2), utimensat(2).
     *
     * <p>Valid replies: {@link AttributesReply#attributes(Attributes)} after the change, EPERM, EROFS, EINVAL, EFBIG,
     * ENOSPC.
     *
     * @param node which, the number given at lookup
     * @param change what changes; a view, valid until the answer
     */
    default void setattr(Request request, long node, AttributeChange change, AttributesReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Reads a symbolic link, see readlink(2).
     *
     * <p>Valid replies: {@link LinkTargetReply#target}, EINVAL if it is none.
     *
     * @param node which, the number given at lookup
     */
    default void readlink(Request request, long node, LinkTargetReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Makes a symbolic link, see symlink(2).
     *
     * <p>Valid replies: {@link EntryReply#entry}, EEXIST, EROFS, ENOSPC.
     *
     * @param parent the directory
     * @param name a view, valid until the answer
     * @param target the path that it holds; a view, valid until the answer
     */
    default void symlink(Request request, long parent, Name name, Name target, EntryReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Makes a file, FIFO, socket or device file, see mknod(2).
     *
     * <p>Valid replies: {@link EntryReply#entry}, EEXIST, EROFS, ENOSPC.
     *
     * @param parent the directory
     * @param name a view, valid until the answer
     * @param mode type and permissions
     * @param device the device of a device file, encoded as by the kernel
     */
    default void mknod(Request request, long parent, Name name, int mode, int device, EntryReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Makes a directory, see mkdir(2).
     *
     * <p>Valid replies: {@link EntryReply#entry}, EEXIST, EROFS, ENOSPC.
     *
     * @param parent the directory
     * @param name a view, valid until the answer
     * @param mode permissions
     */
    default void mkdir(Request request, long parent, Name name, int mode, EntryReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Removes a name that is no directory, see unlink(2). The node stays while it is known or open.
     *
     * <p>Valid replies: {@link EmptyReply#done}, ENOENT, EISDIR, EROFS.
     *
     * @param parent the directory
     * @param name a view, valid until the answer
     */
    default void unlink(Request request, long parent, Name name, EmptyReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Removes an empty directory, see rmdir(2).
     *
     * <p>Valid replies: {@link EmptyReply#done}, ENOENT, ENOTDIR, ENOTEMPTY, EROFS.
     *
     * @param parent the directory
     * @param name a view, valid until the answer
     */
    default void rmdir(Request request, long parent, Name name, EmptyReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Moves a name, replacing the name that is there unless a flag says otherwise, see renameat2(2).
     *
     * <p>Valid replies: {@link EmptyReply#done}, ENOENT, EEXIST, ENOTEMPTY, EISDIR, ENOTDIR, EINVAL for flags not
     * known.
     *
     * @param parent the directory
     * @param name a view, valid until the answer
     * @param newParent the directory it moves to
     * @param newName a view, valid until the answer
     * @param flags 0, or RENAME_NOREPLACE 1, RENAME_EXCHANGE 2, RENAME_WHITEOUT 4
     */
    default void rename(
            Request request, long parent, Name name, long newParent, Name newName, int flags, EmptyReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Gives a file another name, see link(2).
     *
     * <p>Valid replies: {@link EntryReply#entry} with the node itself, EEXIST, EPERM, EMLINK, EROFS.
     *
     * @param node which, the number given at lookup
     * @param newParent the directory of the new name
     * @param newName a view, valid until the answer
     */
    default void link(Request request, long node, long newParent, Name newName, EntryReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Opens a file, see open(2). The kernel has checked the type; O_CREAT, O_EXCL and O_NOCTTY are taken away, and
     * O_TRUNC comes as a setattr after it unless {@link FuseFeature#ATOMIC_TRUNCATE} was agreed on.
     *
     * <p>Valid replies: {@link OpenReply#opened}, EACCES, EROFS; ENOSYS with {@link FuseFeature#NO_OPEN}: the kernel
     * then never asks again and uses handle 0.
     *
     * @param node which, the number given at lookup
     * @param flags {@code O_} bits of open(2)
     */
    default void open(Request request, long node, int flags, OpenReply reply) {
        reply.opened(0, 0);
    }

    /**
     * Reads, see pread(2).
     *
     * <p>Valid replies: {@link ReadReply#filled}, {@link ReadReply#data}, EIO.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param position bytes from the start of the file
     * @param size how much, bytes
     * @param flags {@code O_} bits of the open file
     */
    default void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Writes, see pwrite(2). With {@link FuseFeature#WRITEBACK_CACHE} the handle may be that of any open file that can
     * write.
     *
     * <p>Valid replies: {@link WriteReply#written}, ENOSPC, EFBIG, EIO.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param position bytes from the start of the file
     * @param data what to write; a view, valid until the answer
     */
    default void write(Request request, long node, long handle, long position, Payload data, WriteReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Ends one use of an open file, at each close(2) of one of its descriptors: the last chance to report that writing
     * failed. Locks of the owner are to be given back.
     *
     * <p>Valid replies: {@link EmptyReply#done}, EIO, ENOSPC; ENOSYS: never asked again.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param lockOwner whose descriptor is closed: opaque
     */
    default void flush(Request request, long node, long handle, long lockOwner, EmptyReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Ends an open file: nobody uses it now. Nobody waits for the answer.
     *
     * <p>Valid replies: {@link EmptyReply#done}.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param flags {@code O_} bits of the open file
     * @param releaseFlags {@link #RELEASE_FLOCK_UNLOCK} to give its flock(2) back, of {@link Request#lockOwner()}
     */
    default void release(Request request, long node, long handle, int flags, int releaseFlags, EmptyReply reply) {
        reply.done();
    }

    /**
     * Waits until written bytes are safe, see fsync(2).
     *
     * <p>Valid replies: {@link EmptyReply#done}, EIO; ENOSYS: never asked again, and taken for done.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param dataOnly true for fdatasync(2)
     */
    default void fsync(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Answers how full the file system is, see statfs(2).
     *
     * <p>Valid replies: {@link StatfsReply#statfs}.
     *
     * @param node which, the number given at lookup
     */
    default void statfs(Request request, long node, StatfsReply reply) {
        reply.statfs(4096, 0, 0, 0, 0, 255);
    }

    /**
     * Sets an extended attribute, see setxattr(2).
     *
     * <p>Valid replies: {@link EmptyReply#done}, EEXIST, ENODATA, EOPNOTSUPP, ENOSPC; ENOSYS: never asked again,
     * EOPNOTSUPP for callers.
     *
     * @param node which, the number given at lookup
     * @param name a view
     * @param value a view, valid until the answer
     * @param flags XATTR_CREATE 1 or XATTR_REPLACE 2
     */
    default void setxattr(Request request, long node, Name name, Payload value, int flags, EmptyReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Reads an extended attribute, see getxattr(2).
     *
     * <p>Valid replies: {@link XattrReply#value}, ENODATA; ENOSYS: never asked again, EOPNOTSUPP for callers.
     *
     * @param node which, the number given at lookup
     * @param name a view
     * @param size how long the value may be, bytes; 0 to ask only how long it is
     */
    default void getxattr(Request request, long node, Name name, int size, XattrReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Lists extended attributes, see listxattr(2).
     *
     * <p>Valid replies: {@link XattrNamesReply#done}; ENOSYS: never asked again, EOPNOTSUPP for callers.
     *
     * @param node which, the number given at lookup
     * @param size how long the list may be, bytes; 0 to ask only how long it is
     */
    default void listxattr(Request request, long node, int size, XattrNamesReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Removes an extended attribute, see removexattr(2).
     *
     * <p>Valid replies: {@link EmptyReply#done}, ENODATA; ENOSYS: never asked again, EOPNOTSUPP for callers.
     *
     * @param node which, the number given at lookup
     * @param name a view
     */
    default void removexattr(Request request, long node, Name name, EmptyReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Opens a directory, see opendir(3).
     *
     * <p>Valid replies: {@link OpenReply#opened}, EACCES; ENOSYS with {@link FuseFeature#NO_OPENDIR}: the kernel then
     * never asks again, uses handle 0 and keeps the list of names.
     *
     * @param node which, the number given at lookup
     * @param flags {@code O_} bits of open(2)
     */
    default void opendir(Request request, long node, int flags, OpenReply reply) {
        reply.opened(0, 0);
    }

    /**
     * Lists a directory, see readdir(3).
     *
     * <p>Valid replies: {@link DirectoryReply#done}, ENOTDIR.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param position 0 to begin with the entries of now, also again; or the position of the last entry the kernel took
     */
    default void readdir(Request request, long node, long handle, long position, DirectoryReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Lists a directory with attributes, if {@link FuseFeature#READDIRPLUS} was agreed on: it saves a lookup per name.
     *
     * <p>Valid replies: {@link DirectoryPlusReply#done}, ENOTDIR.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param position 0 to begin with the entries of now, also again; or the position of the last entry the kernel took
     */
    default void readdirplus(Request request, long node, long handle, long position, DirectoryPlusReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Ends an open directory. Nobody waits for the answer.
     *
     * <p>Valid replies: {@link EmptyReply#done}.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param flags {@code O_} bits of the open directory
     */
    default void releasedir(Request request, long node, long handle, int flags, EmptyReply reply) {
        reply.done();
    }

    /**
     * Waits until the names in a directory are safe, see fsync(2).
     *
     * <p>Valid replies: {@link EmptyReply#done}, EIO; ENOSYS: never asked again, and taken for done.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param dataOnly true for fdatasync(2)
     */
    default void fsyncdir(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Checks permissions, see access(2); not asked with {@link FuseOptions#defaultPermissions()}.
     *
     * <p>Valid replies: {@link EmptyReply#done}, EACCES; ENOSYS: never asked again, and all is allowed.
     *
     * @param node which, the number given at lookup
     * @param mask R_OK 4, W_OK 2, X_OK 1
     */
    default void access(Request request, long node, int mask, EmptyReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Makes a regular file and opens it, see open(2) with O_CREAT.
     *
     * <p>Valid replies: {@link CreateReply#created}, EEXIST, EROFS, ENOSPC; ENOSYS: never asked again, mknod and open
     * instead.
     *
     * @param parent the directory
     * @param name a view, valid until the answer
     * @param mode type and permissions
     * @param flags {@code O_} bits of open(2)
     */
    default void create(Request request, long parent, Name name, int mode, int flags, CreateReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Makes a file without a name and opens it, see O_TMPFILE in open(2). Since protocol 7.37.
     *
     * <p>Valid replies: {@link CreateReply#created}; ENOSYS: never asked again, EOPNOTSUPP for callers.
     *
     * @param parent the directory
     * @param mode type and permissions
     * @param flags {@code O_} bits of open(2)
     */
    default void tmpfile(Request request, long parent, int mode, int flags, CreateReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Asks for a lock in the way of another, see F_GETLK in fcntl(2); with {@link FuseFeature#POSIX_LOCKS}.
     *
     * <p>Valid replies: {@link LockReply#free}, {@link LockReply#held}.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param lock the wanted lock; a view, valid until the answer
     */
    default void getlk(Request request, long node, long handle, FileLock lock, LockReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Takes or gives back a lock on a range, see F_SETLK and F_SETLKW in fcntl(2); with
     * {@link FuseFeature#POSIX_LOCKS}.
     *
     * <p>Valid replies: {@link EmptyReply#done}, EAGAIN if it is held and the caller does not wait, EINTR if he got a
     * signal, EDEADLK.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param lock a view, valid until the answer
     * @param waits whether to wait for the lock; the reply is then best deferred
     */
    default void setlk(Request request, long node, long handle, FileLock lock, boolean waits, EmptyReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Takes or gives back a lock on a whole file, see flock(2); with {@link FuseFeature#FLOCK_LOCKS}.
     *
     * <p>Valid replies: {@link EmptyReply#done}, EAGAIN if it is held and the caller does not wait, EINTR if he got a
     * signal.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param lock a view, valid until the answer
     * @param waits whether to wait for the lock; the reply is then best deferred
     */
    default void flock(Request request, long node, long handle, FileLock lock, boolean waits, EmptyReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Finds a block of a file on the device below, see FIBMAP. Valid replies: {@link BmapReply#block}, ENOSYS.
     *
     * @param node which, the number given at lookup
     * @param blockSize the size of a block, bytes
     * @param block its index in the file
     */
    default void bmap(Request request, long node, int blockSize, long block, BmapReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Does something of the file system's own, see ioctl(2).
     *
     * <p>Valid replies: {@link IoctlReply#result}, ENOTTY; ENOSYS is ENOTTY.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param call a view, valid until the answer
     */
    default void ioctl(Request request, long node, long handle, IoctlCall call, IoctlReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Answers what an open file is ready for, see poll(2).
     *
     * <p>Valid replies: {@link PollReply#ready}; ENOSYS: never asked again, always ready.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param events {@code POLL} bits that are waited for
     * @param wakeUp what to give {@link Notifier#pollWakeUp} once that changes, or 0 if nobody waits
     */
    default void poll(Request request, long node, long handle, int events, long wakeUp, PollReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Takes or gives back space, see fallocate(2).
     *
     * <p>Valid replies: {@link EmptyReply#done}, ENOSPC, EOPNOTSUPP for modes not known; ENOSYS: never asked again,
     * EOPNOTSUPP.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param position bytes from the start of the file
     * @param length bytes
     * @param mode 0, or {@code FALLOC_FL_} bits
     */
    default void fallocate(
            Request request, long node, long handle, long position, long length, int mode, EmptyReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Finds data or holes, see lseek(2).
     *
     * <p>Valid replies: {@link LseekReply#position}, ENXIO; ENOSYS: never asked again, the file is one piece of data.
     *
     * @param node which, the number given at lookup
     * @param handle the open file, as answered at open
     * @param position bytes from the start of the file
     * @param whence SEEK_DATA 3 or SEEK_HOLE 4
     */
    default void lseek(Request request, long node, long handle, long position, int whence, LseekReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Copies between two files of this file system, see copy_file_range(2).
     *
     * <p>Valid replies: {@link WriteReply#written}, EXDEV, EOPNOTSUPP; ENOSYS: never asked again, the kernel reads and
     * writes.
     *
     * @param node which, the number given at lookup
     * @param copy from where to where; a view, valid until the answer
     */
    default void copyFileRange(Request request, long node, CopyRange copy, WriteReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Waits until everything is safe, see syncfs(2); only for mounts that the kernel trusts.
     *
     * <p>Valid replies: {@link EmptyReply#done}; ENOSYS: never asked again, and taken for done.
     *
     * @param node which, the number given at lookup
     */
    default void syncfs(Request request, long node, EmptyReply reply) {
        reply.error(Errno.ENOSYS);
    }

    /**
     * Says that a caller got a signal and only waits for the answer; {@link Request#interrupted()} says the same. Comes
     * on another thread than the request. Has no answer.
     *
     * @param unique the request, see {@link Request#unique()}
     */
    default void interrupt(long unique) {}
}
