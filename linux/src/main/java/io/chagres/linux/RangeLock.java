package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A lock on a range of a file that belongs to an open file, not to a process: an open file description lock of
 * fcntl(2). It conflicts with those of other open files and with the locks of processes, and ends with the last
 * descriptor of its open file.
 *
 * <p>Immutable. Taking and giving back allocate nothing.
 *
 * @param type {@link #F_RDLCK}, {@link #F_WRLCK} or {@link #F_UNLCK}
 * @param start where it starts, bytes from the start of the file
 * @param length its length in bytes; 0 is up to the end, however far that moves
 * @param pid who holds it, in an answer of {@link #inTheWay}: a process, or -1 if it is an open file's; else 0
 */
public record RangeLock(int type, long start, long length, int pid) {
    /** Shared. */
    public static final int F_RDLCK = 0;

    /** Exclusive. */
    public static final int F_WRLCK = 1;

    /** None: to give a lock back, or as an answer that nothing is in the way. */
    public static final int F_UNLCK = 2;

    private static final int F_OFD_GETLK = 36;
    private static final int F_OFD_SETLK = 37;
    private static final int FLOCK_BYTES = 32;

    /**
     * Takes the lock or gives the range back, without waiting.
     *
     * @param fd the open file: readable for a shared lock, writable for an exclusive one
     * @return 0, or {@code -errno}: -EAGAIN if another lock is in the way, -EBADF if it is not open for that, -EINVAL
     *     if the range is none, -ENOLCK
     */
    public int set(Fd fd) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return FileCalls.fcntl(fd.value(), F_OFD_SETLK, flock(frame).address());
        }
    }

    /**
     * Asks for one of the locks that this could not be taken for.
     *
     * @param fd the open file that it would belong to
     * @return the lock in the way; of type {@link #F_UNLCK} if there is none
     * @throws ErrnoException EINVAL if the range is none
     */
    public RangeLock inTheWay(Fd fd) throws ErrnoException {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment flock = flock(frame);
            int result = FileCalls.fcntl(fd.value(), F_OFD_GETLK, flock.address());
            if (result < 0) {
                throw new ErrnoException("fcntl F_OFD_GETLK", -result, fd.toString());
            }
            return new RangeLock(
                    flock.get(ValueLayout.JAVA_SHORT, 0),
                    flock.get(ValueLayout.JAVA_LONG, 8),
                    flock.get(ValueLayout.JAVA_LONG, 16),
                    flock.get(ValueLayout.JAVA_INT, 24));
        }
    }

    /** Lays out {@code struct flock} with l_whence SEEK_SET; the kernel wants 0 for l_pid. */
    private MemorySegment flock(Frame frame) {
        MemorySegment flock = frame.allocate(FLOCK_BYTES, 8).fill((byte) 0);
        flock.set(ValueLayout.JAVA_SHORT, 0, (short) type);
        flock.set(ValueLayout.JAVA_LONG, 8, start);
        flock.set(ValueLayout.JAVA_LONG, 16, length);
        return flock;
    }
}
