package io.chagres.forward;

import io.chagres.archive.read.Shard;
import io.chagres.archive.state.LocalTables;

/**
 * How to forward. Immutable.
 *
 * @param chunks whether bytes are forwarded as they are, up to the largest value, instead of lines
 * @param events whether files that were renamed, truncated, rewritten or are gone get an event
 * @param maxLineAgeMs how long half a line waits for its end
 * @param sinceMs of a host that was not forwarded yet, only what was committed later; milliseconds since 1970
 * @param shard which hosts
 * @param tables where large hosts are; stays the caller's
 */
public record ForwardOptions(
        boolean chunks, boolean events, long maxLineAgeMs, long sinceMs, Shard shard, LocalTables tables) {
    /** Returns lines of all hosts from the start of their logs, without events. */
    public static ForwardOptions lines(long maxLineAgeMs, LocalTables tables) {
        return new ForwardOptions(false, false, maxLineAgeMs, 0, Shard.ALL, tables);
    }
}
