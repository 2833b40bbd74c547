package io.chagres.ship;

import java.util.ArrayList;
import java.util.List;

/**
 * Measures what would be lost if the machine died now. Only files with bytes at risk are looked at, so idle files cost
 * nothing. Confined to the shipper's thread.
 */
final class RiskMeter {
    private final ShipParts parts;
    private final List<Tail> active = new ArrayList<>();

    RiskMeter(ShipParts parts) {
        this.parts = parts;
    }

    /** Looks after a tail that may have bytes at risk. */
    void watch(Tail tail) {
        if (!tail.active && tail.riskBytes() > 0) {
            tail.active = true;
            active.add(tail);
        }
    }

    /** Returns the status of this moment. Allocates the record. */
    ShipStatus measure(long nowMs, boolean scanning) {
        long bytes = parts.names.unreadableBytes() + parts.openFiles.lostBytes();
        long heldBack = 0;
        long oldest = Long.MAX_VALUE;
        for (int i = active.size() - 1; i >= 0; i--) {
            Tail tail = active.get(i);
            long atRisk = tail.riskBytes();
            if (atRisk == 0) {
                tail.active = false;
                active.set(i, active.getLast());
                active.removeLast();
                continue;
            }
            bytes += atRisk;
            heldBack += tail.bytes.heldBackBytes();
            if (tail.bytes.riskSinceMs() != 0) {
                oldest = Math.min(oldest, tail.bytes.riskSinceMs());
            }
        }
        long unverified = parts.verifier.unprovenBytes();
        if (parts.verifier.isDemanded()) { // who drains wants to know what is proven
            bytes += unverified;
            unverified = 0;
        }
        return new ShipStatus(
                parts.table.size(),
                parts.pipeline.acknowledgedBytes(),
                scanning ? -1 : bytes,
                oldest == Long.MAX_VALUE ? 0 : Math.max(0, nowMs - oldest),
                heldBack,
                unverified,
                parts.names.unreadableFiles(),
                totalBytes(),
                totalBytes() - bytes + parts.names.unreadableBytes(),
                parts.pipeline.commits(),
                parts.health.errors(),
                scanning,
                parts.health.trouble(nowMs));
    }

    private long totalBytes() {
        long total = 0;
        for (Tail tail : parts.table.all()) {
            total += tail.bytes.size();
        }
        return total;
    }
}
