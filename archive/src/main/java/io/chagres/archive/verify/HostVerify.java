package io.chagres.archive.verify;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistration;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.find.LineFilters;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.read.ExtentRanges;
import io.chagres.archive.read.FrameCheck;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.Checkpoints;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.Predecessor;
import io.chagres.archive.state.Quarantine;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobRange;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.CachingStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Checks one host: walks its commits and checkpoints in order and keeps the state they add up to. Where that is not
 * possible it checks each commit by itself, until a checkpoint gives a state again. Confined to one thread, beside
 * which workers read data objects.
 */
final class HostVerify implements AutoCloseable {
    private final BlobStore store;
    private final String hostId;
    private final VerifyCounter counter;
    private final Quarantine quarantine;
    private final LocalTables tables;
    private final List<BlobInfo> commits = new BlobList();
    private final NavigableMap<Long, NavigableMap<CheckpointId, BlobInfo>> checkpoints = new TreeMap<>();
    private final Map<String, BlobInfo> objects = new TreeMap<>();
    private final ExtentVerify extents;
    /** How many pieces of packs are sorted, to be read in the order of the packs. */
    private static final int PIECES_AT_ONCE = 16 * 1024;

    /** The extents of the commit that is applied. */
    private final List<LogRecord.Extent> applied = new ArrayList<>();

    private boolean listening;
    /** The sum of all commits so far; null where it is not known. */
    private @Nullable HostState state;
    /** The checkpoint before, whose bytes were checked; null for none. */
    private @Nullable HostState checked;
    /** The commit before, when it could be read. */
    private @Nullable CommitHeader before;

    private boolean complete = true;

    private final HostState nothingKnown = HostState.empty();
    private final RepeatCheck repeats = new RepeatCheck();
    private @Nullable VersionReader bytes;
    private @Nullable HostState bytesOf;

    HostVerify(
            BlobStore store,
            String hostId,
            VerifyCounter counter,
            Workers workers,
            LocalTables tables,
            Quarantine quarantine) {
        this.quarantine = quarantine;
        this.tables = tables;
        this.store = store;
        this.hostId = hostId;
        this.counter = counter;
        extents = new ExtentVerify(store, hostId, objects, counter, workers);
    }

    void run() throws IOException {
        counter.holdBack(this::isGone);
        try {
            checkAll();
            extents.finish();
        } finally {
            counter.tellHeld(needed());
        }
    }

    private boolean isGone(String object) {
        try {
            return object.startsWith(ArchiveLayout.HOSTS + hostId + "/") && !store.exists(object);
        } catch (IOException e) {
            return false;
        }
    }

    /** Says which objects there must be: where a compaction went by meanwhile, what the state refers to now. */
    private Predicate<String> needed() throws IOException {
        CheckpointId newest = counter.holdsAny() ? Checkpoints.newest(store, hostId) : null;
        if (newest == null || revisions(newest.seq()).containsKey(newest)) {
            return object -> true;
        }
        Set<String> referred = new HashSet<>();
        try {
            HostState now = HostLog.open(store, hostId, PointInTime.NOW, ExtentFilter.ALL, null, tables);
            for (FileVersion version : now.versions()) {
                for (LogRecord.Extent extent : Extents.of(version)) {
                    String object = VersionReader.dataObject(hostId, extent);
                    referred.add(
                            object != null || !(extent instanceof LogRecord.Run run)
                                    ? String.valueOf(object)
                                    : ArchiveLayout.commit(hostId, run.seq()));
                }
            }
        } catch (CorruptArchiveException e) {
            return object -> true;
        }
        return referred::contains;
    }

