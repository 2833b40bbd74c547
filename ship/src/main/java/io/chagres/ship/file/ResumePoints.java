package io.chagres.ship.file;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.FileKey;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.CommitCheck;
import io.chagres.archive.state.RecordSink;
import io.chagres.linux.Pathname;
import io.chagres.ship.bytes.Crc32cMath;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.copy.Origins;
import io.chagres.watch.FileIdentity;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
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
public final class ResumePoints {
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

    /** The version before another one, and when the file of that one was changed. */
    private record Followed(long versionId, long mtimeNs) {}

    /** The first version of each inode, by a number. */
    private static final class Firsts implements InodeTable.Inodes {
        private static final int FEWEST = 16;

        private @Nullable CollectedVersion[] all = new CollectedVersion[FEWEST];
        private final FreeNumbers free = new FreeNumbers();
        private int count;
        private int left;

        int add(CollectedVersion added) {
            int number = free.isEmpty() ? count++ : free.take();
            if (number == all.length) {
                all = Arrays.copyOf(all, count + count / 2);
            }
            all[number] = added;
            left++;
            return number;
        }

        void remove(int number) {
            all[number] = null;
            free.give(number);
            if (--left == 0) { // a start has claimed all
                all = new CollectedVersion[FEWEST];
                free.forget(0);
                count = 0;
            }
        }

        CollectedVersion get(int number) {
            return Objects.requireNonNull(all[number]);
        }

        @Override
        public long inode(int number) {
            return get(number).inode();
        }

        @Override
        public long generation(int number) {
            return get(number).generation();
        }
    }

    private static final Pathname NO_PATH = Pathname.of("");

    private final boolean endsAtLosses;
    /** By the id of the one that follows. */
    private final Map<Long, Followed> followed = new HashMap<>();

    /** Versions whose first bytes are elsewhere, or nowhere. */
    private final Set<Long> cutOff = new HashSet<>();

    private long lastVersionId;
    /** Where the first bytes of a version are lost. */
    private final Map<Long, Long> ended = new HashMap<>();

    private Predicate<LogRecord.Extent> lostObjects = extent -> false;
    private final Set<Long> unreadable = new HashSet<>();
    private CollectedVersions collected = new CollectedVersions();
    /** The versions of one inode, perhaps of several file systems, follow each other. */
    private final Firsts firsts = new Firsts();

    private final InodeTable points = new InodeTable(firsts);

    private int count;
    private long missing;
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

    private void opened(LogRecord.VersionOpened opened) {
        collected.put(new CollectedVersion(opened, volume(identity(opened.key()))));
        if (opened.previousVersion() != 0) {
            followed.put(
                    opened.versionId(),
                    new Followed(opened.previousVersion(), opened.attributes().mtimeNs()));
        }
        if (opened.startPosition() > 0) {
            cutOff.add(opened.versionId());
        }
        lastVersionId = Math.max(lastVersionId, opened.versionId());
        if (endsAtLosses) { // the commit may be lost that gave it a name
            lost(opened.versionId(), opened.path());
        }
    }

    /** Takes the next record of a version. */
    void take(String object, LogRecord record, long timeMs) throws CorruptArchiveException {
        switch (record) {
            case LogRecord.VersionOpened r -> {
                if (collected.get(r.versionId()) != null) {
                    throw new CorruptArchiveException(object, "it opens version " + r.versionId() + " a second time");
                }
                opened(r);
                known(object, r.versionId()).changed(timeMs);
            }
            case LogRecord.VersionClosed r -> known(object, r.versionId()).close(r.reason(), timeMs);
            case LogRecord.AttributesChanged r -> {
                known(object, r.versionId()).recorded(r.attributes());
                known(object, r.versionId()).changed(timeMs);
            }
            case LogRecord.VersionTimes r -> {
                known(object, r.versionId()).changed(r.changedMs());
                if (r.lastPath().length() > 0) {
                    lost(r.versionId(), r.lastPath());
                }
            }
            case LogRecord.VersionRetention r -> {
                long start = known(object, r.versionId()).start();
                if (r.expiredBefore() >= start) {
                    cutOff.remove(r.versionId());
                } else {
                    cutOff.add(r.versionId());
                }
            }
            case LogRecord.VersionLength r -> known(object, r.versionId()).grow(r.length(), r.mtimeNs(), timeMs);
            case LogRecord.Derived r -> known(object, r.fromVersion());
            case LogRecord.Extent r -> {
                CollectedVersion version = known(object, r.versionId());
                if (r.start() != version.length()) {
                    throw new CorruptArchiveException(
                            object,
                            "it continues version " + r.versionId() + " at byte " + r.start()
                                    + ", but that version ends at byte " + version.length());
                }
                extent(r);
                version.grow(r.end(), r.mtimeNs(), timeMs);
            }
            default -> {}
        }
    }

