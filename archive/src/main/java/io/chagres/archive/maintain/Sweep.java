package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.find.LineFilters;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.state.Checkpoints;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.Quarantine;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Removes what nobody needs, once a checkpoint is old enough that no reader still uses what was before it: older
 * checkpoints, then the commits it stands for from the first on, then data objects that nothing refers to, and
 * heartbeats that others followed. Only a checkpoint that has its mark stands for anything, and only after every object
 * that it refers to was read back from the store. Each object is read once: those of an older checkpoint whose commits
 * are already gone were read then. A sweep that ends anywhere on the way leaves a whole archive. Confined to one
 * thread.
 */
final class Sweep {
    /** So long an object waits at most for the commit or the checkpoint that refers to it. */
    static final long ORPHAN_MS = Duration.ofDays(1).toMillis();

    /**
     * A checkpoint that would have been written, and would be old at once.
     *
     * @param objects the objects there are already that it would refer to
     */
    record Imagined(CheckpointId id, Set<String> objects) {}

    /**
     * Something does not hold what a checkpoint says, so that nothing goes that the checkpoint stands for.
     *
     * @param checkpoint the first that is concerned
     * @param faults what is wrong with which objects
     * @param isReplaced whether a newer checkpoint needs none of them
     */
    record Unproven(CheckpointId checkpoint, Map<String, CorruptArchiveException> faults, boolean isReplaced) {}

    private final BlobStore store;
    private final String hostId;
    private final LocalTables locals;
    private final long nowMs;
    private final long oldMs;
    private final Set<String> replaced;
    private final Set<String> lost;
    private final Set<String> referredTo = new HashSet<>();
    private @Nullable Quarantine quarantine;
    private @Nullable Long onlyCopiesUntilMs;
    private final List<BlobInfo> checkpoints = new ArrayList<>();
    private final List<BlobInfo> marks = new ArrayList<>();
    private List<BlobInfo> commits = List.of();
    private final List<BlobInfo> objects = new ArrayList<>();
    private final List<BlobInfo> heartbeats = new ArrayList<>();
    private final List<BlobInfo> tables = new ArrayList<>();
    private final List<BlobInfo> histories = new ArrayList<>();
    private final List<BlobInfo> filters = new ArrayList<>();

    /**
     * Makes a sweep.
     *
     * @param locals help to sort
     * @param graceMs how long what was replaced stays, in milliseconds; with 0 it goes at once, whatever clocks say
     * @param nowMs the time of the store, milliseconds since 1970; {@link Long#MIN_VALUE} when it is not known
     * @param replaced objects that were referred to and so wait for no commit: they go however young they are
     * @param lost objects that are damaged, and stand for nothing that could go
     */
    Sweep(
            BlobStore store,
            String hostId,
            LocalTables locals,
            long graceMs,
            long nowMs,
            Set<String> replaced,
            Set<String> lost) {
        this.locals = locals;
        this.lost = lost;
        this.store = store;
        this.hostId = hostId;
        this.nowMs = nowMs;
        this.replaced = replaced;
        oldMs = oldMs(graceMs, nowMs);
    }

    /** A server says its time in whole seconds, often the last one: what was put just now would be of the future. */
    private static long oldMs(long graceMs, long nowMs) {
        if (nowMs == Long.MIN_VALUE) {
            return nowMs;
        }
        return graceMs == 0 ? Long.MAX_VALUE : nowMs - graceMs;
    }

