package io.chagres.archive.state;

/**
 * Says up to which moment of a host's history to read. Immutable.
 *
 * @param seq the last commit to apply
 * @param timeMs only commits cut at or before this time, milliseconds since 1970
 */
public record PointInTime(long seq, long timeMs) {
    /** Everything there is. */
    public static final PointInTime NOW = new PointInTime(Long.MAX_VALUE, Long.MAX_VALUE);

    /** Returns the state at a time: after the last commit cut at or before it. */
    public static PointInTime time(long timeMs) {
        return new PointInTime(Long.MAX_VALUE, timeMs);
    }

    /** Returns the state after a commit. */
    public static PointInTime seq(long seq) {
        return new PointInTime(seq, Long.MAX_VALUE);
    }
}
