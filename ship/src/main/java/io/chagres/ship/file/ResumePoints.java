package io.chagres.ship.file;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.RunListener;
import io.chagres.linux.Pathname;
import io.chagres.ship.bytes.Crc32cMath;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.copy.Origins;
import io.chagres.watch.FileIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Collects from the log where every version goes on: as commits are applied it joins the checksums of their runs, so
 * that what it keeps is small however many commits there were. Confined to one thread.
 */
public final class ResumePoints implements RunListener {
    /**
     * A version whose file was truncated or rewritten: what a copy of it has behind its end may be added to it.
     *
     * @param path a name the file had
     * @param mtimeNs when the file was changed that way: what was written to a copy later is the copy's own
     * @param endedMs when that was committed
     */
    record Cut(
            long versionId,
            FileIdentity identity,
            PrefixChecksums prefix,
            Origins origins,
            Pathname path,
            long mtimeNs,
            long endedMs) {}

    private record Collected(PrefixChecksums prefix, Origins origins, long openedMtimeNs) {}

    private final boolean endsAtLosses;
    private final Set<Long> ended = new HashSet<>();
    private final Set<Long> unreadable = new HashSet<>();
    // emptied by making them anew: a map keeps the table of what was in it
    private Map<Long, Collected> collected = new HashMap<>();
    private Map<FileIdentity, List<ResumePoint>> points = new HashMap<>();
    /** By the last name, once somebody asks for that; some may be claimed since. */
    private @Nullable Map<Pathname, FileIdentity> byPath;
    /** By the version that followed. */
    private final Map<Long, Cut> cuts = new HashMap<>();

    /** Knows nothing yet. */
    public ResumePoints() {
        this(false);
    }

    /**
     * Knows nothing yet.
     *
     * @param endsAtLosses whether a version goes on where the first of its bytes were lost; else what was lost looks
     *     like other bytes than those of the file, which is then shipped again
     */
    public ResumePoints(boolean endsAtLosses) {
        this.endsAtLosses = endsAtLosses;
    }

    @Override
    public void opened(LogRecord.VersionOpened opened) {
        collected.put(
                opened.versionId(),
                new Collected(
                        new PrefixChecksums(opened.startPosition()),
                        new Origins(),
                        opened.attributes().mtimeNs()));
    }

    @Override
    public void extent(LogRecord.Extent extent) {
        Collected version = Objects.requireNonNull(collected.get(extent.versionId()));
        boolean lost = extent instanceof LogRecord.CopyRun copy && copy.isLost()
                || extent instanceof LogRecord.Run run && unreadable.contains(run.seq());
        if (endsAtLosses && (lost && ended.add(extent.versionId()) || ended.contains(extent.versionId()))) {
            return;
        }
        if (!(extent instanceof LogRecord.CopyRun) && version.origins().end() == extent.start()) {
            version.prefix().split(); // what is behind the end of a copy may be repeated by itself
        }
        switch (extent) {
            case LogRecord.Run run -> version.prefix().append(run.length(), run.crc());
            case LogRecord.PackedRun run -> version.prefix().append(run.length(), run.crc());
            case LogRecord.ObjectRun run -> object(version.prefix(), run);
            case LogRecord.ZeroRun run -> version.prefix().append(run.length(), Crc32cMath.ofZeros(run.length()));
            case LogRecord.CopyRun run -> {
                version.prefix().append(run.length(), run.crc());
                if (!lost) {
                    version.origins().append(run.start(), run.end(), run.sourceVersion());
                }
            }
        }
    }

    @Override
    public void restart() {
        collected.clear();
        ended.clear();
    }

    /** Notes that a commit cannot be read: the bytes that it holds count as lost, though others tell of them. */
    public void unreadable(long seq) {
        unreadable.add(seq);
    }

    /** Returns where a version goes on; before {@link #keep}. */
    public long end(long versionId) {
        Collected version = collected.get(versionId);
        return version == null ? 0 : version.prefix().end();
    }

    /** Takes over what is known of the bytes before those of this log, of versions that another log began. */
    public void takeOver(ResumePoints before) {
        Map<Long, ResumePoint> known = new HashMap<>();
        before.points.values().forEach(each -> each.forEach(point -> known.put(point.versionId(), point)));
        points.values()
                .forEach(each -> each.replaceAll(point -> {
                    ResumePoint old = known.get(point.versionId());
                    boolean same =
                            old != null && old.prefix().end() == point.prefix().end();
                    return same && old != null
                            ? new ResumePoint(
                                    point.versionId(),
                                    old.prefix(),
                                    point.origins(),
                                    point.attributes(),
                                    point.lastPath(),
                                    point.isGrowing(),
                                    point.isNamed())
                            : point;
                }));
    }