    /**
     * Finds out what can be removed.
     *
     * @param imagined of a dry run; null when the store holds all checkpoints
     * @return why nothing but heartbeats can be; null when that is not so
     * @throws CorruptArchiveException when nobody can say what is needed, and so nothing may be removed
     */
    @Nullable
    Unproven plan(@Nullable Imagined imagined) throws IOException {
        addHeartbeats();
        for (BlobInfo filter : LineFilters.replaced(store, hostId)) {
            if (filter.modifiedMs() <= oldMs) {
                filters.add(filter);
            }
        }
        // checkpoints last: what replaced a commit that is no longer listed is then among them
        List<BlobInfo> candidates = listObjects();
        List<BlobInfo> log = BlobList.of(BlobList.all(store, ArchiveLayout.log(hostId), null));
        NavigableMap<CheckpointId, BlobInfo> all = listCheckpoints();
        NavigableSet<CheckpointId> counting = Checkpoints.marked(store, hostId);
        counting.retainAll(all.keySet());
        CheckpointId base = imagined == null ? newestOld(all, counting) : imagined.id();
        if (base == null) {
            return null;
        }
        checkpoints.addAll(all.headMap(base, false).values());
        boolean isSpared = addCommits(log, base.seq());
        if (imagined != null) {
            referredTo.addAll(imagined.objects());
        } else {
            Unproven unproven = unproven(base, counting);
            if (unproven != null) {
                leave();
                return unproven;
            }
        }
        addMarks(base);
        addTables(base);
        addHistories();
        if (isSpared) {
            return null;
        }
        long madeMs = followedMs(log, base.seq()) - ORPHAN_MS;
        for (BlobInfo object : candidates) {
            boolean waitsForNone = object.modifiedMs() <= madeMs || replaced.contains(object.key());
            if (waitsForNone && !referredTo.contains(object.key()) && isReplacedOrGarbage(object)) {
                objects.add(object);
            }
        }
        return null;
    }

    /** Reads back what a checkpoint and all later ones stand on. */
    private @Nullable Unproven unproven(CheckpointId base, NavigableSet<CheckpointId> counting) throws IOException {
        CheckpointId first = null;
        Map<String, CorruptArchiveException> faults = new LinkedHashMap<>();
        References of = null;
        References newest = null; // null as long as the last one was not whole
        for (CheckpointId each : counting.tailSet(base, true)) {
            newest = null;
            try {
                newest = References.of(store, hostId, each);
                referredTo.addAll(newest.objects());
                of = each.equals(base) ? newest : of;
            } catch (CorruptArchiveException e) {
                first = first == null ? each : first;
                faults.put(ArchiveLayout.checkpoint(hostId, each), e);
            }
        }
        if (of != null && of.oldestCommit() <= base.seq()) {
            throw new CorruptArchiveException(
                    ArchiveLayout.checkpoint(hostId, base),
                    "it refers to bytes in commit " + of.oldestCommit() + " that could not be rewritten");
        }
        if (of != null && first == null) {
            first = base;
            faults.putAll(faults(base, of, counting.headSet(base, false)));
        }
        if (first == null || faults.isEmpty()) {
            return null;
        }
        boolean isReplaced = newest != null && !counting.last().equals(first);
        for (String object : faults.keySet()) {
            isReplaced = isReplaced && newest != null && !newest.objects().contains(object);
            isReplaced &= !object.startsWith(ArchiveLayout.history(hostId));
        }
        return new Unproven(first, faults, isReplaced);
    }

    /** Reads what a checkpoint refers to, except objects of an older one without commits: those were read before. */
    private Map<String, CorruptArchiveException> faults(
            CheckpointId base, References of, NavigableSet<CheckpointId> older) throws IOException {
        CheckpointId last = older.isEmpty() ? null : older.first();
        if (last == null && commits.isEmpty()) {
            return Map.of();
        }
        long gone = commits.isEmpty() ? base.seq() : seqOf(commits.getFirst()) - 1;
        Set<String> known = new HashSet<>(lost);
        if (last != null && last.seq() <= gone) {
            try {
                known.addAll(References.of(store, hostId, last).objects());
            } catch (CorruptArchiveException e) {
                // then all is read
            }
        }
        Map<String, CorruptArchiveException> faults = ReadBack.faults(store, hostId, base, known, locals);
        if (!commits.isEmpty()) {
            requireCommit(base, of.chain());
            requireMoments(gone, base.seq(), faults);
        }
        return faults;
    }

    /**
     * Requires that the last commit is the one that its checkpoint names. Another one was put when the number was free
     * again, by a writer that was stopped for long or by somebody who may ship: neither it nor the checkpoint says
     * anything of the other.
     */
    private void requireCommit(CheckpointId base, byte[] chain) throws IOException {
        String key = commits.getLast().key();
        if (isAnother(store, key, chain)) {
            throw new CorruptArchiveException(
                    key, "it is another commit than the one that checkpoint " + base.seq() + " stands for");
        }
    }

