package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import java.nio.charset.StandardCharsets;

/** Locks of files and the processes that hold them, see flock(2) and proc_locks(5). Stateless, safe for any thread. */
public final class FileLocks {
    private static final Pathname TABLE = Pathname.of("/proc/locks");
    private static final int KIND = 1;
    private static final int PID = 4;

    private static final int LOCK_UN = 8;

    private FileLocks() {}

    /**
     * Gives back a lock that {@link Fd#tryLockExclusive} took, also while another process has the open file: one that
     * was forked has it until it executes a program, and closing it here would leave the lock to that one.
     *
     * @throws ErrnoException whatever flock(2) says
     */
    public static void release(Fd file) throws ErrnoException {
        int result = FileCalls.flock(file.value(), LOCK_UN);
        if (result < 0) {
            throw new ErrnoException("flock", -result, "a lock");
        }
    }

    /**
     * Says whether a process holds a lock of flock(2), such as {@link Fd#tryLockExclusive} takes.
     *
     * @param pid its id; one that cannot be seen from this process, as in another container, holds none
     * @throws ErrnoException if /proc is not mounted
     */
    public static boolean isHolder(long pid) throws ErrnoException {
        return isHolder(new String(ProcFile.read(TABLE), StandardCharsets.US_ASCII), Long.toString(pid));
    }

    /** The lines of those who wait for a lock have an arrow in place of the kind. */
    static boolean isHolder(String table, String pid) {
        return table.lines()
                .map(line -> line.split(" +"))
                .anyMatch(lock -> lock.length > PID && lock[KIND].equals("FLOCK") && lock[PID].equals(pid));
    }
}
