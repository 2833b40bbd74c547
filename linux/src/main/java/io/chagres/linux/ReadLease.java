package io.chagres.linux;

/** Uses a lease of fcntl(2) as a question: the kernel grants one for reading only while nobody writes. */
final class ReadLease {
    private static final int F_SETSIG = 10;
    private static final int F_SETLEASE = 1024;
    private static final int F_RDLCK = 0;
    private static final int F_UNLCK = 2;

    /** The kernel signals the holder when somebody opens the file. SIGIO, the default, would end the process. */
    private static final int SIGURG = 23;

    private ReadLease() {}

    /** Lets the kernel send a signal that does no harm, as long as the file is open; 0 or {@code -errno}. */
    static int prepare(int fd) {
        return FileCalls.fcntl(fd, F_SETSIG, SIGURG);
    }

    /** Asks, after {@link #prepare}. */
    static int probe(int fd) {
        int result = FileCalls.fcntl(fd, F_SETLEASE, F_RDLCK);
        if (result < 0) {
            return result;
        }
        FileCalls.fcntl(fd, F_SETLEASE, F_UNLCK);
        return 0;
    }
}
