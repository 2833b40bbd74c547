package io.chagres.fuse.loopback;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.fuse.AttributeChange;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.AttributesReply;
import io.chagres.fuse.CopyRange;
import io.chagres.fuse.CreateReply;
import io.chagres.fuse.DirectoryPlusReply;
import io.chagres.fuse.DirectoryReply;
import io.chagres.fuse.EmptyReply;
import io.chagres.fuse.EntryReply;
import io.chagres.fuse.FileLock;
import io.chagres.fuse.FuseConnection;
import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.IoctlCall;
import io.chagres.fuse.IoctlReply;
import io.chagres.fuse.LinkTargetReply;
import io.chagres.fuse.LockReply;
import io.chagres.fuse.LseekReply;
import io.chagres.fuse.Name;
import io.chagres.fuse.Notifier;
import io.chagres.fuse.OpenReply;
import io.chagres.fuse.Payload;
import io.chagres.fuse.ReadReply;
import io.chagres.fuse.Request;
import io.chagres.fuse.StatfsReply;
import io.chagres.fuse.StatxReply;
import io.chagres.fuse.WriteReply;
import io.chagres.fuse.XattrNamesReply;
import io.chagres.fuse.XattrReply;
import io.chagres.linux.DirectoryEntries;
import io.chagres.linux.Fd;
import io.chagres.linux.FileControl;
import io.chagres.linux.FsCredentials;
import io.chagres.linux.PathFd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statfs;
import java.lang.foreign.MemorySegment;
import java.util.function.IntSupplier;

/**
 * A directory shown once more, read and written: every operation is done to the file below, on descriptors and bytes,
 * so that any name can be had in any locale, and every kind of file.
 *
 * <p>A node is a descriptor of open(2) with O_PATH, one for each file that the kernel knows ({@code ulimit -n} bounds
 * them; the JVM raises it to the hard limit by itself). Operations on a file use its descriptor, and operations on a
 * name the descriptor of its directory. They never use a path and never follow a link: whatever others rename or
 * replace below meanwhile, no name in the directory leads outside it. A directory that others move out of it is shown
 * as long as the kernel knows it.
 *
 * <p>The kernel checks permissions by the owners and modes that it is shown, so it must be mounted with
 * {@link FuseOptions#defaultPermissions()}. Files are made in the name of the caller: by his user and group, with the
 * group of the directory if he belongs to it, and with his umask. That takes the superuser; for other users all files
 * are theirs. Everything else is done by the server's own right.
 *
 * <p>It has all operations of {@link FuseFileSystem} but bmap, poll and most of ioctl(2): it knows only the requests of
 * lsattr(1) and chattr(1) (FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FS_IOC_FSGETXATTR, FS_IOC_FSSETXATTR); others get ENOTTY.
 * Modes of fallocate(2) are passed on as they come: the kernel carries FALLOC_FL_KEEP_SIZE, PUNCH_HOLE and ZERO_RANGE
 * over FUSE, and refuses the rest itself, as it does FICLONE. Locks are taken on the files below, where those who use
 * these directly meet them; deadlocks among those who wait are not found.
 *
 * <p>{@code O_DIRECT} goes past the cache of this mount, and where the kernel reads and writes by itself also past that
 * of the file system below. Excludes {@link FuseFeature#WRITEBACK_CACHE}: others may write below. Not to be mounted
 * over its own directory.
 *
 * <p>Safe for any thread. Lookups of what the kernel knows already, getattr, open, read, write, lists and release
 * allocate nothing.
 */
public final class LoopbackFileSystem implements FuseFileSystem {
    /** All of it, with reads and writes by the kernel itself where it can. */
    public static final FuseOptions OPTIONS = FuseOptions.DEFAULTS
            .withName("loopback")
            .with(FuseFeature.READDIRPLUS, FuseFeature.READDIRPLUS_AUTO)
            .with(FuseFeature.OWN_UMASK, FuseFeature.CREATE_GROUP, FuseFeature.POSIX_ACL)
            .with(FuseFeature.POSIX_LOCKS, FuseFeature.FLOCK_LOCKS, FuseFeature.PASSTHROUGH)
            .with(FuseFeature.IOCTL_DIRECTORY);

    private static final int O_APPEND = Fd.O_APPEND;