    /** Says whether a commit can be read and has another chain value. */
    static boolean isAnother(BlobStore store, String key, byte[] chain) throws IOException {
        try (CommitReader reader = new CommitReader(store)) {
            return !Arrays.equals(reader.look(key).chain(), chain);
        } catch (CorruptArchiveException | NoSuchBlobException e) {
            return false; // what was made of it while it could be read says what it said
        }
    }

    /** From then on histories say what was so after each commit; only a repair leaves some out, and says so. */
    private void requireMoments(long after, long upTo, Map<String, CorruptArchiveException> faults) throws IOException {
        String history = ArchiveLayout.history(hostId);
        if (!quarantine().untold(new CommitSpan(after, upTo), true, List.of()).isEmpty()) {
            faults.put(history, CorruptArchiveException.missing(history));
        }
        for (BlobInfo each : BlobList.all(store, history, null)) {
            CommitSpan span = ArchiveLayout.historyOf(each.key());
            boolean tells = span != null && span.to() > after && span.from() < upTo;
            if (tells && store.exists(ArchiveLayout.historyMark(each.key()))) {
                try {
                    HostLog.check(store, each.key());
                } catch (CorruptArchiveException e) {
                    faults.put(each.key(), e);
                }
            }
        }
    }

    /** Adds histories that a later one repeats, once that one is old and was read back. */
    private void addHistories() throws IOException {
        Map<String, CommitSpan> spans = new LinkedHashMap<>();
        List<BlobInfo> all = BlobList.of(BlobList.all(store, ArchiveLayout.history(hostId), null));
        for (BlobInfo each : all) {
            CommitSpan span = ArchiveLayout.historyOf(each.key());
            if (span != null && each.modifiedMs() <= oldMs && store.exists(ArchiveLayout.historyMark(each.key()))) {
                spans.put(each.key(), span);
            }
        }
        for (Map.Entry<String, CommitSpan> whole : spans.entrySet()) {
            for (BlobInfo each : all) {
                CommitSpan part = ArchiveLayout.historyOf(each.key());
                boolean isPart = part != null
                        && whole.getValue().from() <= part.from()
                        && whole.getValue().to() >= part.to()
                        && !whole.getValue().equals(part);
                if (isPart && !histories.contains(each)) {
                    HostLog.check(store, whole.getKey());
                    histories.add(each);
                }
            }
        }
        for (BlobInfo mark : BlobList.all(store, ArchiveLayout.marks(hostId), null)) {
            if (histories.stream().anyMatch(each -> mark.key().equals(ArchiveLayout.historyMark(each.key())))) {
                marks.add(mark);
            }
        }
    }

    private void addMarks(CheckpointId base) throws IOException {
        for (BlobInfo mark : BlobList.all(store, ArchiveLayout.marks(hostId), null)) {
            CheckpointId id = ArchiveLayout.markOf(mark.key());
            id = id == null ? ArchiveLayout.manifestOf(mark.key()) : id;
            if (id != null && id.compareTo(base) < 0) {
                marks.add(mark);
            }
        }
    }

    /**
     * Spares what nothing refers to because something that did is missing or was set aside: only what came after it was
     * not. A day later is after it, whatever clocks say.
     */
    private boolean isReplacedOrGarbage(BlobInfo object) throws IOException {
        if (replaced.contains(object.key())) {
            return true;
        }
        if (onlyCopiesUntilMs == null) {
            onlyCopiesUntilMs = LogWitness.onlyCopiesUntilMs(store, hostId, quarantine());
        }
        return object.modifiedMs() - ORPHAN_MS > onlyCopiesUntilMs;
    }

    private Quarantine quarantine() throws IOException {
        Quarantine read = quarantine;
        if (read == null) {
            read = Quarantine.read(store, hostId);
            quarantine = read;
        }
        return read;
    }

    /** The newest stays, however old: it is the host's last word. So do those of the fenced: nobody says them again. */
    private void addHeartbeats() throws IOException {
        boolean newest = true;
        for (BlobInfo heartbeat : BlobList.all(store, ArchiveLayout.livingHeartbeats(hostId), null)) {
            if (!newest && heartbeat.modifiedMs() <= oldMs) {
                heartbeats.add(heartbeat);
            }
            newest = false;
        }
    }

