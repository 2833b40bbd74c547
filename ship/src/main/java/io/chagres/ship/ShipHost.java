package io.chagres.ship;

import io.chagres.linux.Machine;
import io.chagres.linux.ResourceLimit;
import java.time.Clock;

/**
 * Holds what a shipper takes from the machine it runs on. Immutable.
 *
 * @param machine who it is, and since which boot
 * @param openFiles files to hold open at most, at least 4
 * @param fileClock what the times of files are of; steps may be driven by another one
 */
record ShipHost(Machine machine, int openFiles, Clock fileClock) {
    private static final int MIN_OPEN_FILES = 4;
    private static final int MAX_OPEN_FILES = 1 << 20;

    /** Returns this machine; raises the limit of descriptors, of which half may be held for files. */
    static ShipHost current(Clock fileClock) {
        int openFiles = Math.clamp(ResourceLimit.raiseOpenFiles() / 2, MIN_OPEN_FILES, MAX_OPEN_FILES);
        return new ShipHost(Machine.current(), openFiles, fileClock);
    }
}
