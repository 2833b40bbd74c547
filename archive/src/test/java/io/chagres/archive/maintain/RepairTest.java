package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.LogRecord;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.archive.log.CommitLog;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.log.LogEnd;
import io.chagres.archive.state.CommitTimes;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.SpanTables;
import io.chagres.archive.store.BlobPage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.FileLocks;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("long")
class RepairTest extends RepairFixture {
    @Test
    void leavesAloneWhatIsWhole() throws IOException {
        List<String> keys = store.keys();
        assertThat(repair(true)).isZero();
        assertThat(store.keys()).isEqualTo(keys);
        assertThat(steps).isEmpty();
    }

    @Test
    void changesNothingUnlessItIsTold() throws IOException {
        damage(3);
        List<String> keys = store.keys();
        assertThat(repair(false)).isEqualTo(3);
        assertThat(store.keys()).isEqualTo(keys);
        assertThat(steps).hasSize(4).anyMatch(step -> step.startsWith("LOSS"));
        assertThatThrownBy(this::content).isInstanceOf(CorruptArchiveException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 5, 6})
    void makesAHostReadableAndWritable(long seq) throws IOException {
        byte[] moved = damage(seq).clone();
        repair(true);
        assertThat(store.bytes("quarantine/" + ArchiveLayout.commit(ID, seq))).isEqualTo(moved);
        String before = content();
        for (int i = 1; i <= 6; i++) {
            assertThat(before.contains("line " + i)).isEqualTo(i != seq);
        }
        assertThat(repair(true)).isZero();
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/later", "continues");
            assertThat(host.commit()).isEqualTo(7);
            assertThat(host.state().seq()).isEqualTo(7);
        }
        assertThat(content()).isEqualTo(before);
    }

    /** A store that refuses one object has said nothing of it: a right may be missing, and come back. */
    @ParameterizedTest
    @ValueSource(strings = {"/log/", "/checkpoints/", "/history/"})
    void callsNothingLostThatTheStoreRefuses(String folder) throws IOException {
        compact(new ArrayList<>());
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/later", "of later");
            host.commit();
        }
        List<String> keys = store.keys();
        for (String key : store.keys("hosts/" + ID + folder)) {
            BlobStore refusing = new FaultyStore(store, (operation, done) -> {
                if (operation.kind() == FaultyStore.Kind.GET && operation.key().equals(key)) {
                    throw new StoreException(key + ": 403 AccessDenied", new IOException());
                }
            });
            Repair repair = new Repair(refusing, ID, store::nowMs, (action, object, why, consequence) -> {});
            assertThatThrownBy(() -> repair.run(true)).as(key).hasMessageContainingAll(key, "It may be whole");
            assertThat(store.keys()).as(key).isEqualTo(keys);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 6})
    void aCompactionMovesWhatIsLeftOutOfTheCommits(long seq) throws IOException {
        damage(seq);
        repair(true);
        String before = content();
        List<String> skipped = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            compact(skipped);
            assertThat(skipped).isEmpty();
            assertThat(content()).isEqualTo(before);
            // only the commits before the damaged one say what was so after each of them
            assertThat(store.keys("hosts/" + ID + "/log/"))
                    .filteredOn(key -> !key.startsWith("quarantine/"))
                    .hasSize((int) seq - 1);
        }
        assertThat(store.keys("/checkpoints/")).hasSize(1);
    }

    @Test
    void aCommitThatComesMeanwhileIsNotLost() throws IOException {
        BlobStore shippedInto = new ForwardingStore(store) {
            private boolean came;

            @Override
            public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException {
                BlobPage before = super.page(prefix, afterKey, maxObjects);
                if (prefix.equals(ArchiveLayout.log(ID)) && !came) {
                    came = true;
                    try (Host host = new Host(store, ID, "web1")) {
                        host.file("/new", "fresh");
                        host.commit();
                    }
                }
                return before;
            }
        };
        Repair repair = new Repair(
                shippedInto, ID, store::nowMs, (action, object, why, consequence) -> steps.add(action + " " + object));
        assertThat(repair.run(true)).isZero();
        assertThat(steps).isEmpty();
    }

    /** A moment before a commit that repair moved away is that of the commits that are left, not one of long before. */
    @ParameterizedTest
    @ValueSource(longs = {7, 8, 9})
    void momentsBeforeTheDamageStay(long seq) throws IOException {
        compact(new ArrayList<>());
        long last = 9;
        for (long i = 7; i <= last; i++) {
            try (Host host = new Host(store, ID, "web1")) {
                host.timeMs += i * 1000L;
                host.file("/f" + i, "");
                host.commit();
            }
        }
        long[] times = new long[10];
        try (CommitReader reader = new CommitReader(store)) {
            for (long i = 7; i <= last; i++) {
                times[(int) i] = reader.read(ArchiveLayout.commit(ID, i)).timeMs();
            }
        }
        damage(seq);
        repair(true);
        for (long i = 7; i <= last; i++) {
            PointInTime at = PointInTime.time(times[(int) i]);
            try {
                HostState then = HostLog.load(store, ID, at, ExtentFilter.ALL, RunListener.NONE);
                assertThat(then.seq()).isBetween(Math.min(i, seq - 1), i);
            } catch (CorruptArchiveException e) {
                assertThat(i).isGreaterThan(seq); // what is missing is named
            }
        }
    }

    /** That the first commit behind a checkpoint is damaged hides no moment before it, also before a repair. */
    @Test
    void momentsThatWereCompactedNeedNoLaterCommit() throws IOException {
        long[] times = new long[7];
        try (CommitReader reader = new CommitReader(store)) {
            for (int i = 1; i <= 6; i++) {
                times[i] = reader.read(ArchiveLayout.commit(ID, i)).timeMs();
            }
        }
        compact(new ArrayList<>());
        for (int i = 7; i <= 9; i++) {
            try (Host host = new Host(store, ID, "web1")) {
                host.timeMs += i * 1000L;
                host.file("/f" + i, "");
                host.commit();
            }
        }
        damage(7);
        for (int i = 1; i <= 5; i++) {
            PointInTime at = PointInTime.time(times[i]);
            assertThat(HostLog.load(store, ID, at, ExtentFilter.ALL, RunListener.NONE)
                            .seq())
                    .isEqualTo(i);
        }
        PointInTime unknown = PointInTime.time(times[6] + 1);
        assertThatThrownBy(() -> HostLog.load(store, ID, unknown, ExtentFilter.ALL, RunListener.NONE))
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining(ArchiveLayout.commit(ID, 7));
    }

    /** Numbers of commits that were removed are free: who puts an old one again changes no moment, nor any time. */
    @ParameterizedTest
    @CsvSource({"1, true", "3, true", "5, true", "1, false", "4, false"})
    void aCommitThatIsPutAgainChangesNoMoment(long seq, boolean goesOn) throws IOException {
        long[] times = new long[7];
        try (CommitReader reader = new CommitReader(store)) {
            for (int i = 1; i <= 6; i++) {
                times[i] = reader.read(ArchiveLayout.commit(ID, i)).timeMs();
            }
        }
        byte[] again = store.bytes(ArchiveLayout.commit(ID, seq)).clone();
        compact(new ArrayList<>(), 0);
        if (goesOn) {
            try (Host host = new Host(store, ID, "web1")) {
                host.timeMs += 60_000;
                host.appendTo(file, 42, "later");
                host.commit();
            }
        }
        long last = goesOn ? 7 : 6;
        CommitTimes before = CommitTimes.load(store, ID, last, Set.of(file));
        Host.put(store, ArchiveLayout.commit(ID, seq), again);
        HostState state = HostLog.load(store, ID, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
        FileVersion version = Objects.requireNonNull(state.version(file));
        for (int i = 1; i <= 6; i++) {
            PointInTime at = PointInTime.time(times[i]);
            assertThat(HostLog.load(store, ID, at, ExtentFilter.ALL, RunListener.NONE)
                            .seq())
                    .as("moment %d", i)
                    .isEqualTo(i);
        }
        CommitTimes after = CommitTimes.load(store, ID, last, Set.of(file));
        for (int position = 0; position < (goesOn ? 47 : 42); position++) {
            assertThat(after.timeMs(version, position))
                    .as("byte %d", position)
                    .isEqualTo(before.timeMs(version, position));
        }
        String content = content();
        assertThat(repair(true)).isOne();
        assertThat(steps).containsExactly("QUARANTINE " + ArchiveLayout.commit(ID, seq));
        assertThat(content()).isEqualTo(content);
        assertThat(repair(true)).isZero();
    }

    /** Tables say what it said, so that all can be read; but a compaction, which needs each commit, ends. */
    @ParameterizedTest
    @ValueSource(longs = {1, 3})
    void aCommitOfAnotherLogIsSetAside(long seq) throws IOException {
        SpanTables.write(store, ID, 6, Map.of());
        String other = "00000000000000f1";
        try (Host host = new Host(store, other, "web2")) {
            for (int i = 1; i <= seq; i++) {
                host.file("/other" + i, "");
                host.commit();
            }
        }
        String key = ArchiveLayout.commit(ID, seq);
        byte[] foreign = store.bytes(ArchiveLayout.commit(other, seq)).clone();
        store.delete(key);
        Host.put(store, key, foreign);
        repair(true);
        assertThat(steps).contains("QUARANTINE " + key);
        String after = content();
        for (int i = 1; i <= 6; i++) {
            assertThat(after.contains("line " + i)).isEqualTo(i != seq);
        }
        assertThat(repair(true)).isZero();
        compact(new ArrayList<>(), 0);
        assertThat(content()).isEqualTo(after);
    }

    @Test
    void aMissingCommitIsStated() throws IOException {
        store.delete(ArchiveLayout.commit(ID, 4));
        assertThat(repair(true)).isEqualTo(2);
        assertThat(content()).isEqualTo("line 1\nline 2\nline 3\n[21-28]line 5\nline 6\n");
    }

    /** What a table states can be read, but a compaction, which needs each commit, could not continue. */
    @ParameterizedTest
    @ValueSource(longs = {1, 4, 6})
    void aMissingCommitThatATableCoversIsStated(long seq) throws IOException {
        SpanTables.write(store, ID, 6, Map.of());
        store.delete(ArchiveLayout.commit(ID, seq));
        assertThat(repair(true)).isEqualTo(2);
        assertThat(steps).anyMatch(step -> step.equals("LOSS " + ArchiveLayout.commit(ID, seq)));
        String before = content();
        for (int i = 1; i <= 6; i++) {
            assertThat(before.contains("line " + i)).isEqualTo(i != seq);
        }
        assertThat(repair(true)).isZero();
        compact(new ArrayList<>());
        assertThat(content()).isEqualTo(before);
    }

    /** Anybody who may ship can put tables; a checkpoint made of theirs would let compaction remove the commits. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tablesThatContradictTheCommitsAreSetAside(boolean isDamaged) throws IOException {
        String before = content();
        MemoryStore other = new MemoryStore();
        try (Host evil = new Host(other, ID, "web1")) {
            for (int i = 0; i < 9; i++) {
                evil.zeros(evil.file("/evil" + i), 1000);
                evil.commit();
            }
        }
        SpanTables.write(other, ID, 9, Map.of());
        for (String key : other.keys("/tables/")) {
            store.putIfAbsent(key, MemorySegment.ofArray(other.bytes(key)));
        }
        if (isDamaged) {
            damage(3);
        }
        repair(true);
        String after = content();
        for (String line : before.split("\n")) {
            assertThat(after.contains(line)).as(line).isEqualTo(!isDamaged || !line.equals("line 3"));
        }
        for (int day = 0; day < 3; day++) {
            compact(new ArrayList<>());
            store.advance(2 * 86_400_000L);
        }
        assertThat(content()).isEqualTo(after);
        assertThat(store.keys(ArchiveLayout.tables(ID))).allMatch(key -> key.startsWith(ArchiveLayout.QUARANTINE));
    }

    /** When one ends before or after any operation of the store, the next one continues, and nothing is lost. */
    @Test
    void mayBeEndedAnywhere() throws IOException {
        damage(3);
        MemoryStore whole = store.copy();
        for (int operations = 1; operations < 300; operations++) {
            MemoryStore copy = whole.copy();
            int last = operations;
            int[] count = new int[1];
            boolean ended = false;
            try {
                new Repair(
                                new io.chagres.archive.testing.FaultyStore(copy, (operation, done) -> {
                                    if (++count[0] >= last) {
                                        throw new StoreException("ended", new IOException(), false);
                                    }
                                }),
                                ID,
                                copy::nowMs,
                                (action, object, why, consequence) -> {})
                        .run(true);
            } catch (StoreException e) {
                ended = true;
            }
            new Repair(copy, ID, copy::nowMs, (action, object, why, consequence) -> {}).run(true);
            assertThat(copy.keys("quarantine/")).isNotEmpty();
            assertThat(new Repair(copy, ID, copy::nowMs, (action, object, why, consequence) -> {}).run(false))
                    .isZero();
            if (!ended) {
                return;
            }
        }
        throw new AssertionError("it never ends");
    }

    /** A number says nothing of how many commits there were. */
    @ParameterizedTest
    @ValueSource(longs = {100, 1_000_000_000_000_022L, 9_999_999_999_999_999L})
    void whatHasTheNumberOfNoCommitIsSetAside(long number) throws IOException {
        String stray = ArchiveLayout.commit(ID, number);
        String last = content();
        for (byte[] bytes : new byte[][] {
            store.bytes(ArchiveLayout.commit(ID, 2)),
            new byte[0],
            new byte[2000],
            "text".getBytes(StandardCharsets.UTF_8)
        }) {
            store.replace(stray, bytes.clone());
            assertThat(repair(true)).isEqualTo(1);
            assertThat(steps).containsExactly("QUARANTINE " + stray);
            assertThat(content()).isEqualTo(last);
            assertThat(repair(true)).isZero();
        }
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/later", "continues");
            assertThat(host.commit()).isEqualTo(7);
        }
    }

    /** A commit of a number that its log cannot have reached, with all that a commit has. */
    @Test
    void aCommitBehindMoreThanThereCanBeIsSetAside() throws IOException {
        String last = content();
        MemoryStore other = new MemoryStore();
        try (CommitBuilder commit = new CommitBuilder(1 << 20, 1)) {
            commit.records().write(new LogRecord.NameRemoved(Pathname.of("/a"), false));
            LogEnd end = new LogEnd(1_000_000_000_000_021L, new byte[32], 0, 1, null);
            new CommitLog(other, ID, new byte[16], end, () -> 1_700_000_100_000L).append(commit);
        }
        String stray = other.keys().getFirst();
        store.replace(stray, other.bytes(stray));
        assertThatThrownBy(this::content).isInstanceOf(CorruptArchiveException.class);
        assertThat(repair(true)).isEqualTo(1);
        assertThat(store.keys()).contains("quarantine/" + stray);
        assertThat(content()).isEqualTo(last);
    }

    /** Its records are read, or a later commit repeats them; where its bytes lie does not matter. */
    @Test
    void theBytesOfADamagedCommitAreKept() throws IOException {
        MemoryStore one = new MemoryStore();
        try (Host host = new Host(one, ID, "web1")) {
            long grows = host.file("/grows", "");
            for (int i = 1; i <= 16; i++) {
                host.inline(grows, "line " + i + "\n");
                host.commit();
            }
            for (int seq = 1; seq <= 15; seq++) {
                MemoryStore copy = one.copy();
                String key = ArchiveLayout.commit(ID, seq);
                copy.bytes(key)[140] ^= 1; // a record
                new Repair(copy, ID, copy::nowMs, (action, object, why, consequence) -> {}).run(true);
                assertThat(copy.keys()).contains("quarantine/" + key).doesNotContain(key);
                try (Host reader = new Host(copy, ID, "web1")) {
                    reader.written.putAll(host.written);
                    assertThat(reader.differing()).as(key).isEmpty();
                }
            }
        }
    }

    @Test
    void aStepThatFailsIsAFailure() throws IOException {
        damage(3);
        FaultyStore refusing = new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == FaultyStore.Kind.DELETE && operation.key().contains("/log/")) {
                throw new StoreException("it may not be moved", new IOException(), false);
            }
        });
        List<String> told = new ArrayList<>();
        Repair repair = new Repair(
                refusing, ID, store::nowMs, (action, object, why, consequence) -> told.add(action + " " + object));
        assertThatThrownBy(() -> repair.run(true)).hasMessageContaining("1 step");
        assertThat(told).endsWith("FAILURE " + ArchiveLayout.commit(ID, 3));
        assertThat(repair.steps()).isEqualTo(1);
        assertThat(repair(true)).as("the next one does it").isEqualTo(2);
    }

    /** Where a move is a copy, what is larger than any object of the format is not copied. */
    @Test
    void whatIsTooLargeStaysWhereItIs() throws IOException {
        damage(3);
        String key = ArchiveLayout.commit(ID, 3);
        BlobStore huge = new ForwardingStore(store) {
            @Override
            public long size(String of) throws IOException {
                return of.equals(key) ? 1L << 40 : store.size(of);
            }

            @Override
            public void move(String from, String to, long maxBytes) throws IOException {
                if (size(from) > maxBytes) {
                    throw new StoreException("too large");
                }
                throw new AssertionError("it was copied");
            }
        };
        Repair repair = new Repair(huge, ID, store::nowMs, (action, object, why, consequence) -> {});
        assertThatThrownBy(() -> repair.run(true)).isInstanceOf(StoreException.class);
        assertThat(store.keys()).contains(key);
    }

    /** Without its checkpoint a host whose commits are gone would look as if it never held anything. */
    @Test
    void whatCannotBeReadAtAllIsLeftAsItIs() throws IOException {
        compact(new ArrayList<>());
        store.bytes(store.keys("/checkpoints/").getLast())[20] ^= 1;
        List<String> keys = store.keys();
        assertThatThrownBy(() -> repair(true)).hasMessageContaining("Nothing was changed");
        assertThat(store.keys()).isEqualTo(keys);
        assertThat(steps).hasSize(1).allMatch(step -> step.startsWith("LOSS"));
    }

    @Test
    void isRefusedWhileTheShipperLives() throws IOException {
        damage(3);
        new Heartbeat(Heartbeat.State.RUNNING, 0, 60_000, 0, 0, 0, 1, 0, "1", "/", "", 0, 0, 0).put(store, ID, 1, 1);
        assertThatThrownBy(() -> repair(true))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("lives");
        store.replace(ArchiveLayout.heartbeat(ID, 1, 1), new byte[3]); // nobody can read it, and it was put just now
        assertThatThrownBy(() -> repair(true)).hasMessageContaining("lives");
        store.advance(1_000_000);
        assertThat(repair(true)).isEqualTo(4);
    }

    private Repair repairing() {
        return new Repair(store, ID, store::nowMs, (action, object, why, consequence) -> {});
    }

    private void commit(LogRecord record) throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.write(record);
            host.commit();
        }
    }

    private static LogRecord opened(Machine machine, long pid) {
        return new LogRecord.IncarnationOpened(
                new byte[16], "web1", machine.machineId(), "u", machine.bootId(), pid, "test", 1);
    }

    /** It puts no heartbeat, and holds the lock of its state directory. */
    @Test
    void isRefusedWhileItsProcessLives(@TempDir Path state) throws IOException {
        Process shipper =
                new ProcessBuilder("flock", "-o", state.resolve("lock").toString(), "cat").start();
        Await.until("it has its lock", () -> isHolder(shipper.pid()));
        commit(opened(Machine.current(), shipper.pid()));
        damage(3);
        assertThatThrownBy(() -> repairing().run(true)).hasMessageContaining("lives: process ");
        shipper.getOutputStream().close();
        Await.until("it has ended", () -> !shipper.isAlive());
        Repair repair = repairing();
        assertThat(repair.run(true)).isPositive();
        assertThat(repair.doubt())
                .as("a process that is not seen may be in a container")
                .contains("no heartbeat tells");
    }

    private static boolean isHolder(long pid) {
        try {
            return FileLocks.isHolder(pid);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void saysThatNobodyKnowsWhetherAShipperLivesThatNeverSpeaks() throws IOException {
        damage(3);
        Repair elsewhere = repairing();
        assertThat(elsewhere.run(false)).isPositive();
        assertThat(elsewhere.doubt()).contains("no heartbeat tells");
        damage(3); // undone
        commit(new LogRecord.IncarnationClosed(true));
        damage(3);
        Repair ended = repairing();
        assertThat(ended.run(false)).isPositive();
        assertThat(ended.doubt()).isNull();
    }

    /** The last heartbeat is that of another run, which ended; the one that came then puts none. */
    @Test
    void believesNoLastWordThatIsOlderThanTheLog() throws IOException {
        damage(3);
        Heartbeat over = new Heartbeat(Heartbeat.State.DRAINED, 0, 60_000, 0, 0, 0, 1, 0, "1", "/", "", 0, 0, 0);
        over.put(store, ID, 1, 1);
        Repair ended = repairing();
        ended.run(false);
        assertThat(ended.doubt()).isNull();
        store.advance(1);
        damage(3); // undone
        commit(opened(new Machine("web1", "m", "u", "b2", "6"), 42));
        damage(3);
        Repair begun = repairing();
        begun.run(false);
        assertThat(begun.doubt()).contains("no heartbeat tells");
    }

    /** The last word of a run is old; the one that came then puts none, but commits. */
    @Test
    void looksAtCommitsBehindTheLastWord() throws IOException {
        Heartbeat running = new Heartbeat(Heartbeat.State.RUNNING, 0, 60_000, 0, 0, 0, 1, 0, "1", "/", "", 0, 0, 0);
        running.put(store, ID, 1, 1);
        store.advance(600_000);
        commit(opened(new Machine("web1", "m", "u", "b2", "6"), 42));
        damage(3);
        assertThatThrownBy(() -> repairing().run(true)).hasMessageContaining("lives: it was heard less than 180 s ago");
        store.advance(600_000);
        Repair repair = repairing();
        repair.run(false);
        assertThat(repair.doubt()).contains("no heartbeat tells");
    }
}
