package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

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
        return isHolder(table(), Long.toString(pid));
    }

    /**
     * Returns the processes that hold a lock of flock(2) of a file. The numbers of inodes in the table are not enough:
     * each file system has its own, so the descriptors of each holder are looked at.
     *
     * @return their ids as this process sees them; none for those whose descriptors it may not see
     * @throws ErrnoException if /proc is not mounted
     */
    public static List<Long> holders(Fd file) throws ErrnoException {
        try (Statx wanted = new Statx();
                Statx stat = new Statx()) {
            if (wanted.of(file.value()) != 0) {
                return List.of();
            }
            return held(table())
                    .map(lock -> Long.parseLong(lock[PID]))
                    .distinct()
                    .filter(pid -> holds(pid, wanted, stat))
                    .toList();
        }
    }

    private static boolean holds(long pid, Statx wanted, Statx stat) {
        Pathname process = Pathname.of("/proc/" + pid);
        try (Directory descriptors = Directory.open(process.resolve("fd"))) {
            while (descriptors.next()) {
                // a look at a file may hang with its file system, so only those that are locked are looked at
                if (isLocked(process.resolve("fdinfo").resolve(descriptors.name()))
                        && stat.of(process.resolve("fd").resolve(descriptors.name()), true) == 0
                        && stat.dev() == wanted.dev()
                        && stat.ino() == wanted.ino()) {
                    return true;
                }
            }
            return false;
        } catch (ErrnoException e) {
            return false; // it has ended, or is another user's
        }
    }

    private static boolean isLocked(Pathname descriptor) {
        try {
            return new String(ProcFile.read(descriptor), StandardCharsets.US_ASCII).contains(": FLOCK ");
        } catch (ErrnoException e) {
            return false; // it was closed meanwhile
        }
    }

    private static String table() throws ErrnoException {
        return new String(ProcFile.read(TABLE), StandardCharsets.US_ASCII);
    }

    static boolean isHolder(String table, String pid) {
        return held(table).anyMatch(lock -> lock[PID].equals(pid));
    }

    /** The lines of those who wait for a lock have an arrow in place of the kind. */
    private static Stream<String[]> held(String table) {
        return table.lines()
                .map(line -> line.split(" +"))
                .filter(lock -> lock.length > PID && lock[KIND].equals("FLOCK"));
    }
}
