package io.chagres.ship;

import io.chagres.linux.Pathname;
import io.chagres.ship.file.FileQueue;
import io.chagres.ship.file.Losses;
import io.chagres.ship.file.SourceVolume;
import io.chagres.ship.file.Tail;
import io.chagres.ship.file.UnreadableNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Measures how many bytes would be lost if the machine died now, and for how long the oldest byte of it has been owed:
 * whatever counts as bytes at risk, or makes their number unknown, has an age here. Only files with bytes at risk are
 * looked at, so idle files cost nothing. Confined to the shipper's thread.
 */
final class RiskMeter {
    private final ShipParts parts;
    private final FileQueue active = new FileQueue(FileQueue.For.SAFETY);

    /** How many files the last status summed up. */
    private int summedUp;

    private final OwedSince<Pathname> directories = new OwedSince<>();
    /** Commits that are filled or under way, by the number of those before: names are owed as bytes are. */
    private final OwedSince<Long> commits = new OwedSince<>();

    private final OwedSince<Elsewhere> elsewhere = new OwedSince<>();

    /** Debts that belong to no single file that is followed. */
    private enum Elsewhere {
        /** A directory is not scanned yet. */
        UNSEEN,
        /** Files went before they were read. */
        LOST,
        /** Bytes in a spool from earlier runs. */
        UNDELIVERED,
        /** Somebody waits for it to be compared. */
        UNPROVEN,
        /** Somebody waits for the store to say that it has the last commit. */
        UNCONFIRMED
    }

    RiskMeter(ShipParts parts) {
        this.parts = parts;
    }

    /** Looks after a tail that had a turn: it has bytes at risk, or may rest. */
    void watch(Tail tail, long nowMs) {
        if (tail.riskBytes() > 0) {
            active.add(tail);
        } else {
            tail.rest(nowMs);
        }
    }

    /** Lets the files rest that were acknowledged, and that wait for nothing else. */
    void acknowledged(long nowMs) {
        for (int left = active.size(); left > 0; left--) {
            watch(Objects.requireNonNull(active.poll()), nowMs);
        }
    }

    /** Returns the status of this moment. Allocates the record. */
    ShipStatus measure(long nowMs, boolean scanning) {
        long bytes = parts.outsideBytes();
        long heldBack = 0;
        long total = parts.table.restingBytes();
        long unverified = 0;
        summedUp = 0;
        for (SourceVolume volume : parts.table.volumes()) {
            FileQueue moving = volume.moving();
            summedUp += moving.size();
            for (int left = moving.size(); left > 0; left--) {
                Tail tail = Objects.requireNonNull(moving.poll());
                if (tail.isLive() && !tail.isResting()) {
                    moving.add(tail);
                    total += tail.size();
                    unverified += parts.verifier.unverifiedBytes(tail);
                }
            }
        }
        long oldest = elsewhereSinceMs(nowMs, scanning, unverified);
        for (int left = active.size(); left > 0; left--) {
            Tail tail = Objects.requireNonNull(active.poll());
            long atRisk = tail.riskBytes();
            if (atRisk == 0) {
                tail.rest(nowMs);
                continue;
            }
            active.add(tail);
            bytes += atRisk;
            heldBack += tail.bytes().heldBackBytes();
            oldest = Math.min(oldest, tail.bytes().owedSinceMs(nowMs));
        }
        if (parts.verifier.isDemanded()) { // a drain wants to know what is proven
            bytes += unverified;
            unverified = 0;
        }
        boolean unknown = scanning || parts.isRiskUnknown();
        long archived = total - bytes + parts.outsideBytes();
        long undelivered = parts.undelivered.bytes();
        bytes += Math.max(0, undelivered);
        return new ShipStatus(
                parts.table.size(),
                Math.max(0, parts.pipeline.acknowledgedBytes() - Math.max(0, undelivered)),
                unknown || (bytes == 0 && parts.demand.isUnconfirmed()) ? -1 : bytes,
                oldest == Long.MAX_VALUE ? 0 : Math.max(1, nowMs - oldest),
                heldBack,
                unknown ? -1 : unverified,
                parts.dentries.unreadable().files(),
                parts.watcher.unreadable(),
                total,
                Math.max(0, archived - Math.max(0, undelivered)),
                parts.pipeline.commits(),
                parts.health.errors(),
                scanning,
                parts.health.trouble(nowMs),
                parts.missing.count(),
                new Looks(parts.patrol.oldestLookMs(nowMs), parts.patrol.overdueFiles(nowMs)),
                lost(),
                parts.links.unfollowed(),
                parts.old.total());
    }

