package io.chagres.ship;

import io.chagres.foreign.ErrnoException;
import io.chagres.ship.file.Tail;

/**
 * Commits at once all that is there when it is asked for, without regard to the lag, and continues: for a machine that
 * knows that it will vanish. Confined to the shipper's thread but for {@link #request}.
 */
final class Flush {
    private static final long TELL_MS = 200;

    /** How far a flush has come. */
    private enum Step {
        NONE,
        SCANNING,
        /** The bytes that files held when they were scanned are read and compared. */
        READING,
        /** The bytes collected until then are committed: also those of files which have ended meanwhile. */
        COMMITTING,
        DELIVERING,
        /** The store is asked whether it has it. */
        CONFIRMING
    }

    private final ShipParts parts;
    private volatile boolean requested;
    private Step step = Step.NONE;
    private long begun;
    private long done;
    private long neededCommits;
    private long neededSeq;
    private long nextTellMs;
    private boolean unheard;

    Flush(ShipParts parts) {
        this.parts = parts;
        begun = parts.state == null ? 0 : parts.state.flushes();
        done = begun;
    }

    /** Asks for a flush; one that is under way does not answer it. Safe for any thread. */
    void request() {
        requested = true;
        parts.watcher.wakeup();
    }

    boolean isUnderWay() {
        return step != Step.NONE;
    }

    /** Says whether somebody waits for one. */
    boolean isAsked() {
        return requested || isUnderWay();
    }

    /** Takes one step while the shipper runs; returns whether anything moved. */
    boolean step(long nowMs, RiskMeter risk) {
        Step before = step;
        switch (step) {
            case NONE -> {
                if (requested) {
                    requested = false;
                    begun++;
                    parts.demand.begin();
                    parts.watcher.rescan();
                    step = Step.SCANNING;
                }
            }
            case SCANNING -> {
                if (!parts.isScanning()) {
                    scanned(nowMs);
                }
            }
            case READING -> {
                if (parts.demand.reading() == Demand.Reading.DONE) {
                    neededCommits = parts.pipeline.commitsWithAllSoFar();
                    step = Step.COMMITTING;
                }
            }
            case COMMITTING -> {
                if (parts.pipeline.commits() >= neededCommits) {
                    neededSeq = parts.pipeline.acknowledgedSeq();
                    step = Step.DELIVERING;
                }
            }
            case DELIVERING -> {
                if (parts.undelivered.hasDelivered(neededSeq)) {
                    step = Step.CONFIRMING;
                }
            }
            case CONFIRMING -> {
                if (parts.demand.isKept(neededSeq)) {
                    done = begun;
                    step = Step.NONE;
                }
            }
        }
        if (step != before || (step != Step.NONE && nowMs >= nextTellMs)) {
            ShipStatus status = risk.measure(nowMs, step == Step.SCANNING);
            tell(step == Step.SCANNING ? -1 : leftBytes(), status);
            nextTellMs = nowMs + TELL_MS;
            if (step == Step.NONE) {
                parts.demand.end();
            }
        }
        return step != before;
    }

    /** The shipper ends: its last status answers everybody who waits. */
    void end(ShipStatus last) {
        if (requested || step != Step.NONE) {
            begun += requested ? 1 : 0;
            done = begun;
            requested = false;
            step = Step.NONE;
            tell(last.riskBytes(), last);
        }
    }

    private void scanned(long nowMs) {
        parts.demand.ofAll(nowMs);
        parts.dentries.flushChanged();
        step = Step.READING;
    }

    private long leftBytes() {
        if (parts.isRiskUnknown()) {
            return -1;
        }
        long left = parts.outsideBytes() + parts.undelivered.bytes();
        for (Tail tail : parts.table.objects()) {
            left += tail.missingBytes() + parts.verifier.unverifiedBytes(tail);
        }
        boolean isOwed = parts.demand.isUnconfirmed()
                || !parts.dentries.unreadable().all().isEmpty();
        return left == 0 && isOwed ? -1 : left;
    }

    private void tell(long leftBytes, ShipStatus status) {
        StateDirectory state = parts.state;
        if (state == null) {
            return;
        }
        try {
            state.answer(new FlushAnswer(begun, done, leftBytes, status.riskBytes(), status.riskMs()));
            unheard = false;
        } catch (ErrnoException e) {
            if (unheard) {
                return; // said already
            }
            unheard = true;
            parts.health.problem("the state directory cannot be written (" + e.getMessage()
                    + "); the flush continues, 'chagres drain' does not hear of it");
        }
    }
}