    private void checkAll() throws IOException {
        listObjects();
        if (!commits.isEmpty() && seqOf(commits.getFirst()) == 1) {
            state = new HostState(ExtentFilter.ALL, listener());
        }
        try (CommitReader reader = new CommitReader(store)) {
            CachingStore.expect(
                    store,
                    commits.stream()
                            .map(commit -> new BlobRange(commit.key(), 0, ExtentRanges.COMMIT_BYTES))
                            .iterator());
            long last = 0;
            for (BlobInfo commit : commits) {
                long seq = seqOf(commit);
                checkCheckpoints(last, seq - 1);
                checkCommit(seq, commit, reader);
                checkCheckpoints(seq - 1, seq);
                last = seq;
            }
            checkCheckpoints(last, Long.MAX_VALUE);
        }
        checkOwner();
        CorruptArchiveException lost = state == null ? null : Predecessor.lost(store, hostId, state);
        if (lost != null) {
            counter.fault(lost, "the next 'chagres ship' there ships again what its local files still hold");
        }
        checkBeside(
                ArchiveLayout.history(hostId),
                "moments that were compacted can be shown only before it",
                object -> checkHistory(object.key()));
        MomentCheck.check(
                hostId,
                commits.stream().map(HostVerify::seqOf).toList(),
                checkpoints.isEmpty() ? 0 : checkpoints.lastKey(),
                quarantine,
                counter);
        checkBeside(
                ArchiveLayout.tables(hostId),
                "nothing is lost: the commits say the same, but reading takes longer",
                object -> checkTable(object.key()));
        checkBeside(
                ArchiveLayout.filters(hostId),
                "nothing is lost: searching takes longer",
                object -> LineFilters.check(store, object));
        checkBeside(
                ArchiveLayout.heartbeats(hostId),
                "nothing is lost: 'status' does not know what the host said then",
                object -> Heartbeat.check(store, object.key()));
        long untilMs = complete ? LogWitness.onlyCopiesUntilMs(store, hostId, quarantine) : Long.MAX_VALUE;
        for (BlobInfo object : objects.values()) {
            if (!extents.refersTo(object.key()) && object.modifiedMs() > untilMs) {
                counter.garbage(object);
            } else if (!extents.refersTo(object.key())) {
                counter.orphan(object); // what a commit that cannot be read refers to is not known
            }
        }
    }

    /** Checks the checkpoints behind one seq up to another. */
    private void checkCheckpoints(long behind, long upTo) throws IOException {
        for (NavigableMap<CheckpointId, BlobInfo> revisions :
                checkpoints.subMap(behind, false, upTo, true).values()) {
            for (Map.Entry<CheckpointId, BlobInfo> each : revisions.entrySet()) {
                checkCheckpoint(each.getKey(), each.getValue());
            }
        }
    }

    private static long seqOf(BlobInfo commit) {
        return ArchiveLayout.seqOf(commit.key()).orElse(0);
    }

    private void listObjects() throws IOException {
        for (BlobInfo object : BlobList.all(store, ArchiveLayout.log(hostId), null)) {
            if (seqOf(object) > 0) {
                commits.add(object);
                counter.expect(object);
            }
        }
        checkEnd();
        for (BlobInfo object : BlobList.all(store, ArchiveLayout.checkpoints(hostId), null)) {
            CheckpointId id = ArchiveLayout.checkpointOf(object.key());
            if (id != null) {
                checkpoints.computeIfAbsent(id.seq(), seq -> new TreeMap<>()).put(id, object);
                counter.expect(object);
            }
        }
        for (BlobInfo object : BlobList.all(store, ArchiveLayout.streams(hostId), null)) {
            objects.put(object.key(), object);
            counter.expect(object);
        }
    }

