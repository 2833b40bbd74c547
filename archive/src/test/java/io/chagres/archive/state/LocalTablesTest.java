package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.Samples;
import io.chagres.archive.log.LogFixture;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A state over a table is the state that is in memory as a whole. */
@Tag("long")
class LocalTablesTest {
    private static final InodeAttributes SOME = new InodeAttributes(0640, 1, 2, 3);
    private static final int ROUNDS = 60;
    private static final int MANY = 40_000;

    @TempDir
    private Path directory;

    private final MemoryStore store = new MemoryStore();
    private final List<Long> lengths = new ArrayList<>(List.of(0L));
    private RandomGenerator random = Seeds.random(1);

    private LocalTables tables(boolean named) {
        return new LocalTables(Pathname.of(directory.toString()), named, 0, () -> {});
    }

    private HostState over(LocalTables tables) throws IOException {
        HostState state = HostLog.load(store, LogFixture.HOST, PointInTime.NOW, tables);
        StateTable table = state.table();
        if (table != null) {
            table.check(() -> {});
        }
        return state;
    }

    private String checkpoint() throws IOException {
        HostState state = LogFixture.load(store);
        Checkpoint.write(store, LogFixture.HOST, state, v -> Objects.requireNonNull(v.extents()));
        return ArchiveLayout.checkpoint(LogFixture.HOST, state.seq());
    }

    private Pathname path() {
        StringBuilder path = new StringBuilder();
        for (int depth = random.nextInt(1, 4); depth > 0; depth--) {
            path.append('/').append((char) ('a' + random.nextInt(4)));
            if (random.nextInt(3) == 0) {
                path.append((char) ('!' + random.nextInt(13)));
            }
        }
        return Pathname.of(path.toString());
    }

    private void change(LogFixture log) {
        int known = random.nextInt(1, lengths.size() + 1);
        if (known == lengths.size() || random.nextInt(4) == 0) {
            int id = lengths.size();
            Pathname path = path();
            lengths.add(0L);
            log.write(Samples.version(id, path.toString()), name(path, LogRecord.Kind.FILE, id));
            return;
        }
        switch (random.nextInt(8)) {
            case 0 -> log.write(new LogRecord.NameMoved(path(), path()));
            case 1 -> log.write(new LogRecord.NameRemoved(path(), false));
            case 2 -> log.write(name(path(), LogRecord.Kind.DIRECTORY, 0));
            case 3 -> log.write(new LogRecord.NameAdded(path(), LogRecord.Kind.SYMLINK, 0, path(), SOME));
            case 4 -> log.write(name(path(), LogRecord.Kind.FILE, known));
            case 5 -> log.write(new LogRecord.VersionClosed(known, LogRecord.Reason.SEALED));
            case 6 -> log.write(new LogRecord.AttributesChanged(known, Pathname.of(""), SOME));
            default -> {
                long more = random.nextInt(1, 100);
                log.write(new LogRecord.ZeroRun(known, lengths.get(known), more, 7));
                lengths.set(known, lengths.get(known) + more);
            }
        }
    }

    private static LogRecord name(Pathname path, LogRecord.Kind kind, long version) {
        return new LogRecord.NameAdded(path, kind, version, Pathname.of(""), SOME);
    }

    @Test
    void collectsGarbageOnTheWayThroughManyRows() {
        List<Integer> rows = IntStream.range(0, 200_000).boxed().toList();
        List<Integer> given = new ArrayList<>();
        List<Integer> freed = new ArrayList<>();
        try (LocalTables tables =
                LocalTables.unnamed(Pathname.of(directory.toString()), 0, () -> freed.add(given.size()))) {
            tables.relieving(rows).forEach(given::add);
        }
        assertThat(given).isEqualTo(rows);
        assertThat(freed).hasSize(3);
    }

