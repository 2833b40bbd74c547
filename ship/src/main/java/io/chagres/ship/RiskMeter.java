package io.chagres.ship;

import io.chagres.ship.file.FileQueue;
import io.chagres.ship.file.Tail;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Measures what would be lost if the machine died now. Only files with bytes at risk are looked at, so idle files cost
 * nothing. Confined to the shipper's thread.
 */
final class RiskMeter {
    private final ShipParts parts;
    private final FileQueue active = new FileQueue(FileQueue.For.SAFETY);

    RiskMeter(ShipParts parts) {
        this.parts = parts;
    }

    /** Looks after a tail that may have bytes at risk. */
    void watch(Tail tail) {
        if (tail.riskBytes() > 0) {
            active.add(tail);
        }
    }

    /** Returns the status of this moment. Allocates the record. */
    ShipStatus measure(long nowMs, boolean scanning) {
        long bytes = parts.outsideBytes();
        long heldBack = 0;
        long oldest = Long.MAX_VALUE;
        for (int left = active.size(); left > 0; left--) {
            Tail tail = Objects.requireNonNull(active.poll());
            long atRisk = tail.riskBytes();
            if (atRisk == 0) {
                continue;
            }
            active.add(tail);
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
                totalBytes() - bytes + parts.outsideBytes(),
                parts.pipeline.commits(),
                parts.health.errors(),
                scanning,
                parts.health.trouble(nowMs));
    }

    /** Returns the files that have been at risk for longest, at most some. Allocates. */
    List<FileRisk> files(long nowMs, int most) {
        List<FileRisk> files = new ArrayList<>();
        for (Tail tail : active) {
            if (tail.riskBytes() > 0) {
                long since = tail.bytes.riskSinceMs();
                long age = since == 0 ? 0 : Math.max(0, nowMs - since);
                files.add(new FileRisk(tail.describe(), tail.riskBytes(), age, tail.bytes.size()));
            }
        }
        files.sort(Comparator.comparingLong(FileRisk::riskMs).reversed().thenComparing(FileRisk::path));
        return List.copyOf(files.subList(0, Math.min(most, files.size())));
    }

    private long totalBytes() {
        long total = 0;
        for (Tail tail : parts.table.all()) {
            total += tail.bytes.size();
        }
        return total;
    }
}
