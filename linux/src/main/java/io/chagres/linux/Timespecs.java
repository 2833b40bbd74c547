package io.chagres.linux;

import io.chagres.foreign.Frame;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Nanoseconds since 1970 to and from {@code struct timespec} and {@code struct statx_timestamp}. */
final class Timespecs {
    private static final long NANOS = 1_000_000_000L;
    private static final long UTIME_NOW = (1L << 30) - 1;
    private static final long UTIME_OMIT = (1L << 30) - 2;

    /** Stands for the present time of the kernel. */
    static final long NOW = Long.MAX_VALUE;

    /** Stands for no change. */
    static final long OMIT = Long.MIN_VALUE;

    /** The last and the first time: neither is what stands for something else. */
    static final long LATEST = Long.MAX_VALUE - 1;

    static final long EARLIEST = Long.MIN_VALUE + 1;

    private Timespecs() {}

    /** Lays out access and modification time for utimensat(2), nanoseconds, {@link #NOW} or {@link #OMIT}. */
    static MemorySegment pair(Frame frame, long atimeNs, long mtimeNs) {
        MemorySegment times = frame.allocate(32, 8);
        put(times, 0, atimeNs);
        put(times, 16, mtimeNs);
        return times;
    }

    /** Returns nanoseconds; a time that a long cannot hold (before 1678, after 2262) becomes its nearest value. */
    static long toNs(long seconds, int nanos) {
        if (seconds > LATEST / NANOS || seconds == LATEST / NANOS && nanos > LATEST % NANOS) {
            return LATEST;
        }
        if (seconds < Math.floorDiv(EARLIEST, NANOS)
                || seconds == Math.floorDiv(EARLIEST, NANOS) && nanos < Math.floorMod(EARLIEST, NANOS)) {
            return EARLIEST;
        }
        return (seconds + 1) * NANOS - (NANOS - nanos); // of the earliest second the begin would not fit
    }

    private static void put(MemorySegment times, long offset, long ns) {
        boolean special = ns == OMIT || ns == NOW;
        long nanos = ns == OMIT ? UTIME_OMIT : UTIME_NOW;
        times.set(ValueLayout.JAVA_LONG, offset, special ? 0 : Math.floorDiv(ns, NANOS));
        times.set(ValueLayout.JAVA_LONG, offset + 8, special ? nanos : Math.floorMod(ns, NANOS));
    }
}