    /** The log says who wrote it. */
    private void checkOwner() throws IOException {
        LogRecord.IncarnationOpened writer = state == null ? null : state.lastIncarnation();
        HostRegistration recorded = null;
        try {
            recorded = writer == null ? null : HostRegistration.recorded(store, hostId);
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e); // who checks the record says so
        }
        if (writer != null && recorded != null && recorded.contradicts(writer)) {
            counter.fault(
                    ArchiveLayout.owner(hostId),
                    "it is the record of another host than the one that wrote the log",
                    "this host may be found by a wrong name; 'chagres repair' writes it again");
        }
    }

    /** A list shows objects only; what else has the name of the next commit hides what may have been there. */
    private void checkEnd() throws IOException {
        String log = ArchiveLayout.log(hostId);
        String next = ArchiveLayout.commit(hostId, commits.isEmpty() ? 1 : seqOf(commits.getLast()) + 1);
        try {
            if (!store.exists(next) && store.children(log).contains(next.substring(log.length()))) {
                throw new StoreException("what has its name is no file");
            }
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            complete = false;
            counter.fault(next, e, "the commit that was there cannot be read, and none can be written");
        }
    }

    /** Reads an object to its end. */
    private interface Check {
        void run(BlobInfo object) throws IOException;
    }

    private void checkTable(String key) throws IOException {
        HostLog.check(store, key);
        FrameCheck.check(store, key);
    }

    private void checkHistory(String key) throws IOException {
        HostLog.check(store, key);
        try {
            FrameCheck.check(store, key);
        } catch (CorruptArchiveException e) {
            counter.fault(e, "nothing is lost: it is read from its beginning; 'chagres repair' writes it again");
        }
    }

    private void checkBeside(String prefix, String lost, Check check) throws IOException {
        for (BlobInfo object : BlobList.all(store, prefix, null)) {
            try {
                check.run(object);
            } catch (CorruptArchiveException e) {
                counter.fault(e, lost);
            } catch (NoSuchBlobException e) {
                counter.fault(object.key(), "it vanished while it was checked", "verify again");
            } catch (StoreException e) {
                HostRegistry.requireAnswer(store, e);
                counter.fault(object.key(), e, lost);
            }
        }
    }

    private NavigableMap<CheckpointId, BlobInfo> revisions(long seq) {
        return checkpoints.getOrDefault(seq, Collections.emptyNavigableMap());
    }

    private RunListener listener() {
        return new RunListener() {
            @Override
            public void extent(LogRecord.Extent extent) {
                if (listening) {
                    applied.add(extent);
                }
            }
        };
    }

    private void checkCommit(long seq, BlobInfo object, CommitReader reader) throws IOException {
        checkGap(seq);
        CommitHeader commit = null;
        try {
            commit = reader.read(object.key());
            if (object.lengthBytes() != commit.objectBytes()) {
                counter.fault(
                        object.key(),
                        "it has " + object.lengthBytes() + " bytes instead of " + commit.objectBytes(),
                        "bytes of runs in it may be lost");
            }
            applied.clear();
            checkChain(seq, commit);
            apply(commit);
        } catch (CorruptArchiveException e) {
            broken(e, seq);
        } catch (NoSuchBlobException e) {
            broken(new CorruptArchiveException(object.key(), "it vanished while it was checked"), seq);
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            if (e.isUnanswered()) {
                counter.unanswered(object.key(), e);
                state = null;
                complete = false;
            } else {
                broken(new CorruptArchiveException(object.key(), "it cannot be read: " + e.getMessage()), seq);
            }
        }
        if (commit != null) {
            checkRepeats(commit);
            if (state == null) {
                collectAlone(commit);
            }
            checkExtents(applied, state != null ? state : nothingKnown);
        }
        relieve();
        before = commit;
        counter.commit(object);
    }

    private void checkRepeats(CommitHeader commit) {
        try {
            repeats.next(commit);
        } catch (CorruptArchiveException e) {
            counter.fault(e, "who reads the end of the log may see what was not so; --at a time before it works");
        }
    }

    private void broken(CorruptArchiveException cause, long seq) {
        counter.fault(cause, unreadableFrom(seq));
        state = null;
        complete = false;
    }

    /** Checks what applying does not check, because there is no state to apply to. */
    private void checkChain(long seq, CommitHeader commit) throws CorruptArchiveException {
        if (state == null && commit.seq() != seq) {
            throw new CorruptArchiveException(commit.object(), "it says it is commit " + commit.seq());
        }
        boolean follows = before != null && before.seq() == seq - 1;
        if (state == null && follows && before != null && !Arrays.equals(before.chain(), commit.predecessor())) {
            throw new CorruptArchiveException(
                    commit.object(), "it does not follow commit " + (seq - 1) + ": the hash chain is broken");
        }
    }

    private void apply(CommitHeader commit) throws CorruptArchiveException {
        if (state != null) {
            listening = true;
            try {
                state.apply(commit.object(), commit);
            } finally {
                listening = false;
            }
        }
    }

    /** Writes what fills the memory into a table. */
    private void relieve() throws IOException {
        HostState full = state;
        if (full != null && tables.isFull(full)) {
            extents.finish(); // they ask the state for names of versions
            HostState relieved = tables.relieved(hostId, full);
            checked = checked == full ? relieved : checked;
            state = relieved;
            tables.freed();
        }
    }

    /** Forgets a state, unless it is another one's, too. */
    private void drop(@Nullable HostState unused) throws IOException {
        if (unused != null && unused.isLarge() && unused != state && unused != checked) {
            extents.finish();
            if (unused == bytesOf) {
                closeReader();
                bytes = null;
                bytesOf = null;
            }
            tables.release(hostId, unused);
        }
    }

    /** Collects the extents of a commit without a state: they can be read, if not be put together. */
    private void collectAlone(CommitHeader commit) {
        applied.clear();
        try {
            RecordReader records = commit.recordReader();
            while (records.hasNext()) {
                switch (HostState.inCommit(commit.object(), records.next(), commit.seq())) {
                    case LogRecord.Run r when r.seq() == commit.seq() -> applied.add(r);
                    case LogRecord.ObjectRun r -> applied.add(r);
                    default -> {}
                }
            }
        } catch (CorruptArchiveException e) {
            // this was reported when the commit was applied, or will be when somebody repairs what is before it
            complete = false;
        }
    }

    private void checkExtents(Iterable<LogRecord.Extent> all, HostState known) throws IOException {
        VersionReader reader = readerOf(known);
        for (LogRecord.Extent extent : all) {
            extents.check(extent, known, reader);
        }
    }

    private VersionReader readerOf(HostState known) {
        if (bytes == null || known != bytesOf) {
            closeReader();
            bytes = new VersionReader(store, hostId, known);
            bytesOf = known;
        }
        return bytes;
    }

    /** Reports commits that are missing before one. Those that a checkpoint stands for may be missing at the start. */
    private void checkGap(long seq) throws IOException {
        long expected = state != null ? state.seq() + 1 : before != null ? before.seq() + 1 : 0;
        if (state == null && before == null && (commits.isEmpty() || seqOf(commits.getFirst()) >= seq)) {
            Long covering = checkpoints.ceilingKey(seq - 1);
            expected = covering == null ? 1 : seq;
        }
        if (expected > 0 && expected < seq) {
            String many = expected + 1 == seq ? "it is missing" : "it is missing, and all up to commit " + (seq - 1);
            CorruptArchiveException gap = new CorruptArchiveException(ArchiveLayout.commit(hostId, expected), many);
            OptionalLong namedMs = quarantine.namedMs(expected, seq - 1);
            if (namedMs.isPresent()) {
                counter.known(gap, unreadableFrom(expected), namedMs.getAsLong());
                state = null;
                complete = false;
            } else {
                broken(gap, expected);
            }
            before = null;
        }
    }

    private String unreadableFrom(long seq) {
        Long next = checkpoints.ceilingKey(seq);
        if (next != null && next == seq) {
            return "the state after it has a checkpoint, so that no other state is lost";
        }
        return next == null
                ? "what was committed from commit " + seq + " on cannot be put together; --at a time before it works"
                : "the states from commit " + seq + " to " + (next - 1) + " cannot be read; that of commit " + next
                        + " has a checkpoint";
    }

    private void checkCheckpoint(CheckpointId id, BlobInfo object) throws IOException {
        long seq = id.seq();
        boolean reached = state != null ? state.seq() == seq : before == null || before.seq() == seq;
        if (!reached) {
            checkGap(seq + 1);
        }
        HostState loaded = null;
        try {
            loaded = HostLog.load(store, hostId, id, tables, listener());
            if (!loaded.isLarge()) {
                HostLog.checkIndex(store, object.key());
            }
            compare(object.key(), loaded, seq);
        } catch (CorruptArchiveException e) {
            complete = false;
            counter.fault(e, "the states from commit " + seq + " on cannot be read as long as it exists");
        } catch (NoSuchBlobException e) {
            complete = false;
            counter.fault(object.key(), "it vanished while it was checked", "verify again");
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            complete = false;
            counter.fault(object.key(), e, "the states from commit " + seq + " on cannot be read");
        }
        if (loaded != null) {
            boolean counts = Checkpoints.marked(store, hostId).contains(id); // what a shipper may put names no loss
            extents.named(counts ? quarantine.lastNamedMs() : OptionalLong.empty());
            checkContents(loaded);
            extents.named(OptionalLong.empty());
            HostState unused = checked;
            checked = loaded;
            drop(unused);
            if (state == null || state.seq() != seq) {
                unused = state;
                state = loaded;
                drop(unused);
            }
        }
        counter.checkpoint(object);
    }

    /** Checks the bytes of all versions: what lies in packs last, pack by pack. */
    private void checkContents(HostState loaded) throws IOException {
        List<LogRecord.Extent> packed = new ArrayList<>();
        VersionReader reader = readerOf(loaded);
        VersionsInOrder before = new VersionsInOrder(checked);
        VersionsInOrder known = new VersionsInOrder(state);
        for (FileVersion version : loaded.versions()) {
            FileVersion one = before.find(version.id());
            FileVersion other = known.find(version.id());
            for (LogRecord.Extent extent : Extents.of(version)) {
                if (!(extent instanceof LogRecord.PackedRun)) {
                    extents.check(extent, loaded, reader);
                } else if (!isIn(one, extent) && !isIn(other, extent)) { // of those before all pieces were read
                    packed.add(extent);
                }
            }
            if (packed.size() >= PIECES_AT_ONCE) {
                checkPacked(packed, loaded);
            }
        }
        checkPacked(packed, loaded);
    }

    private void checkPacked(List<LogRecord.Extent> packed, HostState loaded) throws IOException {
        packed.sort(Extents.AS_STORED);
        checkExtents(packed, loaded);
        packed.clear();
        if (loaded.isLarge()) {
            tables.freed();
        }
    }

    private static boolean isIn(@Nullable FileVersion version, LogRecord.Extent piece) {
        ExtentList extents = version == null ? null : version.extents();
        int index = extents == null ? -1 : extents.indexOf(piece.start());
        return extents != null && index >= 0 && extents.get(index).equals(piece);
    }

    private void compare(String object, HostState loaded, long seq) throws CorruptArchiveException {
        if (before != null && before.seq() == seq && !Arrays.equals(before.chain(), loaded.chain())) {
            throw new CorruptArchiveException(object, "it does not stand for commit " + seq + " as it is stored here");
        }
        String difference =
                state == null || state.seq() != seq ? null : StateComparison.firstDifference(state, loaded, tables);
        if (difference != null) {
            throw new CorruptArchiveException(object, "it does not say what the commits say: " + difference);
        }
    }

    @Override
    public void close() {
        closeReader();
        extents.close();
    }

    private void closeReader() {
        if (bytes != null) {
            bytes.close();
        }
    }
}
