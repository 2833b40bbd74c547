package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Owns an inotify instance ({@code inotify(7)}). Confined to one thread; reading events allocates nothing. */
public final class Inotify implements AutoCloseable {
    /** The file was modified. */
    public static final int IN_MODIFY = 0x2;
    /** Attributes changed, or the number of links. */
    public static final int IN_ATTRIB = 0x4;
    /** A descriptor opened for writing was closed. */
    public static final int IN_CLOSE_WRITE = 0x8;
    /** An entry was renamed away. */
    public static final int IN_MOVED_FROM = 0x40;
    /** An entry was renamed to here. */
    public static final int IN_MOVED_TO = 0x80;
    /** An entry was made. */
    public static final int IN_CREATE = 0x100;
    /** An entry was removed. */
    public static final int IN_DELETE = 0x200;
    /** The watched directory was removed. */
    public static final int IN_DELETE_SELF = 0x400;
    /** The watched directory was renamed. */
    public static final int IN_MOVE_SELF = 0x800;
    /** The file system was unmounted. */
    public static final int IN_UNMOUNT = 0x2000;
    /** Events were lost. */
    public static final int IN_Q_OVERFLOW = 0x4000;
    /** The watch is gone. */
    public static final int IN_IGNORED = 0x8000;
    /** Watches directories only. */
    public static final int IN_ONLYDIR = 0x1000000;
    /** Does not follow a link. */
    public static final int IN_DONT_FOLLOW = 0x2000000;
    /** The entry is a directory. */
    public static final int IN_ISDIR = 0x40000000;

    private static final int IN_NONBLOCK_CLOEXEC = 04000 | 02000000;

    private final Fd fd;

    private Inotify(Fd fd) {
        this.fd = fd;
    }

    /**
     * Opens an instance.
     *
     * @throws ErrnoException EMFILE when fs.inotify.max_user_instances is reached
     */
    public static Inotify open() throws ErrnoException {
        long fd = SystemCall.once(Nr.INOTIFY_INIT1, IN_NONBLOCK_CLOEXEC, 0, 0, 0, 0, 0);
        if (fd < 0) {
            throw new ErrnoException("inotify_init1", (int) -fd, "(see fs.inotify.max_user_instances)");
        }
        return new Inotify(Fd.ofValue((int) fd));
    }

    /** Watches a directory; returns the watch descriptor or -errno (ENOSPC: fs.inotify.max_user_watches). */
    public int add(Pathname path, int mask) {
        try (Arena arena = Arena.ofConfined()) {
            return add(path.toCString(arena), mask);
        }
    }

    /** Watches a directory named by a C string (borrowed); returns the watch descriptor or -errno. */
    public int add(MemorySegment path, int mask) {
        return (int)
                SystemCall.repeatable(Nr.INOTIFY_ADD_WATCH, fd.value(), path.address(), mask & 0xffffffffL, 0, 0, 0);
    }

    /** Ends a watch; returns 0 or -errno (EINVAL: it is gone already). */
    public int remove(int watchDescriptor) {
        return (int) SystemCall.once(Nr.INOTIFY_RM_WATCH, fd.value(), watchDescriptor, 0, 0, 0, 0);
    }

    /** Reads events into a cursor; returns bytes read, 0 when there are none, or -errno. */
    public int read(InotifyEvents events) {
        MemorySegment buffer = events.buffer();
        // repeatable: a failed read took nothing out of the queue
        long read = SystemCall.repeatable(Nr.READ, fd.value(), buffer.address(), buffer.byteSize(), 0, 0, 0);
        if (read == -Errno.EAGAIN) {
            read = 0;
        }
        events.filled(Math.max(0, read));
        return (int) read;
    }

    /** Returns the descriptor's number, for epoll. */
    public int fd() {
        return fd.value();
    }

    @Override
    public void close() {
        fd.close();
    }
}
