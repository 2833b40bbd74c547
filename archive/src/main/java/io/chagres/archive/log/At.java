package io.chagres.archive.log;

/**
 * Says up to which moment of a host's history to read. Immutable.
 *
 * @param seq the last commit to apply
 * @param timeMs only commits cut at or before this time, milliseconds since 1970
 */
public record At(long seq, long timeMs) {
    /** Everything there is. */
    public static final At NOW = new At(Long.MAX_VALUE, Long.MAX_VALUE);

    /** Returns the state at a time: after the last commit cut at or before it. */
    public static At time(long timeMs) {
        return new At(Long.MAX_VALUE, timeMs);
    }

    /** Returns the state after a commit. */
    public static At seq(long seq) {
        return new At(seq, Long.MAX_VALUE);
    }
}
