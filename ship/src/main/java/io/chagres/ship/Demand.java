package io.chagres.ship;

import io.chagres.ship.file.FileQueue;
import io.chagres.ship.file.Tail;

/**
 * What a drain, a stop and a run that ships once wait for, all by this one rule: what is in the files at a moment is in
 * commits, trailing zeros and half lines included; what was shipped is proven; and the store, which is asked, still has
 * the last commit. Confined to the shipper's thread.
 */
final class Demand {
    /** How far the files have come. */
    enum Reading {
        GOES_ON,
        /** Nothing is left but files that cannot be read. */
        REFUSED,
        DONE
    }

    private final ShipParts parts;
    /** Whether all files were found read and compared, and nothing happened since. */
    private boolean isRead;

    Demand(ShipParts parts) {
        this.parts = parts;
    }

    /** From now on takes bytes too that would else wait for more, such as half a line. */
    void release() {
        parts.tailer.release = true;
    }

    /** Begins: somebody waits from now on, and the demand is known after a scan. */
    void begin() {
        isRead = false;
        release();
        parts.presence.demand();
    }

    /** Demands everything that is in the files now: later bytes are not waited for. */
    void ofAll(long nowMs) {
        isRead = false;
        parts.dentries.retryUnreadable();
        parts.verifier.demand(nowMs);
        for (Tail tail : parts.table.all()) {
            tail.demand(parts.tailer.sizeNow(tail));
            parts.files.enqueue(tail);
        }
    }

    /**
     * Demands what a run that ships once has seen: each file as it was at some moment since the run began. A file that
     * was looked at again after it was read need no longer be opened.
     */
    void ofSeen(long sinceMs) {
        isRead = false;
        parts.dentries.retryUnreadable();
        parts.verifier.demand(sinceMs);
        for (Tail tail : parts.table.objects()) {
            tail.demand(tail.size());
            if (tail.mayHoldMore() || !parts.verifier.isSatisfied(tail)) {
                parts.files.enqueue(tail);
            }
        }
    }

    /** Says whether all bytes that are demanded were read and compared; sees to it that the rest is. */
    Reading reading() {
        if (isRead) {
            return Reading.DONE;
        }
        Reading reading = Reading.DONE;
        for (Tail tail : parts.table.objects()) {
            boolean isRead = tail.missingBytes() == 0 || (tail.fd() == null && !tail.waits(FileQueue.For.TURN));
            if (isRead && parts.verifier.isSatisfied(tail)) {
                continue;
            }
            if (!tail.isRefused()) {
                parts.files.enqueue(tail);
                reading = Reading.GOES_ON;
            } else if (reading == Reading.DONE) {
                reading = Reading.REFUSED;
            }
        }
        isRead = reading == Reading.DONE;
        return reading;
    }

    /** Notes how much was done: after any work there may be more to read. */
    void changedBy(int work) {
        isRead &= work == 0;
    }

    /** Says whether the store was asked since the demand, and has a commit that was acknowledged. */
    boolean isKept(long seq) {
        parts.presence.want(seq);
        return parts.presence.isFound();
    }

    /** Says whether somebody waits, and the store has not said that it has what it acknowledged. */
    boolean isUnconfirmed() {
        return parts.presence.isDemanded() && !parts.presence.isFound();
    }

    /** Ends it: the shipper continues. */
    void end() {
        parts.tailer.release = false;
        parts.presence.demandNothing();
        parts.verifier.demandNothing();
    }
}
