package io.chagres.ship;

import io.chagres.ship.file.FileQueue;
import io.chagres.ship.file.Tail;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

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
            if (atRisk > tail.bytes.heldBackBytes() && tail.bytes.riskSinceMs() != 0) {
                oldest = Math.min(oldest, tail.bytes.riskSinceMs());
            }
        }
        long unverified = parts.verifier.unprovenBytes();
        if (parts.verifier.isDemanded()) { // who drains wants to know what is proven
            bytes += unverified;
            unverified = 0;
        }
        long total = totalBytes();
        long archived = total - bytes + parts.outsideBytes();
        long undelivered = parts.undelivered.bytes();
        bytes += Math.max(0, undelivered);
        oldest = Math.min(oldest, parts.undelivered.sinceMs());
        return new ShipStatus(
                parts.table.size(),
                Math.max(0, parts.pipeline.acknowledgedBytes() - Math.max(0, undelivered)),
                scanning || parts.isRiskUnknown() ? -1 : bytes,
                oldest == Long.MAX_VALUE ? 0 : Math.max(0, nowMs - oldest),
                heldBack,
                unverified,
                parts.names.unreadableFiles(),
                parts.watcher.unreadable(),
                total,
                Math.max(0, archived - Math.max(0, undelivered)),
                parts.pipeline.commits(),
                parts.health.errors(),
                scanning,
                parts.health.trouble(nowMs));
    }

    /** Returns the files that have been at risk for longest, at most some. Allocates. */
    List<FileRisk> files(long nowMs, int most) {
        List<FileRisk> files = files(nowMs, tail -> true);
        files.sort(Comparator.comparingLong(FileRisk::riskMs).reversed().thenComparing(FileRisk::path));
        return List.copyOf(files.subList(0, Math.min(most, files.size())));
    }

    /** Returns the files at risk that have no name any more. Allocates. */
    List<FileRisk> nameless(long nowMs) {
        return files(nowMs, tail -> !tail.hasName());
    }

    private List<FileRisk> files(long nowMs, Predicate<Tail> which) {
        List<FileRisk> files = new ArrayList<>();
        for (Tail tail : active) {
            if (tail.riskBytes() > 0 && which.test(tail)) {
                long since = tail.bytes.riskSinceMs();
                long age = since == 0 ? 0 : Math.max(0, nowMs - since);
                files.add(new FileRisk(tail.describe(), tail.riskBytes(), age, tail.bytes.size()));
            }
        }
        return files;
    }

    private long totalBytes() {
        long total = 0;
        for (Tail tail : parts.table.all()) {
            total += tail.bytes.size();
        }
        return total;
    }
}