    @Test
    void isTheSameAfterEachCommit() throws IOException {
        random = Seeds.random(Seeds.next("LocalTablesTest"));
        try (LogFixture log = new LogFixture(store);
                LocalTables tables = tables(false)) {
            HostState live = HostState.empty();
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = random.nextInt(1, 20); i > 0; i--) {
                    change(log);
                }
                log.commit();
                HostLog.refresh(store, LogFixture.HOST, live);
                if (round > 0) {
                    assertThat(StateText.of(live)).isEqualTo(StateText.of(LogFixture.load(store)));
                    for (FileVersion version : LogFixture.load(store).versions()) {
                        FileVersion found = Objects.requireNonNull(live.version(version.id()));
                        assertThat(found.nameCount()).isEqualTo(version.nameCount());
                        assertThat(found.length()).isEqualTo(version.length());
                    }
                    assertThat(live.versions()).hasSize(lengths.size() - 1);
                    assertThat(live.names().size())
                            .isEqualTo(LogFixture.load(store).names().size());
                }
                if (round % 7 == 0) {
                    checkpoint();
                    live = over(tables);
                    assertThat(StateText.of(live)).isEqualTo(StateText.of(LogFixture.load(store)));
                }
            }
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void loadsGoOnWhereTheLastOneEnded() throws IOException {
        random = Seeds.random(Seeds.next("LocalTablesTest.rolled"));
        try (LogFixture log = new LogFixture(store)) {
            for (int round = 1; round <= ROUNDS; round++) {
                for (int i = random.nextInt(1, 20); i > 0; i--) {
                    change(log);
                }
                log.commit();
                if (random.nextInt(10) == 0) {
                    checkpoint();
                }
                if (random.nextInt(6) == 0) {
                    SpanTables.write(store, LogFixture.HOST, random.nextInt(1, round + 1), Map.of());
                }
                long before = random.nextInt(1, round + 1);
                try (LocalTables tables = tables(random.nextInt(4) > 0)) {
                    if (random.nextInt(3) > 0) {
                        assertThat(StateText.of(over(tables))).isEqualTo(StateText.of(replayed()));
                    }
                    assertThat(StateText.of(HostLog.load(store, LogFixture.HOST, PointInTime.seq(before), tables)))
                            .isEqualTo(StateText.of(inMemory(PointInTime.seq(before))));
                }
            }
        }
    }