    /** Flags that the kernel has acted on already, that would need aligned memory, or that would fix where to write. */
    private static final int NOT_BELOW = Fd.O_CREAT | Fd.O_EXCL | Fd.O_NOFOLLOW | Fd.O_DIRECT | O_APPEND;

    private static final int PERMISSIONS = 07777;
    private static final int SEEK_DATA = 3;

    private final LoopbackNodes nodes;
    private final LoopbackLocks locks = new LoopbackLocks();
    private final long timeoutNs;

    private final LoopbackFiles files = new LoopbackFiles();

    /**
     * Takes a directory.
     *
     * @param directory which; symbolic links that lead to it are followed now and not again
     * @param timeoutNs how long the kernel may believe answers, nanoseconds: changes that others make below show later
     * @throws ErrnoException whatever open(2) says
     */
    public LoopbackFileSystem(Pathname directory, long timeoutNs) throws ErrnoException {
        this.timeoutNs = timeoutNs;
        nodes = new LoopbackNodes(timeoutNs);
        nodes.addRoot(PathFd.open(directory));
    }

    @Override
    public void init(FuseConnection connection, Notifier notifier) {
        if (connection.features().contains(FuseFeature.PASSTHROUGH)) {
            nodes.lendTo(notifier);
        }
    }

    @Override
    public void destroy() {
        files.close();
        locks.close();
        nodes.close();
    }

    @Override
    public void lookup(Request request, long parent, Name name, EntryReply reply) {
        Attributes attributes = reply.attributes();
        long found = nodes.find(path(parent), name.segment(), name.offset(), attributes);
        if (found == -Errno.ENOENT) {
            reply.missing(timeoutNs);
        } else {
            entry(found, attributes, reply);
        }
    }

    @Override
    public void forget(long node, long lookups) {
        nodes.forget(node, lookups);
    }

    @Override
    public void getattr(Request request, long node, long handle, AttributesReply reply) {
        Attributes attributes = reply.attributes();
        int result = nodes.describe(path(node), attributes);
        if (result < 0) {
            reply.error(-result);
        } else {
            reply.attributes(attributes);
        }
    }

    @Override
    public void statx(Request request, long node, long handle, int mask, StatxReply reply) {
        Attributes attributes = reply.attributes();
        int result = nodes.describe(path(node), attributes);
        if (result < 0) {
            reply.error(-result);
        } else {
            reply.attributes(attributes);
        }
    }

    @Override
    public void setattr(Request request, long node, AttributeChange change, AttributesReply reply) {
        PathFd path = path(node);
        int result = change(path, change);
        if (result < 0) {
            reply.error(-result);
        } else {
            getattr(request, node, NO_HANDLE, reply);
        }
    }

    /** The owner first: the kernel below takes set-id bits away for it, which the new mode may have. */
    private int change(PathFd path, AttributeChange change) {
        int result = 0;
        if (change.hasUid() || change.hasGid()) {
            result = path.chown(change.hasUid() ? change.uid() : -1, change.hasGid() ? change.gid() : -1);
        }
        if (result >= 0 && change.hasMode()) {
            result = path.chmod(change.mode() & PERMISSIONS);
        }
        if (result >= 0 && change.hasSize()) {
            result = truncate(path, change);
        }
        if (result >= 0 && (change.hasAtime() || change.hasMtime())) {
            result = path.setTimes(
                    change.hasAtime() ? change.atimeNs(PathFd.NOW) : PathFd.OMIT,
                    change.hasMtime() ? change.mtimeNs(PathFd.NOW) : PathFd.OMIT);
        }
        return result;
    }

    private int truncate(PathFd path, AttributeChange change) {
        int result =
                change.hasHandle() ? FileControl.truncate(files.get(change.handle()), change.size()) : -Errno.EINVAL;
        // A file that was opened for reading, with O_TRUNC, is cut by its path.
        return result == -Errno.EINVAL ? path.truncate(change.size()) : result;
    }

    @Override
    public void readlink(Request request, long node, LinkTargetReply reply) {
        try {
            reply.target(path(node).readlink());
        } catch (ErrnoException e) {
            reply.error(e.errno());
        }
    }

