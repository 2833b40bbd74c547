package io.chagres.cli.ship;

import java.util.Locale;

/**
 * The cost of shipping for a day at most, by the model of docs/SCALING.md: a put for each commit, heartbeat and object,
 * and a put more for each thousand commits. Immutable.
 *
 * @param commits one for each lag in which a file grows
 * @param heartbeats one for each interval
 * @param objects those of files that grow by a MiB or more within a lag
 * @param bytes of files, before compression
 */
public record DailyCost(long commits, long heartbeats, long objects, long bytes) {
    /** Dollars of Amazon S3 standard in us-east-1, as docs/SCALING.md has them. */
    static final double PER_1000_PUTS = 0.005;

    static final double PER_GB_AND_MONTH = 0.023;

    private static final long DAY_MS = 86_400_000;
    private static final long OBJECT_BYTES = 1 << 20;
    private static final long COMMITS_OF_AN_OUTLINE = 1000;

    /**
     * Estimates.
     *
     * @param lagMs how often there is a commit at most
     * @param heartbeatMs how often there is a heartbeat, 0 for never
     * @param bytesPerSecond how fast files grow; negative when that is not known, and they always do
     */
    public static DailyCost of(long lagMs, long heartbeatMs, double bytesPerSecond) {
        long commits = bytesPerSecond == 0 ? 0 : DAY_MS / Math.max(1, lagMs);
        boolean large = bytesPerSecond * lagMs / 1000 >= OBJECT_BYTES;
        return new DailyCost(
                commits,
                heartbeatMs == 0 ? 0 : DAY_MS / heartbeatMs,
                large ? commits : 0,
                Math.round(Math.max(0, bytesPerSecond) * DAY_MS / 1000));
    }

    /** Returns the number of puts. */
    public long puts() {
        return commits + commits / COMMITS_OF_AN_OUTLINE + heartbeats + objects;
    }

    /** Returns the dollars of the puts, and of a month of storing a day's bytes as they are. */
    public double dollars() {
        return puts() * PER_1000_PUTS / 1000 + bytes / 1e9 * PER_GB_AND_MONTH;
    }

    /** Returns the estimate in words; a directory's requests are not paid for. */
    public String text(boolean paid) {
        String text = String.format(
                Locale.ROOT,
                "%,d requests a day at most (%,d commits, %,d heartbeats, %,d objects)",
                puts(),
                commits,
                heartbeats,
                objects);
        return text
                + (paid
                        ? String.format(Locale.ROOT, ", %.2f $ at the prices of S3 in us-east-1", dollars())
                        : "; in a directory they cost nothing");
    }
}
