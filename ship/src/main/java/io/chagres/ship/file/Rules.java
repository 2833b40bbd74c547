package io.chagres.ship.file;

import io.chagres.archive.Codec;
import io.chagres.linux.FileTimes;

/**
 * How the bytes of some files are shipped. Immutable.
 *
 * @param maxLagMs how old an uncommitted byte of them gets, in milliseconds
 * @param codec how data objects of them are stored
 * @param ignoreOlderMs files that were not written for longer when they are first seen are left out, milliseconds; 0
 *     for none
 */
public record Rules(long maxLagMs, Codec codec, long ignoreOlderMs) {
    /** Makes rules that leave out no file for its age. */
    public Rules(long maxLagMs, Codec codec) {
        this(maxLagMs, codec, 0);
    }

    /**
     * Says whether a file that the archive does not know is left out for its age.
     *
     * @param mtimeNs when it was written, nanoseconds since 1970
     * @param nowMs milliseconds since 1970
     */
    public boolean leavesOut(long mtimeNs, long nowMs) {
        return ignoreOlderMs > 0 && FileTimes.toMs(mtimeNs) < nowMs - ignoreOlderMs;
    }
}
