package io.chagres.ship;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Machine;
import io.chagres.linux.ProcPid;
import io.chagres.linux.ResourceLimit;
import java.time.Clock;

/**
 * The things that a shipper takes from the machine it runs on. Immutable.
 *
 * @param machine who it is, and since which boot
 * @param openFiles files to hold open while those that have a name can give their descriptors back, at least 4
 * @param mostOpenFiles files to hold open at most: the process needs the rest for itself
 * @param fileClock what the times of files are of; steps may be driven by another one
 */
record ShipHost(Machine machine, int openFiles, int mostOpenFiles, Clock fileClock) {
    private static final int MIN_OPEN_FILES = 4;
    private static final int MAX_OPEN_FILES = 1 << 20;
    /** With fewer it is said that files may have to be closed. */
    private static final int FEW_OPEN_FILES = 500;
    /** The descriptors that the process opens later: for a store, its temporary files, a directory, a status. */
    private static final int FOR_THE_PROCESS = 24;
    /** The descriptors of a process that nobody can count. */
    private static final int OPEN_AT_LEAST = 40;

    /** Returns one that may hold some more open while they have no name. */
    ShipHost(Machine machine, int openFiles, Clock fileClock) {
        this(machine, openFiles, openFiles + 2 * Math.max(16, openFiles / 4), fileClock);
    }

    /**
     * Returns this machine; raises the limit of descriptors. Files may hold half of them, and three quarters when files
     * no longer have a name.
     */
    static ShipHost current(Clock fileClock) {
        long limit = Math.min(ResourceLimit.raiseOpenFiles(), MAX_OPEN_FILES * 2L);
        long free = limit - FOR_THE_PROCESS - openNow();
        int openFiles = Math.clamp(Math.min(limit / 2, free * 2 / 3), MIN_OPEN_FILES, MAX_OPEN_FILES);
        int most = (int) Math.max(openFiles + MIN_OPEN_FILES, Math.min(limit * 3 / 4, free));
        return new ShipHost(Machine.current(), openFiles, most, fileClock);
    }

    private static long openNow() {
        try {
            return ProcPid.openFiles(ProcessHandle.current().pid()).size();
        } catch (ErrnoException e) {
            return OPEN_AT_LEAST;
        }
    }

    /** Says so where the limit of descriptors, which the program has raised as far as it may, is low. */
    void sayIfFew(ShipListener listener) {
        if (openFiles < FEW_OPEN_FILES) {
            listener.problem("the limit of open files lets " + openFiles + " files stay open at once, and "
                    + mostOpenFiles + " when they have lost their names: raise it (ulimit -Hn, LimitNOFILE=)");
        }
    }
}
