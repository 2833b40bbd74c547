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
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Collects from the log where every version continues: as commits are applied it joins the checksums of their runs, so
 * that what it keeps is small however many commits there were. Confined to one thread.
 */
public final class ResumePoints implements RunListener {
    /**
     * A version whose file was truncated or rewritten: bytes that a copy has behind its end may be added to it.
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

    private final boolean endsAtLosses;
    private final Set<Long> ended = new HashSet<>();
    private final Set<Long> unreadable = new HashSet<>();
    private CollectedVersions collected = new CollectedVersions();
    /** The versions of one inode, perhaps of several file systems, follow each other. */
    private final InodeTable<CollectedVersion> points = new InodeTable<>();

    private int count;
    private final List<SourceVolume> volumes = new ArrayList<>();
    private @Nullable Pathname lastDirectory;
    /** By the last name, once somebody asks for that; some may be claimed since. */
    private @Nullable Map<Pathname, FileIdentity> byPath;
    /** Cuts, by the version that followed. */
    private final Map<Long, Cut> cuts = new HashMap<>();

    /** Knows nothing yet. */
    public ResumePoints() {
        this(false);
    }

    /**
     * Knows nothing yet.
     *
     * @param endsAtLosses whether a version continues where its first bytes were lost; else the lost bytes look
     *     different from the file's, which is then shipped again
     */
    public ResumePoints(boolean endsAtLosses) {
        this.endsAtLosses = endsAtLosses;
    }

    @Override
    public void opened(LogRecord.VersionOpened opened) {
        collected.put(new CollectedVersion(
                opened.versionId(), opened.startPosition(), opened.attributes().mtimeNs()));
    }

    @Override
    public void extent(LogRecord.Extent extent) {
        CollectedVersion version = Objects.requireNonNull(collected.get(extent.versionId()));
        boolean lost = (extent instanceof LogRecord.CopyRun copy && copy.isLost())
                || (extent instanceof LogRecord.Run run && unreadable.contains(run.seq()));
        if (endsAtLosses && ((lost && ended.add(extent.versionId())) || ended.contains(extent.versionId()))) {
            return;
        }
        if (!(extent instanceof LogRecord.CopyRun) && version.origins().end() == extent.start()) {
            version.split(); // what is behind the end of a copy may be repeated by itself
        }
        switch (extent) {
            case LogRecord.Run run -> version.append(run.length(), run.crc());
            case LogRecord.PackedRun run -> version.append(run.length(), run.crc());
            case LogRecord.ObjectRun run -> object(version, run);
            case LogRecord.ZeroRun run -> version.append(run.length(), Crc32cMath.ofZeros(run.length()));
            case LogRecord.CopyRun run -> {
                version.append(run.length(), run.crc());
                if (!lost) {
                    version.appendOrigin(run.start(), run.end(), run.sourceVersion());
                }
            }
        }
    }

    @Override
    public void restart() {
        collected = new CollectedVersions();
        ended.clear();
    }

    /** Notes that a commit cannot be read: the bytes that it holds count as lost, even if other commits name them. */
    public void unreadable(long seq) {
        unreadable.add(seq);
    }

    /** Returns where a version continues; to be called before {@link #keep}. */
    public long end(long versionId) {
        CollectedVersion version = collected.get(versionId);
        return version == null ? 0 : version.end();
    }

    /** Takes over what is known of the bytes before those of this log, of versions that another log began. */
    public void takeOver(ResumePoints before) {
        CollectedVersions known = new CollectedVersions();
        before.forEach(known::put);
        forEach(point -> {
            CollectedVersion old = known.get(point.versionId());
            if (old != null && old.end() == point.end()) {
                point.takePrefix(old);
            }
        });
    }

    private void forEach(Consumer<CollectedVersion> action) {
        for (int i = 0; i < points.slots(); i++) {
            for (CollectedVersion each = points.at(i); each != null; each = each.next) {
                action.accept(each);
            }
        }
    }

    private static void object(CollectedVersion version, LogRecord.ObjectRun run) {
        for (int i = 0; i < run.crcs().length; i++) {
            long start = run.start() + (long) i * PrefixChecksums.PIECE_BYTES;
            version.append(Math.min(PrefixChecksums.PIECE_BYTES, run.end() - start), run.crcs()[i]);
        }
    }

