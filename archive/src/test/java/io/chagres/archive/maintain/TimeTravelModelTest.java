package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.StateText;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Tables;
import io.chagres.archive.testing.Undamaged;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lets a host live, compacts it now and then, and looks back at every commit: the tree must be what it was. */
@Tag("long")
class TimeTravelModelTest {
    private static final String ID = "0123456789abcdef";

    private final MemoryStore store = new MemoryStore();
    private final RandomGenerator random = Seeds.random(Seeds.next("TimeTravelModelTest"));

    /** What was so after a commit: names with what they lead to, and how long each version was. */
    private record Snapshot(long seq, long timeMs, Map<String, String> names, Map<Long, Long> lengths) {}

    private final List<Snapshot> snapshots = new ArrayList<>();

    private Snapshot snapshot(HostState state) {
        Map<String, String> names = new TreeMap<>();
        for (NameTree.Entry entry : state.names()) {
            FileVersion version = entry.version();
            names.put(entry.path().toString(), entry.kind() + " " + (version == null ? 0 : version.id()));
        }
        Map<Long, Long> lengths = new TreeMap<>();
        state.versions().forEach(version -> lengths.put(version.id(), version.length()));
        return new Snapshot(state.seq(), state.timeMs(), names, lengths);
    }

    private void live(Host host) throws IOException {
        List<Long> ids = new ArrayList<>(host.written.keySet());
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            String path = "/d" + random.nextInt(3) + "/f" + random.nextInt(5);
            long id = ids.isEmpty() ? 0 : ids.get(random.nextInt(ids.size()));
            switch (ids.isEmpty() ? 0 : random.nextInt(8)) {
                case 0 -> ids.add(host.file(path));
                case 1 -> host.remove(path);
                case 2 -> host.move("/d" + random.nextInt(3), "/e" + random.nextInt(2));
                case 3 -> host.name("/links/" + random.nextInt(4), id);
                case 4 -> host.close(id, LogRecord.Reason.SEALED);
                case 5 -> host.zeros(id, 1 + random.nextInt(100));
                default -> host.inline(id, "x".repeat(1 + random.nextInt(3000)));
            }
        }
    }

    private void commit(Host host) throws IOException {
        if (host.commit.isEmpty()) {
            return;
        }
        long jump = random.nextInt(12) == 0 ? random.nextInt(-100_000, 100_000) : random.nextInt(4000);
        host.timeMs += jump;
        host.commit();
        snapshots.add(snapshot(host.state()));
    }

    private void compact(CompactOptions options) throws IOException {
        new Compact(store, options, store::nowMs, Undamaged.COMPACT).host(ID);
    }

    private void run(long historyMs) throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            for (int i = 0; i < 60; i++) {
                live(host);
                commit(host);
                if (random.nextInt(15) == 0) {
                    long graceMs = random.nextBoolean() ? 0 : 86_400_000;
                    compact(new CompactOptions(graceMs, 0, Codec.ZSTD, 1, 1 << 20, false, historyMs));
                }
            }
            compact(new CompactOptions(0, 0, Codec.ZSTD, 1, 1 << 20, false, historyMs));
            assertThat(store.keys("/log/")).isEmpty();
            for (Snapshot each : snapshots) {
                lookBack(host, each, historyMs);
            }
            assertThat(CompactTest.faults(store)).isEmpty();
        }
    }

    /** The last commit in the order of the log whose time is not after that of another. */
    private Snapshot expected(long timeMs) {
        return snapshots.stream()
                .filter(each -> each.timeMs <= timeMs)
                .reduce((first, second) -> second)
                .orElseThrow();
    }

    private void lookBack(Host host, Snapshot of, long historyMs) throws IOException {
        Snapshot then = expected(of.timeMs);
        HostState state = host.state(PointInTime.time(of.timeMs));
        Snapshot shown = snapshot(state);
        assertThat(shown.names).as("at commit %d", then.seq).isEqualTo(then.names);
        assertThat(shown.lengths.keySet()).isEqualTo(then.lengths.keySet());
        Snapshot source = snapshots.get((int) shown.seq - 1);
        assertThat(shown.lengths).isEqualTo(source.lengths);
        boolean within = shown.seq <= then.seq
                && (shown.seq == then.seq
                        || Math.floorDiv(source.timeMs, historyMs) <= Math.floorDiv(then.timeMs, historyMs));
        assertThat(within).as("commit %d for %d", shown.seq, then.seq).isTrue();
        if (historyMs == 1) {
            assertThat(shown.lengths).isEqualTo(then.lengths);
        }
        read(host, state);
        try (LocalTables tables = Tables.of(true)) {
            HostState large = HostLog.load(store, ID, PointInTime.time(of.timeMs), tables);
            assertThat(large.isLarge()).isEqualTo(large.seq() > 0);
            assertThat(StateText.of(large)).isEqualTo(StateText.of(state));
            read(host, large);
        }
    }

    private static void read(Host host, HostState state) throws IOException {
        for (FileVersion version : state.versions()) {
            byte[] all = Objects.requireNonNull(host.written.get(version.id())).toByteArray();
            assertThat(host.read(state, version.id())).isEqualTo(Arrays.copyOf(all, (int) version.length()));
        }
    }

    @Test
    void everyCommitIsFoundAgain() throws IOException {
        run(1);
    }

    @Test
    void namesAreExactAndLengthsToTheMinute() throws IOException {
        run(60_000);
    }
}
