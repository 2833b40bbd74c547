package io.chagres.ship.follow;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.log.CommitLog;
import io.chagres.archive.log.DamagedLogException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Looks once in an interval whether the last commit that was acknowledged is still in the store: what somebody deleted
 * or set back to an earlier day is not safe, and what is appended behind it nobody could read. Confined to the
 * shipper's thread.
 */
public final class LogPresence {
    /** What is missing is looked for again after this part of the interval: no answer of a store is the last word. */
    private static final long SOON = 6;

    private static final int TRIES = 2;

    private final CommitLog log;
    private final Offload offload;
    private long acknowledged;
    private long lookedMs = Long.MIN_VALUE;
    private long lookedFor;
    private int missed;
    private @Nullable CorruptArchiveException missing;

    /** Prepares to look for the last commit that a log has; {@code offload} runs nothing else. */
    public LogPresence(CommitLog log, Offload offload) {
        this.log = log;
        this.offload = offload;
        acknowledged = log.seq();
    }

    /**
     * Looks when it is time.
     *
     * @param intervalMs how often, in milliseconds
     * @param seq the last commit that was acknowledged; 0 for none since the start
     * @throws DamagedLogException when one was looked for twice and is gone
     */
    public void step(long nowMs, long intervalMs, long seq) throws DamagedLogException {
        offload.step();
        if (missing != null && missed == TRIES) {
            throw new DamagedLogException(missing);
        }
        acknowledged = Math.max(acknowledged, seq);
        lookedMs = lookedMs == Long.MIN_VALUE ? nowMs : lookedMs;
        if (offload.isIdle() && nowMs - lookedMs >= (missed > 0 ? intervalMs / SOON : intervalMs)) {
            lookedMs = nowMs;
            lookedFor = missed > 0 ? lookedFor : acknowledged;
            long of = lookedFor;
            offload.start(() -> look(of), kept -> missed = 0, this::failed);
        }
    }

    private boolean look(long of) throws IOException {
        log.requireKept(of);
        return true;
    }

    private void failed(IOException cause) {
        if (cause instanceof CorruptArchiveException gone) { // a store that does not answer has lost nothing
            missing = gone;
            missed++;
        }
    }
}