    /** Returns how many files the last status summed up. */
    int summedUp() {
        return summedUp;
    }

    /** Returns since when the oldest debt is owed that no tail knows; {@link Long#MAX_VALUE} when there is none. */
    private long elsewhereSinceMs(long nowMs, boolean scanning, long unverified) {
        long oldest = parts.undelivered.sinceMs();
        for (UnreadableNames.Unread each : parts.dentries.unreadable().all().values()) {
            oldest = Math.min(oldest, each.sinceMs());
        }
        oldest = Math.min(
                oldest, directories.oldest(parts.watcher.unreadablePaths().collect(Collectors.toSet()), nowMs));
        EnumSet<Elsewhere> owed = EnumSet.noneOf(Elsewhere.class);
        if (scanning) {
            owed.add(Elsewhere.UNSEEN);
        }
        if (parts.losses.bytes() > 0) {
            owed.add(Elsewhere.LOST);
        }
        if (parts.undelivered.bytes() != 0 && parts.undelivered.sinceMs() == Long.MAX_VALUE) {
            owed.add(Elsewhere.UNDELIVERED);
        }
        if (parts.verifier.isDemanded() && unverified > 0) {
            owed.add(Elsewhere.UNPROVEN);
        }
        if (parts.demand.isUnconfirmed()) {
            owed.add(Elsewhere.UNCONFIRMED);
        }
        return Math.min(oldest, Math.min(elsewhere.oldest(owed, nowMs), unacknowledgedSinceMs(nowMs)));
    }

    private long unacknowledgedSinceMs(long nowMs) {
        Set<Long> owed = LongStream.range(parts.pipeline.commits(), parts.pipeline.commitsWithAllSoFar())
                .boxed()
                .collect(Collectors.toSet());
        return commits.oldest(owed, nowMs);
    }

    private Lost lost() {
        Losses losses = parts.losses;
        return losses.files() == 0 ? Lost.NOTHING : new Lost(losses.files(), losses.bytes(), losses.latest());
    }

    /** Returns the files that have been at risk for longest, at most some. Allocates. */
    List<FileRisk> files(long nowMs, int most) {
        List<FileRisk> files = files(nowMs, tail -> true);
        parts.dentries.unreadable().all().forEach((name, each) -> {
            if (each.sizeBytes() > 0) {
                long age = Math.max(0, nowMs - each.sinceMs());
                files.add(new FileRisk(name.path().toString(), each.sizeBytes(), age, each.sizeBytes()));
            }
        });
        files.sort(Comparator.comparingLong(FileRisk::riskMs).reversed().thenComparing(FileRisk::path));
        return List.copyOf(files.subList(0, Math.min(most, files.size())));
    }

    /** Says which files at risk no longer have a name: nobody finds them again when the shipper ends. */
    void tellNameless(long nowMs) {
        for (FileRisk each : files(nowMs, tail -> !tail.hasName())) {
            parts.health.problem(each.path() + " no longer has a name: its " + each.riskBytes()
                    + " bytes that are not acknowledged are lost");
        }
    }

    private List<FileRisk> files(long nowMs, Predicate<Tail> which) {
        List<FileRisk> files = new ArrayList<>();
        for (Tail tail : active) {
            if (tail.riskBytes() > 0 && which.test(tail)) {
                long age = Math.max(0, nowMs - tail.bytes().owedSinceMs(nowMs));
                files.add(new FileRisk(tail.describe(), tail.riskBytes(), age, tail.size()));
            }
        }
        return files;
    }
}