    /** Refuses a version that was never opened. */
    void require(String object, long versionId) throws CorruptArchiveException {
        known(object, versionId);
    }

    private CollectedVersion known(String object, long versionId) throws CorruptArchiveException {
        CollectedVersion version = collected.get(versionId);
        if (version == null) {
            throw new CorruptArchiveException(object, "it names version " + versionId + ", which was never opened");
        }
        return version;
    }

    /** Returns how many bytes a version has; -1 when it was never opened. To be called before {@link #keep}. */
    long lengthBytes(long versionId) {
        CollectedVersion version = collected.get(versionId);
        return version == null ? -1 : version.length();
    }

    /**
     * Gives the records that begin these versions in a log of another host, each where it continues; to be called
     * before {@link #keep}.
     *
     * @param begun the versions that have begun there
     */
    void giveBeginnings(ResumePoints begun, RecordSink to) throws IOException {
        for (CollectedVersion each : collected.sorted()) {
            if (goesOn(each) && begun.collected.get(each.versionId()) == null) {
                Pathname path = each.lastPath();
                to.write(new LogRecord.VersionOpened(
                        each.versionId(),
                        key(each.identity()),
                        0,
                        each.end(),
                        path == null ? NO_PATH : path,
                        each.attributes()));
                if (each.closed() != null) {
                    to.write(new LogRecord.VersionClosed(each.versionId(), each.closed()));
                }
            }
        }
    }

    /** Returns how a version continues in the log of another host; null for one that does not. */
    @Nullable
    InodeAttributes continuing(long versionId) {
        CollectedVersion version = collected.get(versionId);
        return version == null || !goesOn(version) ? null : version.attributes();
    }

    /** A version whose beginning is lost is of no file that could be found again. */
    private static boolean goesOn(CollectedVersion version) {
        return version.inode() != 0 && (version.isNamed() || !version.isOver());
    }

    /** Notes that a version lost a name. */
    void lost(long versionId, Pathname path) {
        CollectedVersion version = collected.get(versionId);
        if (version != null) {
            version.at(path, lastDirectory);
            lastDirectory = version.directory();
        }
    }

    /**
     * Notes a name that a version has, in a part of bytes that are kept and that nobody changes, and returns how many
     * bytes the version has; to be called before {@link #keep}.
     */
    long named(Pathname directory, byte[] names, int start, int length, long versionId) {
        CollectedVersion version = collected.get(versionId);
        if (version == null) {
            return 0;
        }
        version.named(directory, names, start, length);
        return version.length();
    }

    /** Returns a check of the commits that follow; to be called before {@link #keep}. */
    CommitCheck check() {
        CommitCheck check = new CommitCheck();
        for (CollectedVersion each : collected.sorted()) {
            check.add(each.versionId(), each.start(), each.length());
        }
        return check;
    }

    /** Returns the greatest id of a version; 0 where there is none. */
    long lastVersionId() {
        return lastVersionId;
    }

    /** Returns how many versions were opened; to be called before {@link #keep}. */
    int collectedVersions() {
        return collected.size();
    }

    /** Returns how many versions begin within their file, but for those whose first bytes were expired. */
    long cutOff() {
        return cutOff.size();
    }

