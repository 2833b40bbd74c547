package io.chagres.ship;

import java.util.List;

/**
 * The status as other threads see it. The loop that ships publishes it, at most a few times a second; it says when it
 * will be back, so that others notice a loop that hangs in a call. Confined to the shipper's thread where nothing else
 * is said.
 */
final class PublishedStatus {
    /** A loop that is in one call for so long hangs, in milliseconds. */
    static final long HANGS_MS = 10_000;

    private static final long EVERY_MS = 200;
    /** How old a status gets while nothing changes: the ages in it are of its moment. */
    private static final long QUIET_MS = 5_000;
    /** A status sums up the sizes of all files that do not rest: the more there are, the rarer it is. */
    private static final int FILES_PER_MS = 200;

    private static final int FILES_TOLD = 50;

    private final SteadyClock clock;
    private final RiskMeter risk;
    private volatile ShipStatus status = ShipStatus.UNKNOWN;
    private volatile boolean filesWanted;
    private volatile List<FileRisk> filesAtRisk = List.of();
    /** For how long the loop waits for events at most. */
    private volatile long waitMs;

    private long nextMs;
    private boolean changed = true;
    private boolean over;

    /** Begins with nothing known, and with a loop that is about to take its first step. */
    PublishedStatus(SteadyClock clock, RiskMeter risk) {
        this.clock = clock;
        this.risk = risk;
        clock.getAsLong();
    }

    /** The loop waits for a time at most, or is back with 0; returns the time. */
    int waits(int ms) {
        if (!over) {
            clock.getAsLong();
            waitMs = ms;
        }
        return ms;
    }

    /** No step follows. */
    void ends() {
        over = true;
        waitMs = Long.MAX_VALUE;
    }

    /** Something moved since the last status, or nothing did. */
    void changes(boolean moved) {
        changed |= moved;
    }

    /**
     * Publishes the status when its time has come.
     *
     * @param last whether no other follows
     */
    void publish(long nowMs, boolean last, boolean scanning) {
        if (last) {
            ends();
        }
        if (last || nowMs >= nextMs + (changed ? 0 : QUIET_MS)) {
            status = risk.measure(nowMs, scanning);
            if (filesWanted) {
                filesWanted = false;
                filesAtRisk = risk.files(nowMs, FILES_TOLD);
            }
            nextMs = nowMs + EVERY_MS + risk.summedUp() / FILES_PER_MS;
            changed = !status.owesNothing();
        }
    }

    /** Returns the last one that was published. */
    ShipStatus last() {
        return status;
    }

    /** Returns what is known at this moment, see {@link Shipper#status}. Safe for any thread. */
    ShipStatus now() {
        long ms = hangsForMs();
        return ms == 0 ? status : status.silent(ms);
    }

    /** Returns for how long the loop hangs, see {@link Shipper#hangsForMs}. Safe for any thread. */
    long hangsForMs() {
        long ms = clock.askedAgoMs() - waitMs;
        return ms < HANGS_MS ? 0 : ms;
    }

    /** Returns the files at risk as of when somebody asked last, and has them looked at again. Safe for any thread. */
    List<FileRisk> filesAtRisk() {
        filesWanted = true;
        return status.riskBytes() == 0 ? List.of() : filesAtRisk;
    }
}
