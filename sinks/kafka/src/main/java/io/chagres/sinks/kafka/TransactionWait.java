package io.chagres.sinks.kafka;

import io.chagres.forward.SinkException;
import io.chagres.linux.MonotonicClock;
import java.util.function.Consumer;

/**
 * How long to wait for other transactions that keep a host's positions from being read. After a wait in vain the next
 * wait lasts no longer than an answer takes, since other hosts want their turn. Confined to one thread.
 */
final class TransactionWait {
    /** Longer than a transaction can be open by default. */
    static final long USUAL_MS = 120_000;

    private static final long TELL_MS = 10_000;
    private static final long SHORT_MS = 1_000;
    private static final long RETRY_MS = 5_000;

    private final long usualMs;
    private final Consumer<String> warnings;
    private String host = "";
    private long sinceMs;
    private long lookMs;
    private boolean told;
    private boolean exhausted;

    /** Finds out whose transaction it is; empty when none is open. */
    @FunctionalInterface
    interface Blocker {
        String find() throws SinkException;
    }

    /**
     * Has waited for nobody yet.
     *
     * @param usualMs how long to wait the first time
     * @param warnings hears once per opening, well before the end, what the wait is for
     */
    TransactionWait(long usualMs, Consumer<String> warnings) {
        this.usualMs = usualMs;
        this.warnings = warnings;
    }

    /** A host is opened. */
    void begin(String title) {
        host = title;
        told = exhausted; // the end of the last attempt need not be said again
        progress();
    }

    /** Something was read. */
    void progress() {
        sinceMs = MonotonicClock.nowMs();
        lookMs = sinceMs + (exhausted ? SHORT_MS : Math.min(TELL_MS, usualMs));
    }

    /** All was read. */
    void end() {
        exhausted = false;
    }

    /**
     * Nothing more can be read for now.
     *
     * @throws SinkException when the wait is over; it names the one that was waited for
     */
    void check(Blocker blocker) throws SinkException {
        long nowMs = MonotonicClock.nowMs();
        if (nowMs < lookMs) {
            return;
        }
        String who = blocker.find();
        boolean enough = nowMs - sinceMs >= usualMs;
        if (enough || (exhausted && !who.isEmpty())) {
            exhausted = true;
            throw new SinkException(
                    "Kafka: " + (who.isEmpty() ? "the positions were not read in " + usualMs / 1000 + " s" : who),
                    RETRY_MS);
        }
        if (!told && !who.isEmpty()) {
            told = true;
            warnings.accept(host + " waits: " + who);
        }
        lookMs = Math.min(nowMs + TELL_MS, sinceMs + usualMs);
    }
}