    private void extent(LogRecord.Extent extent) {
        CollectedVersion version = Objects.requireNonNull(collected.get(extent.versionId()));
        boolean lost = isLost(extent);
        if (endsAtLosses && (lost || ended.containsKey(extent.versionId()))) {
            ended.putIfAbsent(extent.versionId(), extent.start());
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

    private boolean isLost(LogRecord.Extent extent) {
        return switch (extent) {
            case LogRecord.CopyRun copy ->
                copy.isLost()
                        || ended.getOrDefault(copy.sourceVersion(), Long.MAX_VALUE)
                                < copy.sourceStart() + copy.length();
            case LogRecord.Run run -> unreadable.contains(run.seq());
            case LogRecord.ObjectRun run -> lostObjects.test(run);
            case LogRecord.PackedRun run -> lostObjects.test(run);
            default -> false;
        };
    }

    /** The bytes of some data objects count as lost. */
    public void without(Predicate<LogRecord.Extent> objects) {
        lostObjects = objects;
    }

    /** Forgets the versions, since what was read turned out to be damaged. */
    void restart() {
        collected = new CollectedVersions();
        ended.clear();
        followed.clear();
        cutOff.clear();
        lastVersionId = 0;
    }

    /** Notes that a commit cannot be read: the bytes that it holds count as lost, even if other commits name them. */
    public void unreadable(long seq) {
        unreadable.add(seq);
    }

    /** Takes over the facts about earlier bytes of versions that another log began. */
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
        for (int i = 0; i < firsts.count; i++) {
            for (CollectedVersion each = firsts.all[i]; each != null; each = each.next()) {
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
    void keep() {
        for (CollectedVersion each : collected.sorted()) {
            if (!each.isOver()) {
                Followed before = followed.get(each.versionId());
                CollectedVersion cut = before == null ? null : collected.get(before.versionId());
                if (before != null && cut != null && cut.isOver()) {
                    cuts.put(each.versionId(), cut(cut, each, before.mtimeNs()));
                }
                add(each);
            }
        }
        collected = new CollectedVersions();
        followed.clear();
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

    private @Nullable CollectedVersion first(long inode, long generation) {
        int number = points.find(inode, generation);
        return number < 0 ? null : firsts.get(number);
    }

    /** Adds one behind those of the same inode. */
    private void add(CollectedVersion added) {
        CollectedVersion last = first(added.inode(), added.generation());
        if (last == null) {
            points.put(firsts.add(added));
        } else {
            for (CollectedVersion next = last.next(); next != null; next = last.next()) {
                last = next;
            }
            last.next(added);
        }
        count++;
    }

    private static Cut cut(CollectedVersion version, CollectedVersion next, long mtimeNs) {
        Pathname last = version.lastPath() == null ? next.lastPath() : version.lastPath();
        return new Cut(
                version.versionId(),
                version.identity(),
                version.checksums(),
                version.origins(),
                last == null ? Pathname.of("/") : last,
                mtimeNs,
                version.changedMs());
    }

    private static FileIdentity identity(FileKey key) {
        return new FileIdentity(key.fsHigh(), key.fsLow(), key.inode(), key.generation());
    }

    private static FileKey key(FileIdentity identity) {
        return new FileKey(identity.fsHigh(), identity.fsLow(), identity.inode(), identity.generation());
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
        CollectedVersion first = first(identity.inode(), identity.generation());
        for (CollectedVersion each = first; each != null; each = each.next()) {
            if (each.isOn(identity)) {
                newest = each;
                ofName = path != null && path.equals(each.lastPath()) ? each : ofName;
            }
        }
        return ofName == null ? newest : ofName;
    }

    /** Notes that the file of a version was looked for and not found. */
    void miss(FileIdentity identity, Pathname path) {
        CollectedVersion found = find(identity, path);
        if (found != null && !found.isMissing()) {
            found.setMissing();
            missing++;
        }
    }

    /** Returns how many versions are missed, and no file has continued since, as where its file system came back. */
    long missing() {
        return missing;
    }

    private void remove(CollectedVersion removed) {
        missing -= removed.isMissing() ? 1 : 0;
        int number = points.find(removed.inode(), removed.generation());
        CollectedVersion before = firsts.get(number);
        if (before != removed) {
            while (before.next() != removed) {
                before = Objects.requireNonNull(before.next());
            }
            before.next(removed.next());
        } else if (removed.next() != null) {
            firsts.all[number] = removed.next();
        } else {
            points.remove(number);
            firsts.remove(number);
        }
        count--;
    }

    /**
     * Takes the version of a file whose identity nobody knows, by the name it had last.
     *
     * @param isSame says whether the file holds the archived bytes of a version
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
