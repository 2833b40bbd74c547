package io.chagres.ship.follow;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.log.CommitLog;
import io.chagres.archive.log.DamagedLogException;
import io.chagres.ship.commit.StoreHealth;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Looks once in an interval whether the last commit that was acknowledged is still in the store, and at once when
 * somebody waits for the answer: a log that somebody deleted or set back to an earlier day is not safe, a commit that
 * the store does not confirm is not known to be, and nobody could read commits appended behind a missing one. Confined
 * to the shipper's thread.
 */
public final class LogPresence {
    /** A missing object is looked for again after this part of the interval: no answer of a store is the last word. */
    private static final long SOON = 6;

    /** The same while somebody waits. */
    private static final long DEMANDED_MS = 500;

    private static final int TRIES = 2;

    private final CommitLog log;
    private final Offload offload;
    private final StoreHealth health;
    private long acknowledged;
    private long lookedMs = Long.MIN_VALUE;
    private long heardMs = Long.MIN_VALUE;
    private long lookedFor;
    private int missed;
    private @Nullable CorruptArchiveException missing;

    private boolean demanded;
    /** How often it was demanded: a look that began before says nothing. */
    private int demands;

    private long wanted;
    /** The last commit that was found since it was demanded; -1 for none. */
    private long found = -1;

    private boolean failed;
    private @Nullable IOException refusal;
    /** Whether the last look told the health of the store. */
    private boolean told;

    /** Prepares to look for the last commit that a log has; {@code offload} runs nothing else. */
    public LogPresence(CommitLog log, Offload offload, StoreHealth health) {
        this.log = log;
        this.offload = offload;
        this.health = health;
        acknowledged = log.seq();
    }

    /** Returns when the last look began that was answered; {@link Long#MIN_VALUE} before the first. */
    public long heardMs() {
        return heardMs;
    }

    /** Returns up to which commit data objects were looked for. */
    public long lookedFor() {
        return log.lookedForUpTo();
    }

    /** Somebody waits to hear that the acknowledged commits are in the store now. */
    public void demand() {
        demanded = true;
        demands++;
        wanted = acknowledged;
        found = -1;
    }

    /** Nobody waits. */
    public void demandNothing() {
        demanded = false;
    }

    /** Says whether somebody waits. */
    public boolean isDemanded() {
        return demanded;
    }

    /** Somebody waits for a commit that was acknowledged later as well. */
    public void want(long seq) {
        wanted = Math.max(wanted, seq);
    }

    /** Says whether somebody waits, and a look that began after the demand found the commit that is wanted. */
    public boolean isFound() {
        return demanded && found >= wanted;
    }

    /**
     * Looks when it is time.
     *
     * @param intervalMs how often, in milliseconds
     * @param seq the last commit that was acknowledged
     * @param alone whether nothing else asks the store, so that nothing else would notice that it refuses
     * @throws DamagedLogException when one was looked for twice and is gone
     */
    public void step(long nowMs, long intervalMs, long seq, boolean alone) throws DamagedLogException {
        offload.step();
        if (missing != null && missed == TRIES) {
            throw new DamagedLogException(missing);
        }
        tell(nowMs, alone);
        acknowledged = Math.max(acknowledged, seq);
        lookedMs = lookedMs == Long.MIN_VALUE ? nowMs : lookedMs;
        if (offload.isIdle() && isDue(nowMs, intervalMs)) {
            lookedMs = nowMs;
            lookedFor = missed > 0 ? lookedFor : acknowledged;
            long of = lookedFor;
            int demand = demands;
            boolean whole = demanded; // a look that nobody waits for reads nothing
            offload.start(() -> look(of, whole), kept -> kept(of, demand), this::failed);
        }
    }

    private boolean isDue(long nowMs, long intervalMs) {
        boolean again = missed > 0 || failed;
        if (demanded && !isFound()) {
            return !again || nowMs - lookedMs >= DEMANDED_MS;
        }
        return nowMs - lookedMs >= (again ? intervalMs / SOON : intervalMs);
    }

    private boolean look(long of, boolean whole) throws IOException {
        log.requireKept(of, whole);
        return true;
    }

    private void kept(long of, int demand) {
        missed = 0;
        failed = false;
        heardMs = lookedMs;
        found = demand == demands ? Math.max(found, of) : found;
    }

    private void failed(IOException cause) {
        if (cause instanceof CorruptArchiveException gone) { // a store that does not answer has lost nothing
            missing = gone;
            missed++;
        } else {
            failed = true;
            refusal = cause;
        }
    }

    /** A store that is not asked for anything else is one that refuses when it does not answer this. */
    private void tell(long nowMs, boolean alone) {
        IOException cause = refusal;
        refusal = null;
        if (cause != null && alone) {
            health.refused(this, cause, nowMs);
            told = true;
        } else if (told && !failed) {
            told = false;
            health.accepted(this, nowMs);
        }
    }
}
