package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Undamaged;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Three clocks that do not agree: the shipper's jumps forward and back while it runs, the compactor's is days off, and
 * the store has its own. Nothing goes before its time, and a moment is found by the times that commits say.
 */
@Tag("long")
class ClockSkewTest {
    private static final String ID = "0123456789abcdef";
    private static final long HOUR_MS = Duration.ofHours(1).toMillis();
    private static final long GRACE_MS = Duration.ofDays(1).toMillis();

    private final MemoryStore store = new MemoryStore();
    private final RandomGenerator random = Seeds.random(Seeds.next("ClockSkewTest"));
    private final List<Snapshot> readers = new ArrayList<>();

    /** What each commit's clock said, and which names there were after it. */
    private final NavigableMap<Long, Moment> moments = new TreeMap<>();

    /** A reader that began at a time of the store. */
    private record Snapshot(HostState state, long begunMs) {}

    private record Moment(long timeMs, List<String> names) {}

    private CompactSummary compact(long retainMs) throws IOException {
        long offMs = random.nextLong(-48, 49) * HOUR_MS;
        CompactOptions options = new CompactOptions(GRACE_MS, retainMs, Codec.ZSTD, 1, 1 << 20, false, 1);
        return new Compact(store, options, () -> store.nowMs() + offMs, Undamaged.COMPACT).host(ID);
    }

    private static List<String> names(HostState state) {
        List<String> names = new ArrayList<>();
        for (NameTree.Entry entry : state.names()) {
            names.add(entry.path().toString());
        }
        return names;
    }

    private void change(Host host, int step) throws IOException {
        host.timeMs += random.nextInt(4) > 0 ? 1000 : random.nextLong(-30, 31) * HOUR_MS;
        switch (random.nextInt(4)) {
            case 0 -> host.move("/f" + random.nextInt(step + 1), "/moved" + step);
            case 1 -> host.remove("/f" + random.nextInt(step + 1));
            default -> host.file("/f" + step, "content of " + step);
        }
        host.inline(1, "line " + step + "\n");
        long timeMs = host.timeMs;
        long seq = host.commit();
        moments.put(seq, new Moment(timeMs, names(host.state())));
    }

    /** A reader that began less than the grace period ago finds all its bytes. */
    private void requireReadable(Host host) throws IOException {
        readers.removeIf(reader -> store.nowMs() - reader.begunMs() >= GRACE_MS);
        for (Snapshot reader : readers) {
            try (VersionReader bytes = new VersionReader(store, ID, reader.state())) {
                for (FileVersion version : reader.state().versions()) {
                    byte[] found = new byte[(int) version.length()];
                    for (int at = 0; at < found.length; ) {
                        at += bytes.read(
                                version, at, MemorySegment.ofArray(found).asSlice(at));
                    }
                    assertThat(found).isEqualTo(Arrays.copyOf(host.bytes(version.id()), found.length));
                }
            }
        }
    }

    private void requireMoments(Host host) throws IOException {
        for (int i = 0; i < 5; i++) {
            List<Moment> all = List.copyOf(moments.values());
            long atMs = all.get(random.nextInt(all.size())).timeMs() + random.nextInt(-1, 2);
            List<String> expected = List.of();
            for (Moment moment : all) { // the last in the order of the log, whatever the clock did
                expected = moment.timeMs() <= atMs ? moment.names() : expected;
            }
            assertThat(names(host.state(PointInTime.time(atMs)))).isEqualTo(expected);
        }
    }

    @Test
    void nothingGoesBeforeItsTime() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/grows", "first\n");
            for (int step = 0; step < 60; step++) {
                change(host, step);
                readers.add(new Snapshot(host.state(), store.nowMs()));
                store.advance(random.nextLong(12) * HOUR_MS);
                if (random.nextInt(3) == 0) {
                    compact(0);
                }
                requireReadable(host);
                requireMoments(host);
                assertThat(host.differing()).isEmpty();
            }
            assertThat(store.keys("/log/")).as("what was compacted went").hasSizeLessThan(60);
        }
    }

    /** Retention counts by the store's clock: bytes younger than it says are there, whatever the others say. */
    @Test
    void nothingExpiresBeforeItsTime() throws IOException {
        long retainMs = 5 * GRACE_MS;
        NavigableMap<Long, Long> putMs = new TreeMap<>();
        try (Host host = new Host(store, ID, "web1")) {
            long grows = host.file("/grows", "first\n");
            for (int step = 0; step < 60; step++) {
                putMs.put(host.length(grows), store.nowMs());
                change(host, step);
                store.advance(random.nextLong(12) * HOUR_MS);
                if (random.nextInt(3) == 0) {
                    compact(retainMs);
                }
                long keptFrom = store.nowMs() - retainMs;
                long young = host.length(grows);
                for (long position : putMs.descendingKeySet()) {
                    young = putMs.get(position) > keptFrom ? position : young;
                }
                FileVersion version = host.state().version(grows);
                assertThat(version).isNotNull();
                assertThat(version.startPosition()).isLessThanOrEqualTo(young);
                requireYoungMoment(host);
            }
        }
    }

    private void requireYoungMoment(Host host) throws IOException {
        try {
            host.state(PointInTime.time(moments.lastEntry().getValue().timeMs()));
        } catch (CompactedHistoryException e) {
            assertThat(e.getMessage()).isNotBlank(); // the shipper's clock says that it is old
        }
    }
}