    private static void object(PrefixChecksums prefix, LogRecord.ObjectRun run) {
        for (int i = 0; i < run.crcs().length; i++) {
            long start = run.start() + (long) i * PrefixChecksums.PIECE_BYTES;
            prefix.append(Math.min(PrefixChecksums.PIECE_BYTES, run.end() - start), run.crcs()[i]);
        }
    }

    /** Keeps the versions that may still grow, and those before them, once the whole log was applied. */
    public void keep(HostState state) {
        for (FileVersion version : state.versions()) {
            Collected found = collected.get(version.id());
            if (found != null && mayGrow(version)) {
                FileIdentity identity = identity(version);
                points.computeIfAbsent(identity, k -> new ArrayList<>(1))
                        .add(new ResumePoint(
                                version.id(),
                                found.prefix(),
                                found.origins(),
                                version.attributes(),
                                version.lastPath(),
                                version.nameCount() > 0 || version.state() == FileVersion.State.GROWING,
                                version.nameCount() > 0));
                FileVersion before = state.version(version.previousVersion());
                Collected cut = collected.get(version.previousVersion());
                if (before != null && cut != null && before.isOver()) {
                    cuts.put(version.id(), cut(before, cut, found.openedMtimeNs()));
                }
            }
        }
        collected = new HashMap<>();
    }

    private static Cut cut(FileVersion version, Collected found, long mtimeNs) {
        Pathname last = version.lastPath();
        return new Cut(
                version.id(),
                identity(version),
                found.prefix(),
                found.origins(),
                last == null ? version.openedPath() : last,
                mtimeNs,
                version.changedMs());
    }

    private static FileIdentity identity(FileVersion version) {
        return new FileIdentity(
                version.key().fsHigh(),
                version.key().fsLow(),
                version.key().inode(),
                version.key().generation());
    }

    /** Takes the versions that ended since a time and that others followed, by the id of the follower. */
    Map<Long, Cut> takeCuts(long sinceMs) {
        Map<Long, Cut> recent = new HashMap<>(cuts);
        recent.values().removeIf(cut -> cut.endedMs() < sinceMs);
        cuts.clear();
        return recent;
    }

    /** Returns how many versions may go on. */
    public int count() {
        return points.values().stream().mapToInt(List::size).sum();
    }

    /** Gives all versions that nobody has claimed. */
    void unclaimed(BiConsumer<FileIdentity, ResumePoint> to) {
        points.forEach((identity, all) -> all.forEach(each -> to.accept(identity, each)));
    }

    private static boolean mayGrow(FileVersion version) {
        return switch (version.state()) {
            case GROWING, SEALED -> true;
            case TRUNCATED, REWRITTEN, GONE -> false;
        };
    }

    /** Puts back where a file went on that may be found again under another name. */
    public void put(Tail tail, @Nullable Pathname lastPath) {
        points.computeIfAbsent(tail.identity(), k -> new ArrayList<>(1))
                .add(new ResumePoint(
                        tail.versionId, tail.bytes().prefix(), tail.origins(), tail.recorded(), lastPath, false, false));
    }

    /** Says whether a version waits for a file with this identity. */
    public boolean holds(FileIdentity identity) {
        return points.containsKey(identity);
    }

    /**
     * Takes the version a file goes on with: of several with one identity (mounted copies of one image) the one that
     * had this name last, else the newest.
     */
    @Nullable
    public ResumePoint claim(FileIdentity identity, Pathname path) {
        List<ResumePoint> candidates = points.get(identity);
        if (candidates == null) {
            return null;
        }
        ResumePoint best = candidates.getLast();
        for (ResumePoint each : candidates) {
            if (path.equals(each.lastPath())) {
                best = each;
            }
        }
        candidates.remove(best);
        if (candidates.isEmpty()) {
            points.remove(identity);
            points = points.isEmpty() ? new HashMap<>() : points;
        }
        return best;
    }

    /**
     * Takes the version of a file whose identity nobody knows, by the name it had last.
     *
     * @param isSame says whether the file holds what the archive has of a version
     */
    @Nullable
    public ResumePoint claimAt(Pathname path, Predicate<ResumePoint> isSame) {
        if (points.isEmpty()) {
            byPath = null;
            return null;
        }
        if (byPath == null) {
            byPath = new HashMap<>();
            for (var each : points.entrySet()) {
                for (ResumePoint point : each.getValue()) {
                    if (point.isNamed() && point.lastPath() != null) {
                        byPath.put(point.lastPath(), each.getKey());
                    }
                }
            }
        }
        FileIdentity identity = byPath.get(path);
        if (identity != null) {
            for (ResumePoint each : points.getOrDefault(identity, List.of())) {
                if (path.equals(each.lastPath()) && isSame.test(each)) {
                    return claim(identity, path);
                }
            }
        }
        return null;
    }
}
