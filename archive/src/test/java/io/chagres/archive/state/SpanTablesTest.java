package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.read.Workers;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.FaultyStore.Kind;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Tables;
import io.chagres.archive.testing.Undamaged;
import io.chagres.archive.verify.Verify;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that tables of spans change nothing but the number of requests. */
@Tag("long")
class SpanTablesTest {
    private static final String ID = "0123456789abcdef";

    private final MemoryStore store = new MemoryStore();
    private final RandomGenerator random = Seeds.random(Seeds.next("SpanTablesTest"));

    private void live(Host host) {
        List<Long> ids = new ArrayList<>(host.written.keySet());
        long id = ids.isEmpty() || random.nextInt(5) == 0
                ? host.file("/d" + random.nextInt(3) + "/f" + random.nextInt(9))
                : ids.get(random.nextInt(ids.size()));
        LogRecord.Reason[] reasons = LogRecord.Reason.values();
        switch (random.nextInt(12)) {
            case 0 -> host.remove("/d0/f" + random.nextInt(9));
            case 1 -> host.move("/d" + random.nextInt(3), "/e");
            case 2, 9 -> host.close(id, random.nextBoolean() ? LogRecord.Reason.SEALED : reasons[random.nextInt(4)]);
            case 10 -> host.write(new LogRecord.AttributesChanged(id, Pathname.of(""), attributes()));
            case 11 ->
                host.write(new LogRecord.AttributesChanged(0, Pathname.of("/d" + random.nextInt(3)), attributes()));
            case 3 -> host.zeros(id, 1 + random.nextInt(100));
            case 4 -> host.write(new LogRecord.Derived(id, id, "gz"));
            default -> host.inline(id, "x".repeat(1 + random.nextInt(3000)));
        }
    }

    private InodeAttributes attributes() {
        return new InodeAttributes(random.nextInt(512), random.nextInt(9), 0, random.nextInt(1000));
    }

    private long commits(Host host, int count) throws IOException {
        long seq = 0;
        for (int i = 0; i < count; i++) {
            live(host);
            seq = host.commit();
        }
        return seq;
    }

    private static void compact(BlobStore of, MemoryStore clock, long graceMs) throws IOException {
        new Compact(of, new CompactOptions(graceMs, 0, 1, 1 << 20, false), clock::nowMs, Undamaged.COMPACT).host(ID);
    }

    private static List<String> text(HostState state) {
        return StateText.of(state);
    }

    private static List<String> replayed(BlobStore of, ExtentFilter filter) throws IOException {
        return text(HostLog.replay(of, ID, filter, RunListener.NONE));
    }

    private static List<String> loaded(BlobStore of, ExtentFilter filter) throws IOException {
        return text(HostLog.load(of, ID, PointInTime.NOW, filter, RunListener.NONE));
    }

    private static void assertSame(BlobStore of) throws IOException {
        assertThat(loaded(of, ExtentFilter.ALL)).isEqualTo(replayed(of, ExtentFilter.ALL));
        assertThat(loaded(of, ExtentFilter.NONE)).isEqualTo(replayed(of, ExtentFilter.NONE));
        ExtentFilter some = id -> id % 2 == 0;
        assertThat(loaded(of, some)).isEqualTo(replayed(of, some));
    }

