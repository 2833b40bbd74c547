package io.chagres.linux;

/**
 * A lease for reading, see fcntl(2): the kernel grants one only while nobody has the file open for writing, and as long
 * as it is held a process that opens it for writing waits, up to {@code fs.lease-break-time}. Its owner and processes
 * with {@code CAP_LEASE} get one, and not all file systems give it. Confined to one thread.
 */
public final class ReadLease implements AutoCloseable {
    private static final int F_SETSIG = 10;
    private static final int F_SETLEASE = 1024;
    private static final int F_GETLEASE = 1025;
    private static final int F_RDLCK = 0;
    private static final int F_UNLCK = 2;

    /** The kernel signals the holder when somebody opens the file. SIGIO, the default, would end the process. */
    private static final int SIGURG = 23;

    private final Fd fd;

    /**
     * Prepares, and takes none yet.
     *
     * @param fd open for reading; stays the caller's
     */
    public ReadLease(Fd fd) {
        this.fd = fd;
    }

    /**
     * Takes it.
     *
     * @return 0, -EAGAIN if somebody has the file open for writing, else -errno: nobody knows
     */
    public int tryTake() {
        int result = prepare(fd.value());
        return result < 0 ? result : FileCalls.fcntl(fd.value(), F_SETLEASE, F_RDLCK);
    }

    /** Says whether it is held, and nobody waits for its end. */
    public boolean isHeld() {
        return FileCalls.fcntl(fd.value(), F_GETLEASE, 0) == F_RDLCK;
    }

    @Override
    public void close() {
        FileCalls.fcntl(fd.value(), F_SETLEASE, F_UNLCK);
    }

    /** Lets the kernel send a signal that does no harm, as long as the file is open; 0 or {@code -errno}. */
    static int prepare(int fd) {
        return FileCalls.fcntl(fd, F_SETSIG, SIGURG);
    }

    /** Uses a lease as a question, after {@link #prepare}: takes one and gives it back. */
    static int probe(int fd) {
        int result = FileCalls.fcntl(fd, F_SETLEASE, F_RDLCK);
        if (result < 0) {
            return result;
        }
        FileCalls.fcntl(fd, F_SETLEASE, F_UNLCK);
        return 0;
    }
}
