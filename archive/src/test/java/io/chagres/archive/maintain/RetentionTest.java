package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdInputStream;
import io.chagres.archive.Codec;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordColumns;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.LaggingStore;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Undamaged;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Expires what is old, and nothing else. */
@Tag("long")
class RetentionTest {
    private static final int MAX_BLOCK_BYTES = 256 << 10;
    private static final String ID = "0123456789abcdef";
    private static final long DAY_MS = 86_400_000;
    private static final CompactOptions RETAIN = new CompactOptions(DAY_MS, 30 * DAY_MS, 1, 8 << 20, false);

    private final MemoryStore store = new MemoryStore();

    private static CompactSummary compact(BlobStore of, MemoryStore clock) throws IOException {
        return new Compact(of, RETAIN, clock::nowMs, Undamaged.COMPACT).host(ID);
    }

    /** Compacts once a day. */
    private void days(int days) throws IOException {
        for (int i = 0; i < days; i++) {
            store.advance(DAY_MS);
            compact(store, store);
            assertThat(CompactTest.faults(store)).isEmpty();
        }
    }

    private static byte[] random(RandomGenerator random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Asserts that every version ends where it did, holds the bytes that were written from where it begins. */
    private static void assertKept(BlobStore of, Host host) throws IOException {
        HostState state = host.state();
        try (VersionReader reader = new VersionReader(of, ID, state)) {
            for (FileVersion version : state.versions()) {
                byte[] written = host.bytes(version.id());
                assertThat(version.length()).isEqualTo(written.length);
                byte[] read = new byte[(int) (version.length() - version.startPosition())];
                int done = 0;
                while (done < read.length) {
                    done += reader.read(
                            version,
                            version.startPosition() + done,
                            MemorySegment.ofArray(read).asSlice(done));
                }
                assertThat(read).isEqualTo(Arrays.copyOfRange(written, (int) version.startPosition(), written.length));
                assertThat(version.isOver() || version.startPosition() <= Math.max(0, written.length - (1 << 20)))
                        .isTrue();
            }
        }
        for (long id : host.written.keySet()) {
            FileVersion version = state.version(id);
            assertThat(version != null || id < state.nextVersionId()).isTrue();
        }
    }

    private static Map<String, Long> names(HostState state) {
        Map<String, Long> names = new TreeMap<>();
        for (NameTree.Entry entry : state.names()) {
            FileVersion version = entry.version();
            names.put(entry.path().toString(), version == null ? 0 : version.length());
        }
        return names;
    }

    private boolean historiesTellOf(String name) throws IOException {
        boolean found = false;
        for (String key : store.keys("/history/")) {
            try (ZstdInputStream in = new ZstdInputStream(new ByteArrayInputStream(store.bytes(key)))) {
                ByteBuffer content = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
                content.position(FixedHeader.BYTES);
                for (int length = content.getInt(); length > 0; length = content.getInt()) {
                    byte[] records =
                            RecordColumns.decode(key, content.array(), content.position(), length, MAX_BLOCK_BYTES);
                    found |= new String(records, StandardCharsets.ISO_8859_1).contains(name);
                    content.position(content.position() + length);
                }
            }
        }
        return found;
    }

    /** Moments that are refused are in no history, and those that are shown are what they were. */
    @Test
    void namesOfWhatIsGoneAreForgotten() throws IOException {
        Map<Long, Map<String, Long>> moments = new TreeMap<>();
        try (Host host = new Host(store, ID, "web1")) {
            long grows = host.file("/grows", "first\n");
            host.directory("/d");
            for (int day = 0; day < 130; day++) {
                host.timeMs = store.nowMs();
                long file = host.file("/d/of-day-" + day + "-only", "day " + day);
                host.inline(grows, "line " + day + "\n");
                host.commit();
                host.move("/d/of-day-" + day + "-only", "/d/moved-" + day);
                host.remove("/d/moved-" + day);
                host.close(file, LogRecord.Reason.GONE);
                host.timeMs = store.nowMs();
                moments.put(store.nowMs(), names(host.state()));
                store.advance(3_600_000);
                host.timeMs = store.nowMs();
                host.commit();
                days(1);
            }
            int shown = 0;
            for (Map.Entry<Long, Map<String, Long>> each : moments.entrySet()) {
                try {
                    assertThat(names(host.state(PointInTime.time(each.getKey()))))
                            .isEqualTo(each.getValue());
                    shown++;
                } catch (CompactedHistoryException e) {
                    assertThat(shown).as("later ones are shown").isZero();
                }
            }
            assertThat(shown).isBetween(28, 40);
        }
        assertThat(store.keys("/history/")).hasSizeLessThan(110);
        for (int day = 0; day < 20; day++) {
            assertThat(historiesTellOf("of-day-" + day + "-only"))
                    .as("day %d", day)
                    .isFalse();
        }
        assertThat(historiesTellOf("of-day-125-only")).isTrue();
    }

    @Test
    void versionsThatAreOverGoWholly() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long gone = host.file("/gone", "gone");
            long source = host.file("/source", "an origin of what stays");
            long stays = host.file("/stays", "x");
            long newer = host.file("/newer", "an origin that is newer");
            host.copy(stays, source, 3, 6);
            host.copy(stays, newer, 3, 6);
            for (long id : List.of(gone, source, newer)) {
                host.remove(id == gone ? "/gone" : id == source ? "/source" : "/newer");
                host.close(id, LogRecord.Reason.GONE);
            }
            host.commit();
            days(29);
            assertThat(host.state().version(gone)).isNotNull();
            days(4);
            assertThat(host.state().version(gone)).isNull();
            assertThat(host.state().version(source)).isNotNull();
            assertThat(host.state().version(newer)).isNotNull();
            assertThat(store.keys("/streams/")).hasSize(1);
            assertKept(store, host);
            host.remove("/stays");
            host.close(stays, LogRecord.Reason.GONE);
            host.commit();
            days(36);
            assertThat(host.state().versions()).isEmpty();
            assertThat(host.state().nextVersionId()).isEqualTo(5);
            assertThat(store.keys("/streams/")).isEmpty();
        }
    }

    @Test
    void aFileThatMayGrowKeepsItsEnd() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("RetentionTest"));
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/large");
            for (int i = 0; i < 12; i++) {
                host.inline(id, random(random, 256 * 1024));
                host.commit();
            }
            store.advance(31 * DAY_MS);
            days(3);
            FileVersion version = Objects.requireNonNull(host.state().version(id));
            assertThat(version.startPosition()).isEqualTo(2 << 20);
            assertThat(version.retention().expiredBefore()).isEqualTo(2 << 20);
            assertKept(store, host);
            host.inline(id, "goes on");
            host.commit();
            assertKept(store, host);
            assertThat(CompactTest.faults(store)).isEmpty();
            long earliest = host.timeMs;
            assertThatThrownBy(() -> host.state(PointInTime.seq(1))).isInstanceOf(CompactedHistoryException.class);
            assertThat(host.state(PointInTime.time(earliest - 1_000_000)).seq()).isZero();
        }
    }

    /** A copy that was being compared while its source was declared expired keeps the source. */
    @Test
    void aLateCopyKeepsItsSource() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long source = host.file("/source", "the bytes of a source");
            host.remove("/source");
            host.close(source, LogRecord.Reason.TRUNCATED);
            host.commit();
            days(30);
            assertThat(Objects.requireNonNull(host.state().version(source))
                            .retention()
                            .expiredMs())
                    .isPositive();
            long copy = host.file("/copy");
            host.copy(copy, source, 0, 9);
            host.commit();
            days(5);
            assertKept(store, host);
            assertThat(host.read(host.state(), copy)).asString().isEqualTo("the bytes");
        }
    }

    @Test
    void aSpoolLosesWhatWasTakenAtOnceAndNothingElse() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("RetentionTest"));
        Map<Long, Long> taken = new HashMap<>();
        try (Host host = new Host(store, ID, "web1")) {
            long large = host.file("/large");
            long gone = host.file("/gone", "gone");
            for (int i = 0; i < 16; i++) {
                host.inline(large, random(random, 256 * 1024));
                host.commit();
                long before = taken.getOrDefault(large, 0L);
                taken.put(large, before + random.nextLong(host.bytes(large).length - before + 1));
                spool(taken);
                FileVersion version = Objects.requireNonNull(host.state().version(large));
                assertThat(version.startPosition()).isLessThanOrEqualTo(taken.get(large));
                assertKept(store, host);
                assertThat(CompactTest.faults(store)).isEmpty();
                assertThat(store.keys("/log/")).isEmpty();
            }
            host.remove("/gone");
            host.close(gone, LogRecord.Reason.GONE);
            host.commit();
            taken.put(large, 4L << 20);
            taken.put(gone, 3L);
            spool(taken);
            assertThat(Objects.requireNonNull(host.state().version(large)).startPosition())
                    .isBetween(2L << 20, 3L << 20); // the last object has one MiB or more, and less than two
            assertThat(Objects.requireNonNull(host.state().version(gone)).startPosition())
                    .isZero();
            taken.put(gone, 4L);
            store.advance(6 * DAY_MS);
            host.inline(large, "more");
            host.commit();
            spool(taken);
            assertThat(Objects.requireNonNull(host.state().version(gone)).startPosition())
                    .isEqualTo(4);
            store.advance(7 * DAY_MS);
            host.commit();
            spool(taken);
            assertThat(host.state().version(gone)).isNull();
            assertKept(store, host);
        }
    }

    @Test
    void aLargeExtentLeavesTheSpoolThoughItsEndIsNeeded() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("RetentionTest"));
        try (Host host = new Host(store, ID, "web1")) {
            long large = host.file("/large");
            for (int i = 0; i < 32; i++) {
                host.inline(large, random(random, 256 * 1024));
            }
            host.commit();
            Map<Long, Long> taken = new HashMap<>();
            spool(taken);
            assertThat(stored()).isGreaterThan(8L << 20);
            host.commit();
            taken.put(large, 3L << 20);
            spool(taken);
            assertThat(start(host, large)).as("more stays than goes").isZero();
            host.commit();
            taken.put(large, 6L << 20);
            spool(taken);
            assertThat(start(host, large)).isEqualTo(6L << 20);
            assertThat(stored()).isLessThan(3L << 20);
            assertKept(store, host);
            assertThat(CompactTest.faults(store)).isEmpty();
            host.commit();
            taken.put(large, 8L << 20);
            spool(taken);
            assertThat(start(host, large))
                    .as("a shipper compares the last of it")
                    .isEqualTo(7L << 20);
            assertKept(store, host);
            assertThat(CompactTest.faults(store)).isEmpty();
        }
    }

    private static long start(Host host, long version) throws IOException {
        return Objects.requireNonNull(host.state().version(version)).startPosition();
    }

    private long stored() throws IOException {
        long sum = 0;
        for (String key : store.keys("/streams/")) {
            sum += store.size(key);
        }
        return sum;
    }

    private void spool(Map<Long, Long> taken) throws IOException {
        store.advance(1000);
        Compact.ofSpool(store, 8 << 20, store::nowMs, Undamaged.COMPACT, id -> taken.getOrDefault(id, 0L))
                .host(ID);
    }

    /** Stops the world at an operation, before or after it. */
    private static final class Stop implements FaultyStore.Faults {
        private static final class Killed extends Error {
            private static final long serialVersionUID = 1;
        }

        private int left;

        Stop(int left) {
            this.left = left;
        }

        @Override
        public void at(FaultyStore.Operation operation, boolean done) {
            if (left-- == 0) {
                throw new Killed();
            }
        }
    }

    @Test
    void canBeStoppedBeforeAndAfterEveryOperation() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("RetentionTest"));
        try (Host host = new Host(store, ID, "web1")) {
            long large = host.file("/large", "first");
            long gone = host.file("/gone", "gone");
            host.inline(large, random(random, 1 << 18));
            host.commit();
            host.remove("/gone");
            host.close(gone, LogRecord.Reason.GONE);
            host.inline(large, random(random, 1 << 18));
            host.commit();
            for (int day : new int[] {0, 1, 31, 1, 2}) {
                store.advance(day * DAY_MS);
                stopEverywhere(host);
                compact(store, store);
            }
            assertThat(host.state().version(gone)).isNull();
        }
    }

    private void stopEverywhere(Host host) throws IOException {
        boolean finished = false;
        for (int stop = 0; !finished; stop++) {
            MemoryStore world = store.copy();
            try {
                compact(new FaultyStore(world, new Stop(stop)), world);
                finished = true;
            } catch (Stop.Killed e) {
                finished = false;
            }
            try (Host restarted = new Host(world, ID, "web1")) {
                restarted.written.putAll(host.written);
                assertKept(world, restarted);
                assertThat(CompactTest.faults(world)).isEmpty();
                restarted.commit();
                compact(world, world);
                assertKept(world, restarted);
                assertThat(CompactTest.faults(world)).isEmpty();
            }
        }
    }

    /** Runs another compaction and a commit before each operation of a compaction. */
    @Test
    void twoMayRunAtOnceBesideAShipper() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("RetentionTest"));
        try (Host host = new Host(store, ID, "web1")) {
            long large = host.file("/large", "first");
            long gone = host.file("/gone", "gone");
            host.object(large, random(random, 300_000), Codec.NONE);
            host.commit();
            host.remove("/gone");
            host.close(gone, LogRecord.Reason.GONE);
            host.commit();
            for (int day : new int[] {0, 2, 31, 1, 2}) {
                store.advance(day * DAY_MS);
                for (int at = 0; overtake(host, store.copy(), at); at++) {
                    assertThat(at).isLessThan(10_000);
                }
                compact(store, store);
            }
        }
    }

    /** Returns whether the compaction had as many operations. */
    private static boolean overtake(Host host, MemoryStore world, int at) throws IOException {
        try (Host shipper = new Host(world, ID, "web1")) {
            shipper.written.putAll(host.written);
            HostState reading = shipper.state();
            int[] left = {at};
            compact(
                    new FaultyStore(world, (operation, done) -> {
                        if (!done && left[0]-- == 0) {
                            shipper.file("/new", "new");
                            shipper.commit();
                            compact(world, world);
                        }
                    }),
                    world);
            assertThat(CompactTest.faults(world)).isEmpty();
            assertKept(world, shipper);
            for (FileVersion version : reading.versions()) {
                if (version.startPosition() == 0) {
                    assertThat(shipper.read(reading, version.id())).isEqualTo(host.bytes(version.id()));
                }
            }
            return left[0] < 0;
        }
    }

    /** Objects of the last hour are not listed; objects that are known by name are there at once. */
    @Test
    void worksWhereListingsLag() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long live = host.file("/live", "live");
            long gone = host.file("/gone", "gone");
            host.commit();
            host.remove("/gone");
            host.close(gone, LogRecord.Reason.GONE);
            for (int day = 0; day < 40; day++) {
                host.inline(live, "day " + day);
                host.commit();
                BlobStore lagging = new LaggingStore(store, 3_600_000);
                assertThat(HostLog.load(lagging, ID, PointInTime.NOW, ExtentFilter.NONE, RunListener.NONE)
                                .seq())
                        .isEqualTo(host.state().seq());
                store.advance(DAY_MS);
                compact(lagging, store);
                assertThat(CompactTest.faults(store)).isEmpty();
                assertKept(store, host);
            }
            assertThat(host.state().version(gone)).isNull();
            assertThat(store.keys("/log/")).hasSizeLessThan(5);
        }
    }

    /** Random ships, ends, copies, compactions and kills, compared with what was written. */
    @Test
    void keepsWhatIsYoungWhateverTheHistory() throws IOException {
        long seed = Seeds.next("RetentionTest");
        for (int run : Share.of(20)) {
            try {
                history(Seeds.random(seed + run), new MemoryStore());
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + (seed + run), e);
            }
        }
    }

    private static void history(RandomGenerator random, MemoryStore store) throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            List<Long> live = new ArrayList<>(List.of(host.file("/f" + host.written.size())));
            host.commit(); // without one it has not begun
            for (int step = 0; step < 150; step++) {
                int choice = live.isEmpty() ? 0 : random.nextInt(8);
                if (choice <= 1) {
                    live.add(host.file("/f" + host.written.size()));
                } else if (choice == 2 && live.size() > 2) {
                    long over = live.remove(random.nextInt(live.size()));
                    host.remove("/f" + (over - 1));
                    host.close(over, LogRecord.Reason.GONE);
                } else if (choice == 3 && host.state().version(live.getFirst()) != null) {
                    copy(host, live.getFirst(), live.getLast());
                } else if (choice == 4 && host.state().version(live.getLast()) != null) {
                    copy(host, live.getLast(), live.getFirst());
                } else {
                    int large = random.nextInt(6) == 0 ? 400_000 : 400;
                    host.inline(live.get(random.nextInt(live.size())), random(random, 1 + random.nextInt(large)));
                }
                if (random.nextInt(3) == 0) {
                    host.commit();
                    store.advance(random.nextLong(4 * DAY_MS));
                }
                if (random.nextInt(4) == 0) {
                    killed(random, store);
                    compact(store, store);
                    assertThat(CompactTest.faults(store)).isEmpty();
                    assertKeptCommitted(store, host);
                }
            }
        }
    }

    /** Copies what a shipper would: only bytes that the archive has and that are not declared expired. */
    private static void copy(Host host, long source, long target) throws IOException {
        FileVersion version = Objects.requireNonNull(host.state().version(source));
        long from = Math.max(version.startPosition(), version.retention().expiredBefore());
        int length = (int) Math.min(1000, version.length() - from);
        if (source != target && length > 0) {
            host.copy(target, source, from, length);
        }
    }

    private static void killed(RandomGenerator random, MemoryStore store) throws IOException {
        try {
            compact(new FaultyStore(store, new Stop(random.nextInt(200))), store);
        } catch (Stop.Killed e) {
            assertThat(CompactTest.faults(store)).isEmpty();
        }
    }

    private static void assertKeptCommitted(MemoryStore store, Host host) throws IOException {
        HostState state = host.state();
        try (VersionReader reader = new VersionReader(store, ID, state)) {
            for (FileVersion version : state.versions()) {
                byte[] read = new byte[(int) (version.length() - version.startPosition())];
                for (int done = 0; done < read.length; ) {
                    done += reader.read(
                            version,
                            version.startPosition() + done,
                            MemorySegment.ofArray(read).asSlice(done));
                }
                assertThat(read)
                        .isEqualTo(Arrays.copyOfRange(
                                host.bytes(version.id()), (int) version.startPosition(), (int) version.length()));
            }
        }
    }
}
