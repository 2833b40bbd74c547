package io.chagres.ship.file;

import io.chagres.archive.Codec;

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
}