    @Override
    public void symlink(Request request, long parent, Name name, Name target, EntryReply reply) {
        PathFd path = path(parent);
        MemorySegment memory = name.segment();
        made(path, name, as(request, () -> path.symlink(memory, name.offset(), target.offset())), reply);
    }

    @Override
    public void mknod(Request request, long parent, Name name, int mode, int device, EntryReply reply) {
        PathFd path = path(parent);
        made(path, name, as(request, () -> path.mknod(name.segment(), name.offset(), mode, device)), reply);
    }

    @Override
    public void mkdir(Request request, long parent, Name name, int mode, EntryReply reply) {
        PathFd path = path(parent);
        made(path, name, as(request, () -> path.mkdir(name.segment(), name.offset(), mode & PERMISSIONS)), reply);
    }

    @Override
    public void unlink(Request request, long parent, Name name, EmptyReply reply) {
        answer(reply, path(parent).unlink(name.segment(), name.offset()));
    }

    @Override
    public void rmdir(Request request, long parent, Name name, EmptyReply reply) {
        answer(reply, path(parent).rmdir(name.segment(), name.offset()));
    }

    @Override
    public void rename(
            Request request, long parent, Name name, long newParent, Name newName, int flags, EmptyReply reply) {
        PathFd target = path(newParent);
        answer(reply, path(parent).rename(name.segment(), name.offset(), target, newName.offset(), flags));
    }

    @Override
    public void link(Request request, long node, long newParent, Name newName, EntryReply reply) {
        PathFd path = path(newParent);
        made(path, newName, path.link(path(node), newName.segment(), newName.offset()), reply);
    }

    /**
     * Only makes a file: others may have put a FIFO there meanwhile, whose opening would wait. The caller of the kernel
     * then looks again, as for any answer of ESTALE, and opens that.
     */
    @Override
    public void create(Request request, long parent, Name name, int mode, int flags, CreateReply reply) {
        PathFd path = path(parent);
        int how = (flags & ~NOT_BELOW) | Fd.O_EXCL;
        int permissions = mode & PERMISSIONS;
        int fd = as(request, () -> path.create(name.segment(), name.offset(), how, permissions));
        opened(fd == -Errno.EEXIST && (flags & Fd.O_EXCL) == 0 ? -Errno.ESTALE : fd, reply);
    }

    @Override
    public void tmpfile(Request request, long parent, int mode, int flags, CreateReply reply) {
        PathFd path = path(parent);
        int how = (flags & ~NOT_BELOW) | (flags & Fd.O_EXCL);
        opened(as(request, () -> path.createUnnamed(how, mode & PERMISSIONS)), reply);
    }

    @Override
    public void open(Request request, long node, int flags, OpenReply reply) {
        LoopbackNode opened = nodes.get(node);
        int fd = opened.path.reopen(flags & ~NOT_BELOW);
        if (fd < 0) {
            reply.error(-fd);
            return;
        }
        files.add(fd);
        int backing = nodes.opened(opened);
        if (backing == LoopbackNode.SERVED) {
            reply.opened(fd, 0);
        } else {
            reply.opened(fd, 0, backing);
        }
    }