    /** What is written of a host without tables grows with its names, and not with their square. */
    @Test
    void writesNoRowMoreThanTwice() throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            for (int id = 1; id <= MANY; id++) {
                String path = "/d" + id % 7 + "/" + id;
                log.write(Samples.version(id, path), Samples.file(path, id), new LogRecord.ZeroRun(id, 0, id, 1));
                if (id % 100 == 0) {
                    log.commit();
                }
            }
        }
        try (LocalTables tables = LocalTables.unnamed(Pathname.of(directory.toString()), 2000, () -> {})) {
            HostState expected = inMemory(PointInTime.NOW);
            long begin = written();
            tables.relieved("at once", expected);
            long once = written() - begin;
            HostState state = over(tables);
            assertThat(written() - begin - once).isLessThan(2 * once);
            assertThat(StateText.of(state)).isEqualTo(StateText.of(expected));
            assertThat(state.names().size()).isEqualTo(expected.names().size());
        }
    }

    /** Returns how many bytes this thread has written. */
    private static long written() throws IOException {
        return Files.readAllLines(Path.of("/proc/thread-self/io")).stream()
                .filter(line -> line.startsWith("wchar: "))
                .mapToLong(line -> Long.parseLong(line.substring("wchar: ".length())))
                .sum();
    }

    private HostState replayed() throws IOException {
        return HostLog.replay(store, LogFixture.HOST, ExtentFilter.ALL, RunListener.NONE);
    }

    /** A mount of a host that was never compacted need not read every commit. */
    @Test
    void beginsAtATable() throws IOException {
        try (LogFixture log = new LogFixture(store);
                LocalTables tables = tables(false)) {
            log.write(Samples.version(1, "/a"), Samples.file("/a", 1));
            for (int i = 0; i < 30; i++) {
                log.write(new LogRecord.ZeroRun(1, i * 10L, 10, 1));
                log.commit();
            }
            SpanTables.write(store, LogFixture.HOST, 30, Map.of());
            HostState expected = replayed();
            for (long seq = 1; seq < 30; seq++) {
                String key = ArchiveLayout.commit(LogFixture.HOST, seq);
                store.replace(key, new byte[store.bytes(key).length]);
            }
            assertThat(StateText.of(over(tables))).isEqualTo(StateText.of(expected));
        }
    }

    private HostState inMemory(PointInTime at) throws IOException {
        return HostLog.load(store, LogFixture.HOST, at, ExtentFilter.ALL, RunListener.NONE);
    }

    @Test
    void readsNoCommitASecondTime() throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            log.write(Samples.version(1, "/a"), Samples.file("/a", 1));
            log.commit();
            log.write(new LogRecord.ZeroRun(1, 0, 10, 1));
            log.commit();
            try (LocalTables first = tables(true)) {
                over(first);
            }
            String key = ArchiveLayout.commit(LogFixture.HOST, 1);
            byte[] object = store.bytes(key);
            store.replace(key, new byte[object.length]);
            log.write(new LogRecord.ZeroRun(1, 10, 5, 1));
            log.commit();
            try (LocalTables second = tables(true)) {
                HostState state = over(second);
                assertThat(Objects.requireNonNull(state.version(1)).length()).isEqualTo(15);
                store.replace(key, object);
                assertThat(StateText.of(state)).isEqualTo(StateText.of(LogFixture.load(store)));
            }
        }
    }

    @Test
    void aTableOfAnotherLogIsNotUsed() throws IOException {
        commits(5);
        try (LocalTables first = tables(true)) {
            over(first);
        }
        for (int others : new int[] {3, 5, 7}) {
            for (String key : store.keys()) {
                store.delete(key);
            }
            commits(others);
            try (LocalTables second = tables(true)) {
                assertThat(StateText.of(over(second))).isEqualTo(StateText.of(LogFixture.load(store)));
            }
        }
    }

    private void commits(int count) throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            for (int i = 1; i <= count; i++) {
                log.write(Samples.version(i, "/" + count), Samples.file("/" + count, i));
                log.commit();
            }
        }
    }

    private String some() throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            log.write(Samples.opened(1, "web1", 5));
            for (int i = 1; i <= 3000; i++) {
                String path = "/d" + i % 17 + "/" + i;
                log.write(Samples.version(i, path), Samples.file(path, i), new LogRecord.ZeroRun(i, 0, i, 1));
            }
            log.commit();
        }
        return checkpoint();
    }

    private Path onlyFile() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList().getFirst();
        }
    }

    @Test
    void isFoundAgainUnlessItIsDamaged() throws IOException {
        String key = some();
        List<String> expected = StateText.of(LogFixture.load(store));
        try (LocalTables first = tables(true)) {
            assertThat(StateText.of(over(first))).isEqualTo(expected);
        }
        byte[] object = store.bytes(key);
        store.replace(key, new byte[object.length]); // nobody reads it
        try (LocalTables second = tables(true);
                LocalTables third = tables(true)) {
            HostState state = over(second);
            assertThat(StateText.of(over(third))).isEqualTo(expected);
            Files.delete(onlyFile());
            assertThat(StateText.of(state)).isEqualTo(expected);
        }
        store.replace(key, object);
        try (LocalTables again = tables(true)) {
            assertThat(StateText.of(over(again))).isEqualTo(expected);
        }
        byte[] whole = Files.readAllBytes(onlyFile());
        for (int i = 0; i < 20; i++) {
            byte[] damaged = whole.clone();
            damaged[i == 0 ? whole.length - 5 : i * (whole.length / 20)] ^= 4;
            Files.write(onlyFile(), damaged);
            try (LocalTables repaired = tables(true)) {
                assertThat(StateText.of(over(repaired))).isEqualTo(expected);
            }
            assertThat(onlyFile()).hasBinaryContent(whole);
        }
    }

    @Test
    void smallOnesAndUnwritablePlacesAreDoneWithout() throws IOException {
        some();
        List<String> expected = StateText.of(LogFixture.load(store));
        try (LocalTables large = new LocalTables(Pathname.of(directory.toString()), true, 1 << 15, () -> {});
                LocalTables nowhere = new LocalTables(Pathname.of(directory + "/none"), true, 0, () -> {})) {
            assertThat(StateText.of(over(large))).isEqualTo(expected);
            assertThat(StateText.of(over(nowhere))).isEqualTo(expected);
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aDamagedCheckpointIsSaid() throws IOException {
        String key = some();
        byte[] object = store.bytes(key);
        object[object.length / 2] ^= 1;
        store.replace(key, object);
        MemoryStore whole = store.copy();
        store.keys("/log/").forEach(store::delete);
        try (LocalTables tables = tables(true)) {
            assertThatThrownBy(() -> over(tables))
                    .isInstanceOf(CorruptArchiveException.class)
                    .hasMessageContaining(key);
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
        whole.keys("/log/").forEach(commit -> store.replace(commit, whole.bytes(commit)));
        try (LocalTables tables = tables(true)) { // the commits say the same
            assertThat(StateText.of(over(tables))).isEqualTo(StateText.of(LogFixture.load(store)));
        }
    }

    /** Somebody may have made it larger than any disk. */
    @Test
    void whatHasNoEndIsNotCopied() throws IOException {
        String key = some();
        long[] got = {0};
        BlobStore endless = new ForwardingStore(store) {
            @Override
            public long size(String of) throws IOException {
                return of.equals(key) ? 1L << 39 : super.size(of);
            }

            @Override
            public int get(String of, long offset, MemorySegment target) throws IOException {
                if (!of.equals(key)) {
                    return super.get(of, offset, target);
                }
                got[0] += target.byteSize();
                assertThat(got[0]).as("only its end is read").isLessThan(64 << 20);
                return (int) target.byteSize();
            }
        };
        try (LocalTables tables = tables(true)) {
            CheckpointId id = Objects.requireNonNull(Checkpoints.newest(endless, LogFixture.HOST));
            assertThatThrownBy(() -> tables.ofLarge(endless, LogFixture.HOST, Tables.none(id)))
                    .isInstanceOf(CorruptArchiveException.class)
                    .hasMessageContaining(key);
        }
    }
}
