package io.chagres.linux;

import io.chagres.foreign.Frame;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Times to {@code struct timespec}, see {@link FileTimes}. */
final class Timespecs {
    private static final long UTIME_NOW = (1L << 30) - 1;
    private static final long UTIME_OMIT = (1L << 30) - 2;

    /** Stands for the present time of the kernel. */
    static final long NOW = Long.MAX_VALUE;

    /** Stands for no change. */
    static final long OMIT = Long.MIN_VALUE;

    private Timespecs() {}

    /** Lays out access and modification time for utimensat(2): times, {@link #NOW} or {@link #OMIT}. */
    static MemorySegment pair(Frame frame, long atimeNs, long mtimeNs) {
        MemorySegment times = frame.allocate(32, 8);
        put(times, 0, atimeNs);
        put(times, 16, mtimeNs);
        return times;
    }

    private static void put(MemorySegment times, long offset, long time) {
        boolean special = time == OMIT || time == NOW;
        long nanos = time == OMIT ? UTIME_OMIT : UTIME_NOW;
        times.set(ValueLayout.JAVA_LONG, offset, special ? 0 : FileTimes.seconds(time));
        times.set(ValueLayout.JAVA_LONG, offset + 8, special ? nanos : FileTimes.nanos(time));
    }
}
