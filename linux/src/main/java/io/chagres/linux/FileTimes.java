package io.chagres.linux;

/**
 * The time of a file in a long: nanoseconds since 1970 within the years 1824 to 2115, and in steps of a microsecond
 * before and after them, for 146,000 years either way. The order of such longs is the order of their times. The kernel
 * keeps 64 bits of seconds and 30 of nanoseconds, and file systems keep years beyond 2262, where a long of nanoseconds
 * ends: ext4 to 2446, XFS to 2486, btrfs and tmpfs all that the kernel has. Stateless.
 */
public final class FileTimes {
    /** The last time; {@link Long#MAX_VALUE} is free to mean something else. */
    public static final long LATEST = Long.MAX_VALUE - 1;

    /** The first time; {@link Long#MIN_VALUE} is free to mean something else. */
    public static final long EARLIEST = Long.MIN_VALUE + 1;

    private static final long NS_PER_S = 1_000_000_000;
    private static final long US_PER_S = 1_000_000;
    private static final int NS_PER_US = 1000;

    /** Up to here, either way, a step is a nanosecond. */
    private static final long FINE_S = 4_600_000_000L;

    private static final long FINE = FINE_S * NS_PER_S;

    /** The seconds to the last time, either way, rounded down. */
    private static final long MOST_S = FINE_S + (LATEST - FINE) / US_PER_S - 1;

    private FileTimes() {}

    /**
     * Returns a time; the nearest one where it is beyond the first or the last.
     *
     * @param seconds since 1970
     * @param nanos of the second, 0 to 999,999,999
     */
    public static long of(long seconds, int nanos) {
        if (seconds > MOST_S) {
            return LATEST;
        }
        if (seconds < -MOST_S) {
            return EARLIEST;
        }
        if (seconds >= FINE_S) {
            return FINE + (seconds - FINE_S) * US_PER_S + nanos / NS_PER_US;
        }
        if (seconds < -FINE_S) {
            return (seconds + FINE_S) * US_PER_S + nanos / NS_PER_US - FINE;
        }
        return seconds * NS_PER_S + nanos;
    }

    /** Returns the whole seconds since 1970 of a time, rounded down. */
    public static long seconds(long time) {
        if (time >= FINE) {
            return FINE_S + (time - FINE) / US_PER_S;
        }
        if (time < -FINE) {
            return Math.floorDiv(time + FINE, US_PER_S) - FINE_S;
        }
        return Math.floorDiv(time, NS_PER_S);
    }

    /** Returns the nanoseconds of the second of a time, 0 to 999,999,999. */
    public static int nanos(long time) {
        if (time >= FINE) {
            return (int) ((time - FINE) % US_PER_S) * NS_PER_US;
        }
        if (time < -FINE) {
            return (int) Math.floorMod(time + FINE, US_PER_S) * NS_PER_US;
        }
        return (int) Math.floorMod(time, NS_PER_S);
    }

    /** Returns the milliseconds since 1970 of a time, rounded down. */
    public static long toMs(long time) {
        return seconds(time) * 1000 + nanos(time) / 1_000_000;
    }
}
