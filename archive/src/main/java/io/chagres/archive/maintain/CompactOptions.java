package io.chagres.archive.maintain;

import io.chagres.archive.Codec;
import java.time.Duration;

/**
 * Says how to compact.
 *
 * @param graceMs how long what was replaced is kept, in milliseconds; longer than any reader reads
 * @param retainMs how long bytes and versions that are over are kept, in milliseconds; 0 for ever
 * @param codec how objects of one version are stored, one that compresses; packs are always zstd
 * @param level of the codec, 1 to 19
 * @param memoryBytes how many bytes to hold in memory at a time, commits and what is written, if one object alone
 *     is not larger
 * @param dryRun whether to only say what would be done
 * @param historyMs what is kept of how files grew is a length for each such interval, in milliseconds, 1 or more
 */
public record CompactOptions(
        long graceMs, long retainMs, Codec codec, int level, long memoryBytes, boolean dryRun, long historyMs) {
    /** How exactly the growth of files is kept unless it is said. */
    public static final long HISTORY_MS = Duration.ofMinutes(1).toMillis();

    /** A day of grace, everything kept, level 3, 128 MiB. */
    public static final CompactOptions DEFAULT =
            new CompactOptions(Duration.ofDays(1).toMillis(), 0, 3, 128L << 20, false);

    /** Writes zstd, and keeps a length for each minute. */
    public CompactOptions(long graceMs, long retainMs, int level, long memoryBytes, boolean dryRun) {
        this(graceMs, retainMs, Codec.ZSTD, level, memoryBytes, dryRun, HISTORY_MS);
    }

    /** Returns the same options as a dry run. */
    public CompactOptions asDryRun() {
        return new CompactOptions(graceMs, retainMs, codec, level, memoryBytes, true, historyMs);
    }
}