    /** Keeps the versions that may still grow, and those before them, once the whole log was applied. */
    public void keep(HostState state) {
        for (FileVersion version : state.versions()) {
            CollectedVersion found = collected.get(version.id());
            if (found != null && mayGrow(version)) {
                FileVersion before = state.version(version.previousVersion());
                CollectedVersion cut = collected.get(version.previousVersion());
                if (before != null && cut != null && before.isOver()) {
                    cuts.put(version.id(), cut(before, cut, found.mtimeNs()));
                }
                found.goOn(
                        volume(identity(version)),
                        version.key().inode(),
                        version.key().generation());
                found.recorded(version.attributes());
                boolean isNamed = version.nameCount() > 0;
                found.at(version.lastPath(), lastDirectory);
                lastDirectory = found.directory();
                found.is(isNamed || version.state() == FileVersion.State.GROWING, isNamed);
                add(found);
            }
        }
        collected = new CollectedVersions();
    }

    private SourceVolume volume(FileIdentity identity) {
        for (SourceVolume each : volumes) {
            if (each.holds(identity, 0)) {
                return each;
            }
        }
        SourceVolume added = new SourceVolume(identity.fsHigh(), identity.fsLow(), 0);
        volumes.add(added);
        return added;
    }

    /** Adds one behind those of the same inode. */
    private void add(CollectedVersion added) {
        CollectedVersion last = points.find(added.inode(), added.generation());
        if (last == null) {
            points.put(added);
        } else {
            while (last.next != null) {
                last = last.next;
            }
            last.next = added;
        }
        count++;
    }

    private static Cut cut(FileVersion version, CollectedVersion found, long mtimeNs) {
        Pathname last = version.lastPath();
        return new Cut(
                version.id(),
                identity(version),
                found.checksums(),
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

    /** Returns how many versions may continue. */
    public int count() {
        return count;
    }

    /** Gives all versions that nobody has claimed. */
    void unclaimed(BiConsumer<FileIdentity, ResumePoint> to) {
        forEach(each -> to.accept(each.identity(), each.point()));
    }

    private static boolean mayGrow(FileVersion version) {
        return switch (version.state()) {
            case GROWING, SEALED -> true;
            case TRUNCATED, REWRITTEN, GONE -> false;
        };
    }

    /** Puts back the point of a file that may be found again under another name. */
    public void put(Tail tail, @Nullable Pathname lastPath) {
        CollectedVersion point =
                new CollectedVersion(tail.versionId, tail.bytes().prefix(), tail.origins());
        point.goOn(volume(tail.identity()), tail.inode(), tail.generation());
        point.recorded(tail.recorded());
        point.at(lastPath, null);
        add(point);
    }

    /** Says whether a version waits for a file with this identity. */
    public boolean holds(FileIdentity identity) {
        return find(identity, null) != null;
    }

    /**
     * Takes the version that a file continues. If several have one identity (mounted copies of one image), it takes the
     * one that had this name last, else the newest.
     */
    @Nullable
    public ResumePoint claim(FileIdentity identity, Pathname path) {
        CollectedVersion best = find(identity, path);
        if (best != null) {
            remove(best);
        }
        return best == null ? null : best.point();
    }

    /** Returns the newest of an identity, or of those that had a name last the newest. */
    private @Nullable CollectedVersion find(FileIdentity identity, @Nullable Pathname path) {
        CollectedVersion newest = null;
        CollectedVersion ofName = null;
        CollectedVersion first = points.find(identity.inode(), identity.generation());
        for (CollectedVersion each = first; each != null; each = each.next) {
            if (each.isOn(identity)) {
                newest = each;
                ofName = path != null && path.equals(each.lastPath()) ? each : ofName;
            }
        }
        return ofName == null ? newest : ofName;
    }

    private void remove(CollectedVersion removed) {
        CollectedVersion before = points.find(removed.inode(), removed.generation());
        if (before != removed) {
            while (before != null && before.next != removed) {
                before = before.next;
            }
            Objects.requireNonNull(before).next = removed.next;
        } else if (removed.next != null) {
            points.put(removed.next);
        } else {
            points.remove(removed);
        }
        count--;
    }

    /**
     * Takes the version of a file whose identity nobody knows, by the name it had last.
     *
     * @param isSame says whether the file holds what the archive has of a version
     */
    @Nullable
    public ResumePoint claimAt(Pathname path, Predicate<ResumePoint> isSame) {
        if (count == 0) {
            byPath = null;
            return null;
        }
        Map<Pathname, FileIdentity> known = byPath;
        if (known == null) {
            known = namedByPath();
            byPath = known;
        }
        FileIdentity identity = known.get(path);
        CollectedVersion found = identity == null ? null : find(identity, path);
        boolean claims = found != null && path.equals(found.lastPath()) && isSame.test(found.point());
        return identity == null || !claims ? null : claim(identity, path);
    }

    private Map<Pathname, FileIdentity> namedByPath() {
        Map<Pathname, FileIdentity> named = new HashMap<>();
        forEach(point -> {
            Pathname path = point.lastPath();
            if (point.isNamed() && path != null) {
                named.put(path, point.identity());
            }
        });
        return named;
    }
}