    /** Adds the tables that begin at an older checkpoint: nobody reads them now. */
    private void addTables(CheckpointId base) throws IOException {
        for (BlobInfo table : BlobList.all(store, ArchiveLayout.tables(hostId), null)) {
            CheckpointId begin = ArchiveLayout.baseOf(table.key());
            if (begin != null && begin.compareTo(base) < 0) {
                tables.add(table);
            }
        }
    }

    /**
     * Adds the commits that a checkpoint stands for. Spares those that no unbroken row of commits joins to it: it does
     * not stand for them. A writer that was fenced off and woke up after a sweep wrote them; verify names them. Returns
     * whether there are any.
     */
    private boolean addCommits(List<BlobInfo> log, long base) {
        int end = log.size();
        while (end > 0 && seqOf(log.get(end - 1)) > base) {
            end--;
        }
        int first = end;
        for (long expected = base; first > 0 && seqOf(log.get(first - 1)) == expected; expected--) {
            first--;
        }
        commits = log.subList(first, end);
        return first > 0 && seqOf(log.get(first - 1)) > 0;
    }

    /**
     * Returns a time at which the store had no commit behind a checkpoint. It does not read what those commits refer
     * to: an object that was a day old by then was not waiting for any of them.
     */
    private long followedMs(List<BlobInfo> log, long base) {
        long followedMs = Math.min(oldMs, nowMs); // a list may be late, but it shows what is older
        for (BlobInfo commit : log) {
            if (seqOf(commit) > base) {
                followedMs = Math.min(followedMs, commit.modifiedMs());
            }
        }
        return followedMs;
    }

    private @Nullable CheckpointId newestOld(
            NavigableMap<CheckpointId, BlobInfo> all, NavigableSet<CheckpointId> counting) {
        CheckpointId newest = null;
        for (Map.Entry<CheckpointId, BlobInfo> each : all.entrySet()) {
            if (each.getValue().modifiedMs() <= oldMs && counting.contains(each.getKey())) {
                newest = each.getKey();
            }
        }
        return newest;
    }

    private List<BlobInfo> listObjects() throws IOException {
        List<BlobInfo> old = new BlobList();
        for (BlobInfo object : BlobList.all(store, ArchiveLayout.streams(hostId), null)) {
            if (object.modifiedMs() <= oldMs) {
                old.add(object);
            }
        }
        return old;
    }

    private NavigableMap<CheckpointId, BlobInfo> listCheckpoints() throws IOException {
        NavigableMap<CheckpointId, BlobInfo> all = new TreeMap<>();
        for (BlobInfo checkpoint : BlobList.all(store, ArchiveLayout.checkpoints(hostId), null)) {
            CheckpointId id = ArchiveLayout.checkpointOf(checkpoint.key());
            if (id != null) {
                all.put(id, checkpoint);
            }
        }
        return all;
    }

    private static long seqOf(BlobInfo object) {
        OptionalLong seq = ArchiveLayout.seqOf(object.key());
        return seq.isPresent() ? seq.getAsLong() : 0;
    }

    /** Chooses nothing but heartbeats: another sweep is at work. */
    void leave() {
        filters.clear();
        checkpoints.clear();
        marks.clear();
        histories.clear();
        tables.clear();
        commits = List.of();
        objects.clear();
    }

    List<BlobInfo> checkpoints() {
        return checkpoints;
    }

    List<BlobInfo> commits() {
        return commits;
    }

    List<BlobInfo> objects() {
        return objects;
    }

    /**
     * Returns what is removed, in the order in which a reader that starts meanwhile finds a whole archive. Filters that
     * another one took over are missing: a dry run does not know them.
     */
    List<BlobInfo> removed() {
        List<BlobInfo> all = BlobList.of(heartbeats);
        all.addAll(checkpoints);
        all.addAll(histories);
        all.addAll(marks);
        all.addAll(tables);
        all.addAll(commits);
        all.addAll(objects);
        return all;
    }

    /** Removes what was found. */
    void run() throws IOException {
        for (BlobInfo each : filters) {
            store.delete(each.key());
        }
        for (BlobInfo each : removed()) {
            store.delete(each.key());
        }
    }
}