    private static void fill(Host host, int files) throws IOException {
        for (int i = 0; i < files; i++) {
            host.file("/d" + i % 3 + "/many-" + i);
        }
        host.commit();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 120, 400, 1500})
    void sayWhatTheCommitsSay(int files) throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            List<List<String>> states = new ArrayList<>(List.of(List.of()));
            if (files > 0) {
                fill(host, files);
                states.add(replayed(store, ExtentFilter.NONE));
            }
            for (int i = states.size() - 1; i < 80; i++) {
                commits(host, 1);
                states.add(replayed(store, ExtentFilter.NONE));
                if (random.nextInt(4) == 0) {
                    SpanTables.write(store, ID, 1 + random.nextInt(i + 1), Map.of());
                }
                if (random.nextInt(12) == 0) {
                    compact(store, store, 86_400_000);
                }
                assertSame(store);
                int seq = 1 + random.nextInt(i + 1);
                PointInTime at = PointInTime.seq(seq);
                assertThat(text(HostLog.load(store, ID, at, ExtentFilter.NONE, RunListener.NONE)))
                        .isEqualTo(states.get(seq));
            }
            assertThat(store.keys("/tables/")).isNotEmpty();
            assertThat(host.differing()).isEmpty();
        }
    }

    /** Commits of many files have tables as all others have. */
    @Test
    void standForCommitsThatAreLarge() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            for (int i = 0; i < 3; i++) {
                for (int file = 0; file < 1500; file++) {
                    host.file("/many" + i + "/" + file);
                }
                SpanTables.write(store, ID, host.commit(), Map.of());
            }
            assertThat(store.keys("/extents/")).hasSize(3);
            commits(host, 20);
            SpanTables.write(store, ID, 23, Map.of());
            assertSame(store);
            commits(host, 5);
            assertSame(store);
        }
    }

    /** What a listener hears does not depend on tables. */
    @Test
    void tellAListenerOfEveryExtent() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            commits(host, 20);
            SpanTables.write(store, ID, 11, Map.of());
            SpanTables.write(store, ID, 17, Map.of());
            Map<Long, Long> ends = new HashMap<>();
            HostState state = HostLog.load(store, ID, PointInTime.NOW, ExtentFilter.NONE, new RunListener() {
                @Override
                public void opened(LogRecord.VersionOpened opened) {
                    assertThat(ends.put(opened.versionId(), opened.startPosition()))
                            .isNull();
                }

                @Override
                public void extent(LogRecord.Extent extent) {
                    assertThat(ends.put(extent.versionId(), extent.end())).isEqualTo(extent.start());
                }
            });
            state.versions().forEach(version -> assertThat(ends).containsEntry(version.id(), version.length()));
        }
    }

    /** When one ends before or after any operation of the store, what is there is true, and the next one continues. */
    @ParameterizedTest
    @ValueSource(ints = {0, 300})
    void mayBeEndedAnywhere(int files) throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            fill(host, files);
            commits(host, 9);
            SpanTables.write(store, ID, 10, Map.of());
            commits(host, 10);
        }
        for (int operations = 0; ; operations++) {
            MemoryStore world = store.copy();
            int[] left = {operations};
            FaultyStore killed = new FaultyStore(world, (operation, done) -> {
                if (left[0]-- == 0) {
                    throw new StoreException("killed");
                }
            });
            boolean ended = false;
            try {
                SpanTables.write(killed, ID, 20, Map.of());
                ended = true;
            } catch (StoreException e) {
                assertThat(e).hasMessageContaining("killed");
            }
            assertSame(world);
            SpanTables.write(world, ID, 20, Map.of());
            assertSame(world);
            assertThat(world.keys("/names/")).hasSizeBetween(2, 3);
            if (ended) {
                break;
            }
        }
    }

    /** A compaction may come between any two operations of a writer. */
    @Test
    void aCompactionMayComeBetween() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            commits(host, 10);
            SpanTables.write(store, ID, 5, Map.of());
        }
        boolean[] passed = {false};
        for (int operations = 0; !passed[0]; operations++) {
            MemoryStore world = store.copy();
            int[] left = {operations};
            passed[0] = true;
            FaultyStore racing = new FaultyStore(world, (operation, done) -> {
                if (left[0]-- == 0) {
                    passed[0] = false;
                    compact(world, world, 86_400_000);
                }
            });
            SpanTables.write(racing, ID, 10, Map.of());
            assertSame(world);
            try (Host host = new Host(world, ID, "web1")) {
                commits(host, 5);
            }
            SpanTables.write(world, ID, 14, Map.of());
            assertSame(world);
        }
    }

    @Test
    void goWithTheirCheckpoint() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            commits(host, 10);
            SpanTables.write(store, ID, 10, Map.of());
            commits(host, 5);
            compact(store, store, 0);
            assertThat(store.keys("/tables/")).isEmpty();
            commits(host, 5);
            SpanTables.write(store, ID, 20, Map.of());
            assertThat(store.keys("/tables/")).hasSize(2).allMatch(key -> key.contains("/tables/0000000000000015-"));
            assertSame(store);
            assertThat(host.differing()).isEmpty();
        }
    }

    /** Damage of what only saves requests harms nobody; verify names it, and the next one is whole. */
    @ParameterizedTest
    @ValueSource(ints = {0, 300})
    void aDamagedOneIsReadAround(int files) throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            fill(host, files);
            commits(host, 9);
            SpanTables.write(store, ID, 5, Map.of());
            SpanTables.write(store, ID, 9, Map.of());
            for (String key : store.keys("/tables/")) {
                byte[] whole = store.bytes(key);
                byte[] damaged = whole.clone();
                damaged[damaged.length / 2] ^= 1;
                store.replace(key, damaged);
                assertSame(store);
                assertThat(faults(store)).containsExactly(key);
                MemoryStore later = store.copy();
                SpanTables.write(later, ID, 10, Map.of());
                assertSame(later);
                store.replace(key, whole);
            }
        }
    }

    private static List<String> faults(BlobStore of) throws IOException {
        List<String> subjects = new ArrayList<>();
        new Verify(of, Workers.NONE, Tables.any(), fault -> subjects.add(fault.object())).run(owner -> true);
        return subjects;
    }

    /** However long a log is, few tables say what it adds up to; each is written again once for each size. */
    @Test
    void oneStandsForManyOfItsSize() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            int writes = SpanTables.MERGED * SpanTables.MERGED + 5;
            for (int i = 1; i <= writes; i++) {
                SpanTables.write(store, ID, commits(host, 1), Map.of());
                List<String> read = new ArrayList<>();
                if (i % 50 == 0) {
                    HostLog.load(counting(read), ID, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
                }
                assertThat(read).hasSizeLessThan(4 * SpanTables.MERGED);
            }
            assertSame(store);
            List<String> read = new ArrayList<>();
            HostLog.load(counting(read), ID, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
            assertThat(read).filteredOn(key -> key.contains("/names/")).hasSize(1);
            assertThat(read).filteredOn(key -> key.contains("/extents/")).hasSize(6);
            assertThat(read).hasSize(7);
            assertThat(host.differing()).isEmpty();
        }
    }

    /** The tables of another writer end elsewhere: those that fit are used, and all say the same. */
    @Test
    void severalWritersMayWriteOthers() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            commits(host, 40);
        }
        for (int round = 0; round < 60; round++) {
            MemoryStore other = store.copy(); // a writer whose list lacks what others put
            other.keys("/tables/").stream().filter(key -> random.nextInt(3) > 0).forEach(other::delete);
            SpanTables.write(other, ID, 1 + random.nextInt(40), Map.of());
            other.keys("/tables/").forEach(key -> store.replace(key, other.bytes(key)));
            assertSame(store);
        }
    }

    /** One that contradicts the commits behind it is left aside. */
    @Test
    void commitsCountWhereTheyContradict() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            commits(host, 10);
            MemoryStore other = store.copy();
            commits(host, 5);
            try (Host elsewhere = new Host(other, ID, "web1")) {
                commits(elsewhere, 2);
                SpanTables.write(other, ID, 12, Map.of());
            }
            other.keys("/tables/").forEach(key -> store.replace(key, other.bytes(key)));
            assertSame(store);
        }
    }

    /** A reader that kept the commits reads none of them. */
    @Test
    void readOnlyWhatIsNotKept() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            commits(host, 30);
            SpanTables.write(store, ID, 20, Map.of());
            Map<Long, CommitHeader> kept = new HashMap<>();
            for (long seq = 21; seq <= 30; seq++) {
                kept.put(seq, CommitReader.header(store, ArchiveLayout.commit(ID, seq)));
            }
            List<String> read = new ArrayList<>();
            SpanTables.write(counting(read), ID, 30, kept);
            assertThat(read).isNotEmpty().allMatch(key -> key.contains("/names/"));
            assertSame(store);
        }
    }

    private FaultyStore counting(List<String> read) {
        return new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == Kind.GET
                    && !done
                    && (read.isEmpty() || !read.getLast().equals(operation.key()))) {
                read.add(operation.key());
            }
        });
    }

    /** Names take one table as long as it is small, and places one of each thousand commits. */
    @Test
    void shortenTheWay() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/a");
            for (int i = 0; i < 2500; i++) {
                host.inline(
                        Objects.requireNonNull(host.written.keySet().iterator().next()), "line\n");
                host.commit();
            }
        }
        SpanTables.write(store, ID, 2500, Map.of());
        assertThat(store.keys("/names/")).hasSize(4);
        List<String> read = new ArrayList<>();
        HostLog.load(counting(read), ID, PointInTime.NOW, ExtentFilter.NONE, RunListener.NONE);
        assertThat(read).hasSize(1);
        read.clear();
        HostLog.load(counting(read), ID, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
        assertThat(read).hasSize(4);
        assertSame(store);
    }
}