    @Override
    public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
        long n = files.get(handle).preadAll(reply.buffer(), reply.offset(), reply.capacity(), position);
        if (n < 0) {
            reply.error((int) -n);
        } else {
            reply.filled(n);
        }
    }

    @Override
    public void write(Request request, long node, long handle, long position, Payload data, WriteReply reply) {
        Fd file = files.get(handle);
        long n = (data.flags() & O_APPEND) != 0
                ? FileControl.append(file, data.segment(), data.offset(), data.length())
                : file.pwrite(data.segment(), data.offset(), data.length(), position);
        answer(reply, n);
    }

    @Override
    public void flush(Request request, long node, long handle, long lockOwner, EmptyReply reply) {
        locks.closed(node, lockOwner);
        reply.done();
    }

    @Override
    public void release(Request request, long node, long handle, int flags, int releaseFlags, EmptyReply reply) {
        locks.close(files.remove(handle));
        nodes.released(nodes.get(node));
        reply.done();
    }

    @Override
    public void fsync(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        answer(reply, FileControl.sync(files.get(handle), dataOnly));
    }

    @Override
    public void statfs(Request request, long node, StatfsReply reply) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            Statfs statfs = new Statfs(frame.allocate(Statfs.BYTES, Long.BYTES));
            int result = statfs.of(path(node).value());
            if (result < 0) {
                reply.error(-result);
            } else {
                reply.statfs(statfs);
            }
        }
    }

    @Override
    public void setxattr(Request request, long node, Name name, Payload value, int flags, EmptyReply reply) {
        answer(reply, path(node).setXattr(name.segment(), name.offset(), value.offset(), value.length(), flags));
    }

    @Override
    public void getxattr(Request request, long node, Name name, int size, XattrReply reply) {
        long n = path(node).getXattr(name.segment(), name.offset(), reply.buffer(), reply.offset(), reply.capacity());
        if (n < 0) {
            reply.error((int) -n);
        } else {
            reply.filled(n);
        }
    }

    @Override
    public void listxattr(Request request, long node, int size, XattrNamesReply reply) {
        long n = path(node).listXattr(reply.buffer(), reply.offset(), reply.capacity());
        if (n < 0) {
            reply.error((int) -n);
        } else {
            reply.filled(n);
        }
    }

    @Override
    public void removexattr(Request request, long node, Name name, EmptyReply reply) {
        answer(reply, path(node).removeXattr(name.segment(), name.offset()));
    }

    @Override
    public void opendir(Request request, long node, int flags, OpenReply reply) {
        int fd = path(node).reopen(Fd.O_RDONLY | Fd.O_DIRECTORY);
        if (fd < 0) {
            reply.error(-fd);
        } else {
            files.add(fd);
            reply.opened(fd, 0);
        }
    }

    @Override
    public void readdir(Request request, long node, long handle, long position, DirectoryReply reply) {
        try (Scratch scratch = nodes.scratches.take()) {
            DirectoryEntries entries = scratch.entries;
            Fd directory = files.get(handle);
            long n = entries.seek(directory, position);
            boolean fits = true;
            boolean any = false;
            while (n >= 0 && fits && (n = entries.fill(directory)) > 0) {
                while (fits && entries.next()) {
                    long name = entries.nameOffset();
                    int length = entries.nameLength();
                    long next = entries.position();
                    fits = reply.add(entries.buffer(), name, length, entries.ino(), entries.type(), next);
                    any |= fits;
                }
                fits = fits && n > Scratch.ENTRIES_BYTES - DirectoryEntries.ENTRY_BYTES;
            }
            if (endsWithError(n, any)) {
                reply.error((int) -n);
            } else {
                reply.done();
            }
        }
    }

    @Override
    public void readdirplus(Request request, long node, long handle, long position, DirectoryPlusReply reply) {
        PathFd path = path(node);
        try (Scratch scratch = nodes.scratches.take()) {
            DirectoryEntries entries = scratch.entries;
            Fd directory = files.get(handle);
            long n = entries.seek(directory, position);
            boolean fits = true;
            boolean any = false;
            while (n >= 0 && fits && (n = entries.fill(directory)) > 0) {
                while (fits && entries.next()) {
                    fits = add(path, entries, reply);
                    any |= fits;
                }
                fits = fits && n > Scratch.ENTRIES_BYTES - DirectoryEntries.ENTRY_BYTES;
            }
            if (endsWithError(n, any)) {
                reply.error((int) -n);
            } else {
                reply.done();
            }
        }
    }

    /** Added entries are given first; the next call meets the error again. A directory that is gone has an end. */
    private static boolean endsWithError(long result, boolean any) {
        return result < 0 && result != -Errno.ENOENT && !any;
    }

    /** Adds an entry with its attributes, or without where it is none of the directory's own or is gone by now. */
    private boolean add(PathFd path, DirectoryEntries entries, DirectoryPlusReply reply) {
        Attributes attributes = reply.attributes();
        long found = entries.isDots() ? 0 : nodes.find(path, entries.buffer(), entries.nameOffset(), attributes);
        if (found <= 0) {
            attributes.clear().ino(entries.ino()).mode(entries.type() << 12);
            found = 0;
        }
        MemorySegment memory = entries.buffer();
        long name = entries.nameOffset();
        boolean fits = reply.add(memory, name, entries.nameLength(), found, attributes, entries.position());
        if (!fits && found > 0) {
            nodes.forget(found, 1);
        }
        return fits;
    }

    @Override
    public void releasedir(Request request, long node, long handle, int flags, EmptyReply reply) {
        files.remove(handle).close();
        reply.done();
    }

    @Override
    public void fsyncdir(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        answer(reply, FileControl.sync(files.get(handle), dataOnly));
    }

    @Override
    public void getlk(Request request, long node, long handle, FileLock lock, LockReply reply) {
        locks.query(nodes.get(node), handle, lock, reply);
    }

    @Override
    public void setlk(Request request, long node, long handle, FileLock lock, boolean waits, EmptyReply reply) {
        locks.set(request, nodes.get(node), handle, lock, waits, reply);
    }

    @Override
    public void flock(Request request, long node, long handle, FileLock lock, boolean waits, EmptyReply reply) {
        locks.flock(request, files.get(handle), lock, waits, reply);
    }

    @Override
    public void interrupt(long unique) {
        locks.interrupt(unique);
    }

    @Override
    public void ioctl(Request request, long node, long handle, IoctlCall call, IoctlReply reply) {
        try (Scratch scratch = nodes.scratches.take()) {
            LoopbackIoctls.answer(files.get(handle), call, scratch.argument, reply);
        }
    }

    @Override
    public void fallocate(
            Request request, long node, long handle, long position, long length, int mode, EmptyReply reply) {
        answer(reply, FileControl.allocate(files.get(handle), mode, position, length));
    }

    @Override
    public void lseek(Request request, long node, long handle, long position, int whence, LseekReply reply) {
        Fd file = files.get(handle);
        long found = whence == SEEK_DATA ? file.seekData(position) : file.seekHole(position);
        if (found < 0) {
            reply.error((int) -found);
        } else {
            reply.position(found);
        }
    }

    @Override
    public void copyFileRange(Request request, long node, CopyRange copy, WriteReply reply) {
        Fd target = files.get(copy.targetHandle());
        answer(
                reply,
                files.get(copy.handle()).copyFileRange(copy.position(), target, copy.targetPosition(), copy.length()));
    }

    @Override
    public void syncfs(Request request, long node, EmptyReply reply) {
        int fd = path(node).reopen(Fd.O_RDONLY);
        if (fd < 0) {
            reply.error(-fd);
            return;
        }
        try (Fd any = Fd.ofValue(fd)) {
            answer(reply, FileControl.syncFileSystem(any));
        }
    }

    private PathFd path(long node) {
        return nodes.get(node).path;
    }

    /** Does something in the name of the caller. */
    private static int as(Request request, IntSupplier call) {
        FsCredentials caller =
                FsCredentials.take(request.uid(), request.gid(), request.supplementaryGroup(), request.umask());
        try {
            return call.getAsInt();
        } finally {
            caller.close();
        }
    }

    private static void answer(EmptyReply reply, int result) {
        if (result < 0) {
            reply.error(-result);
        } else {
            reply.done();
        }
    }

    private static void answer(WriteReply reply, long result) {
        if (result < 0) {
            reply.error((int) -result);
        } else {
            reply.written(result);
        }
    }

    /** Answers with a name that was made, or with why not. */
    private void made(PathFd parent, Name name, int result, EntryReply reply) {
        if (result < 0) {
            reply.error(-result);
            return;
        }
        Attributes attributes = reply.attributes();
        entry(nodes.find(parent, name.segment(), name.offset(), attributes), attributes, reply);
    }

    private static void entry(long found, Attributes attributes, EntryReply reply) {
        if (found < 0) {
            reply.error((int) -found);
        } else {
            reply.entry(found, attributes);
        }
    }

    /** Answers with a file that was made and opened, or with why not. */
    private void opened(int fd, CreateReply reply) {
        if (fd < 0) {
            reply.error(-fd);
            return;
        }
        Fd file = Fd.ofValue(fd);
        Attributes attributes = reply.attributes();
        long found = nodes.adopt(PathFd.tryOpen(file), attributes);
        if (found < 0) {
            file.close();
            reply.error((int) -found);
            return;
        }
        files.add(fd);
        int backing = nodes.opened(nodes.get(found));
        if (backing == LoopbackNode.SERVED) {
            reply.created(found, attributes, fd, 0);
        } else {
            reply.created(found, attributes, fd, 0, backing);
        }
    }
}
