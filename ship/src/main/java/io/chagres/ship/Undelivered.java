package io.chagres.ship;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The bytes that the store has acknowledged and nobody has delivered from there: in a spool they are still at risk. The
 * shipper adds the acknowledged bytes, another thread says which of them it delivered; safe for any thread.
 */
public final class Undelivered {
    /** How far the log was acknowledged: all bytes up to a commit, and when the oldest new one was noticed. */
    private record Acknowledged(long seq, long bytes, long sinceMs) {}

    private final boolean expected;
    private final Hurry onHurry;
    private final Deque<Acknowledged> waiting = new ArrayDeque<>();
    private boolean known;
    private long reportedSeq;
    private long deliveredSeq = -1;
    private long deliveredBytes;
    private long leftBytes;
    private long leftSinceMs;
    private boolean hurried;

    /** Hears whether bytes that wait for more, such as half a line, shall be delivered as they are. */
    @FunctionalInterface
    public interface Hurry {
        /** Hears that it is wanted from now on, or no longer. */
        void hurry(boolean now);
    }

    private Undelivered(boolean expected, Hurry onHurry) {
        this.expected = expected;
        this.onHurry = onHurry;
    }

    /** Returns that of a store that is no spool: acknowledged is safe. */
    static Undelivered nothing() {
        return new Undelivered(false, now -> {});
    }

    /**
     * Begins with an unknown rest of earlier runs.
     *
     * @param onHurry hears on the shipper's thread
     */
    public static Undelivered ofSpool(Hurry onHurry) {
        return new Undelivered(true, onHurry);
    }

    /** Notes that the store has acknowledged a commit, and this number of bytes since the start. */
    synchronized void acknowledged(long seq, long bytes, long sinceMs) {
        if (expected && seq > reportedSeq) {
            waiting.addLast(new Acknowledged(seq, bytes, sinceMs));
        } else {
            deliveredBytes = bytes; // it was seen in the store before the answer came
        }
    }

    /**
     * Everything up to a commit is delivered, but for some bytes.
     *
     * @param seq the last commit that was looked at
     * @param left bytes of it and of those before it that still wait
     */
    public synchronized void delivered(long seq, long left) {
        known = true;
        reportedSeq = Math.max(reportedSeq, seq);
        long sinceMs = leftBytes > 0 ? leftSinceMs : 0;
        while (!waiting.isEmpty() && waiting.getFirst().seq() <= seq) {
            Acknowledged each = waiting.removeFirst();
            deliveredBytes = each.bytes();
            sinceMs = sinceMs == 0 ? each.sinceMs() : sinceMs;
        }
        leftBytes = left;
        leftSinceMs = left > 0 ? sinceMs : 0;
        if (left == 0) {
            deliveredSeq = Math.max(deliveredSeq, seq);
        }
    }

    /** Says whether acknowledged bytes must be delivered at all. */
    boolean isExpected() {
        return expected;
    }

    /** Returns how many bytes wait; -1 while that is not known. */
    public synchronized long bytes() {
        if (!expected) {
            return 0;
        }
        long since = waiting.isEmpty() ? 0 : waiting.getLast().bytes() - deliveredBytes;
        return known ? leftBytes + since : -1;
    }

    /** Returns since when the oldest of them wait, by the clock of the shipper; {@link Long#MAX_VALUE} for unknown. */
    synchronized long sinceMs() {
        if (leftBytes > 0 && leftSinceMs > 0) {
            return leftSinceMs;
        }
        return waiting.stream()
                .mapToLong(Acknowledged::sinceMs)
                .filter(each -> each > 0)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Says whether everything up to a commit is delivered. */
    synchronized boolean hasDelivered(long seq) {
        return !expected || deliveredSeq >= seq;
    }

    /** Wants bytes that wait for more delivered as they are, or lets them wait again. The shipper's thread. */
    void hurry(boolean now) {
        if (now != hurried) {
            hurried = now;
            onHurry.hurry(now);
        }
    }
}
