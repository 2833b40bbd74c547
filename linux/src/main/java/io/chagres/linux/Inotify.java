package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.MemorySegment;

/**
 * A queue of changes to watched files and directories, see inotify(7). Safe for any thread, except that one reads at a
 * time and nobody uses it while or after it is closed. Adding, removing and reading allocate nothing.
 */
public final class Inotify implements AutoCloseable {
    /** A file was read. */
    public static final int IN_ACCESS = 0x1;

    /** A file was written or truncated. */
    public static final int IN_MODIFY = 0x2;

    /** Status changed: permissions, owner, times, link count. */
    public static final int IN_ATTRIB = 0x4;

    /** A file that was open for writing was closed. */
    public static final int IN_CLOSE_WRITE = 0x8;

    /** A file or directory that was not open for writing was closed. */
    public static final int IN_CLOSE_NOWRITE = 0x10;

    /** A file or directory was opened. */
    public static final int IN_OPEN = 0x20;

    /** A name was moved out of the watched directory. */
    public static final int IN_MOVED_FROM = 0x40;

    /** A name was moved into the watched directory. */
    public static final int IN_MOVED_TO = 0x80;

    /** A name was created. */
    public static final int IN_CREATE = 0x100;

    /** A name was deleted. */
    public static final int IN_DELETE = 0x200;

    /** The watched file or directory itself was deleted. */
    public static final int IN_DELETE_SELF = 0x400;

    /** The watched file or directory itself was moved. */
    public static final int IN_MOVE_SELF = 0x800;

    /** In events: its file system was unmounted. */
    public static final int IN_UNMOUNT = 0x2000;

    /** In events, with wd -1: the queue was full and events are lost. */
    public static final int IN_Q_OVERFLOW = 0x4000;

    /** In events: the watch is gone, by removal, deletion or unmount. */
    public static final int IN_IGNORED = 0x8000;

    /** For adding: fail with ENOTDIR if it is no directory. */
    public static final int IN_ONLYDIR = 0x0100_0000;

    /** For adding: watch a symbolic link itself. */
    public static final int IN_DONT_FOLLOW = 0x0200_0000;

    /** For adding: no events for names after they were unlinked. */
    public static final int IN_EXCL_UNLINK = 0x0400_0000;

    /** For adding: fail with EEXIST if it is watched already. */
    public static final int IN_MASK_CREATE = 0x1000_0000;

    /** For adding: extend the mask of an existing watch instead of replacing it. */
    public static final int IN_MASK_ADD = 0x2000_0000;

    /** In events: the subject is a directory. */
    public static final int IN_ISDIR = 0x4000_0000;

    /** For adding: one event, then the watch is gone. */
    public static final int IN_ONESHOT = 0x8000_0000;

    private static final int IN_NONBLOCK = Fd.O_NONBLOCK;
    private static final int IN_CLOEXEC = Fd.O_CLOEXEC;

    private final Fd fd;

    private Inotify(Fd fd) {
        this.fd = fd;
    }

    /**
     * Makes an empty queue.
     *
     * @return the queue, owned by the caller
     * @throws ErrnoException EMFILE at the limit of the process or of {@code fs.inotify.max_user_instances}
     */
    public static Inotify open() throws ErrnoException {
        int value = InotifyCalls.init1(IN_NONBLOCK | IN_CLOEXEC);
        if (value < 0) {
            throw new ErrnoException("inotify_init1", -value, "");
        }
        return new Inotify(Fd.ofValue(value));
    }

    /**
     * Watches a path, or changes the mask of its watch.
     *
     * @param path which
     * @param mask {@code IN_} constants
     * @return the watch descriptor, 1 or more, or {@code -errno}; -ENOSPC at {@code fs.inotify.max_user_watches}
     */
    public int add(Pathname path, int mask) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return add(path.toCString(frame), mask);
        }
    }

    /**
     * Watches a path, or changes the mask of its watch.
     *
     * @param cString which, NUL-terminated, borrowed
     * @param mask {@code IN_} constants
     * @return the watch descriptor, 1 or more, or {@code -errno}; -ENOSPC at {@code fs.inotify.max_user_watches}
     */
    public int add(MemorySegment cString, int mask) {
        return InotifyCalls.addWatch(fd.value(), cString, mask);
    }

    /**
     * Removes a watch; an event IN_IGNORED follows.
     *
     * @param wd the watch descriptor
     * @return 0, or {@code -errno}; -EINVAL if the kernel removed it already
     */
    public int remove(int wd) {
        return InotifyCalls.rmWatch(fd.value(), wd);
    }

    /**
     * Reads the events that are there, without waiting.
     *
     * @param events where to; its cursor stands before the first
     * @return the bytes read, 0 if there were none, or {@code -errno}
     */
    public int read(InotifyEvents events) {
        long n = fd.read(events.buffer(), 0, events.buffer().byteSize());
        events.filled(Math.max(0, n));
        return n == -Errno.EAGAIN ? 0 : (int) n;
    }

    /**
     * Returns the descriptor, for epoll.
     *
     * @return readable when there are events; owned by this queue
     */
    public int fd() {
        return fd.value();
    }

    /** Removes all watches and closes the descriptor. Idempotent. */
    @Override
    public void close() {
        fd.close();
    }
}
