package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.Samples;
import io.chagres.archive.log.LogFixture;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.FaultyStore.Kind;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Tests loading the log of a host up to a moment. */
class HostLogTest {
    private static final long START = 1_700_000_000_000L;

    private final MemoryStore store = new MemoryStore();

    private void commits(int count) throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            long seq = log.load().seq();
            log.timeMs = START + seq * 1000;
            for (int i = 1; i <= count; i++) {
                long version = seq + i;
                log.write(Samples.version(version, "/f" + version), Samples.file("/f" + version, version))
                        .run(version, 0, Samples.bytes("line " + version + "\n"))
                        .commit();
            }
        }
    }

    private HostState load(PointInTime at) throws IOException {
        return HostLog.load(store, LogFixture.HOST, at, ExtentFilter.ALL, RunListener.NONE);
    }

    private void checkpoint(long seq) throws IOException {
        Checkpoint.write(store, LogFixture.HOST, load(PointInTime.seq(seq)), v -> Objects.requireNonNull(v.extents()));
    }

    private void deleteCommits(long from, long to) {
        for (long seq = from; seq <= to; seq++) {
            store.delete(ArchiveLayout.commit(LogFixture.HOST, seq));
        }
    }

    @Test
    void isEmptyBeforeTheFirstCommit() throws IOException {
        HostState state = load(PointInTime.NOW);
        assertThat(state.seq()).isZero();
        assertThat(state.nextVersionId()).isEqualTo(1);
        assertThat(state.lastIncarnation()).isNull();
        assertThat(state.names()).isEmpty();
        assertThat(HostLog.refresh(store, LogFixture.HOST, state)).isFalse();
    }

    @Test
    void loadsUpToASeq() throws IOException {
        commits(7);
        for (long seq = 0; seq <= 7; seq++) {
            assertThat(load(PointInTime.seq(seq)).seq()).isEqualTo(seq);
        }
        assertThat(load(PointInTime.seq(100)).seq()).isEqualTo(7);
    }

    @Test
    void loadsUpToATime() throws IOException {
        commits(20);
        for (int i = 0; i < 20; i++) {
            assertThat(load(PointInTime.time(START + i * 1000L)).seq()).isEqualTo(i + 1);
            assertThat(load(PointInTime.time(START + i * 1000L + 999)).seq()).isEqualTo(i + 1);
        }
        assertThat(load(PointInTime.time(START - 1)).seq()).isZero();
        assertThat(load(PointInTime.time(Long.MAX_VALUE - 1)).seq()).isEqualTo(20);
        assertThat(load(new PointInTime(5, START + 15_000)).seq()).isEqualTo(5);
    }

    /**
     * Only moments that may need a damaged commit are refused, though the search for the time meets it. Nobody knows
     * its time: it may be that of the commit before it.
     */
    @Test
    void loadsUpToATimeBeforeADamagedCommit() throws IOException {
        commits(20);
        for (int seq = 1; seq <= 20; seq++) {
            byte[] whole =
                    store.bytes(ArchiveLayout.commit(LogFixture.HOST, seq)).clone();
            store.bytes(ArchiveLayout.commit(LogFixture.HOST, seq))[60] ^= 1;
            for (int last = 1; last < seq - 1; last++) {
                assertThat(load(PointInTime.time(START + (last - 1) * 1000L)).seq())
                        .as("commit %d is damaged", seq)
                        .isEqualTo(last);
            }
            PointInTime unknown = PointInTime.time(START + (seq - 1) * 1000L);
            assertThatThrownBy(() -> load(unknown)).isInstanceOf(CorruptArchiveException.class);
            store.replace(ArchiveLayout.commit(LogFixture.HOST, seq), whole);
        }
    }

    @Test
    void loadsUpToATimeFromACheckpoint() throws IOException {
        commits(20);
        checkpoint(5);
        checkpoint(12);
        deleteCommits(1, 10);
        assertThat(load(PointInTime.NOW).seq()).isEqualTo(20);
        assertThat(load(PointInTime.time(START + 14_500)).seq()).isEqualTo(15);
        assertThat(load(PointInTime.time(START + 11_000)).seq()).isEqualTo(12);
        assertThat(load(PointInTime.time(START + 5_000)).seq()).isEqualTo(5);
        assertThatThrownBy(() -> load(PointInTime.time(START + 1_000)))
                .isInstanceOf(CompactedHistoryException.class)
                .hasMessageContaining("2023-11-14T22:13:24Z");
    }

    /** The last commit in the order of the log counts, whatever the clock did. */
    @Test
    void loadsUpToATimeOfAClockThatJumped() throws IOException {
        long[] seconds = {0, 10, 20, 1_000_000_000, 30, 40};
        commitsAt(seconds);
        assertThat(load(PointInTime.time(START + 45_000)).seq()).isEqualTo(6);
        assertThat(load(PointInTime.time(START + 35_000)).seq()).isEqualTo(5);
        assertThat(load(PointInTime.time(START + 25_000)).seq()).isEqualTo(3);
        assertThat(load(PointInTime.time(START - 1)).seq()).isZero();
    }

    @Test
    void loadsUpToAnyTimeOfAnyClock() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("HostLogTest"));
        for (int round = 0; round < 30; round++) {
            store.keys().forEach(store::delete);
            long[] seconds = new long[1 + random.nextInt(60)];
            for (int i = 1; i < seconds.length; i++) {
                int step = random.nextInt(8) == 0 ? random.nextInt(-40, 40) : random.nextInt(3);
                seconds[i] = seconds[i - 1] + step;
            }
            commitsAt(seconds);
            if (random.nextBoolean()) {
                checkpoint(1 + random.nextInt(seconds.length));
            }
            for (int i = 0; i < 40; i++) {
                long second = seconds[0] + random.nextInt(-50, 100);
                int last = seconds.length;
                while (last > 0 && seconds[last - 1] > second) {
                    last--;
                }
                assertThat(load(PointInTime.time(START + second * 1000)).seq()).isEqualTo(last);
            }
        }
    }

    private void commitsAt(long... seconds) throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            for (int i = 0; i < seconds.length; i++) {
                log.timeMs = START + seconds[i] * 1000;
                log.write(Samples.version(i + 1, "/f" + i)).commit();
            }
        }
    }

    /** Reading at a time takes few requests, however long the log is. */
    @Test
    void findsATimeWithFewRequests() throws IOException {
        commits(1000);
        checkpoint(990);
        int[] gets = {0};
        FaultyStore counting = new FaultyStore(store, (operation, done) -> {
            gets[0] += operation.kind() == Kind.GET && !done ? 1 : 0;
        });
        PointInTime at = PointInTime.time(START + 994_000);
        assertThat(HostLog.load(counting, LogFixture.HOST, at, ExtentFilter.NONE, RunListener.NONE)
                        .seq())
                .isEqualTo(995);
        assertThat(gets[0]).isLessThan(30);
    }

    @Test
    void namesAMissingCommit() throws IOException {
        commits(5);
        deleteCommits(3, 3);
        assertThatThrownBy(() -> load(PointInTime.NOW))
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining(ArchiveLayout.commit(LogFixture.HOST, 3))
                .hasMessageContaining("missing");
        assertThat(load(PointInTime.seq(2)).seq()).isEqualTo(2);
    }

    @Test
    void namesACommitThatDoesNotFollow() throws IOException {
        commits(3);
        MemoryStore other = new MemoryStore();
        try (LogFixture log = new LogFixture(other)) {
            log.write(Samples.version(9, "/other")).commit();
            log.write(Samples.version(8, "/other")).commit();
        }
        String second = ArchiveLayout.commit(LogFixture.HOST, 2);
        byte[] foreign = other.bytes(second);
        byte[] own = store.bytes(second);
        store.replace(second, foreign);
        assertThatThrownBy(() -> load(PointInTime.NOW))
                .hasMessageContaining(second)
                .hasMessageContaining("hash chain");
        store.replace(second, store.bytes(ArchiveLayout.commit(LogFixture.HOST, 3)));
        assertThatThrownBy(() -> load(PointInTime.NOW)).hasMessageContaining("it says it is commit 3");
        store.replace(second, own);
        assertThat(load(PointInTime.NOW).seq()).isEqualTo(3);
    }

    @Test
    void followsALogThatGrows() throws IOException {
        commits(2);
        HostState state = load(PointInTime.NOW);
        assertThat(HostLog.refresh(store, LogFixture.HOST, state)).isFalse();
        commits(3);
        assertThat(HostLog.refresh(store, LogFixture.HOST, state)).isTrue();
        assertThat(StateText.of(state)).isEqualTo(StateText.of(load(PointInTime.NOW)));
    }

    /** A compaction writes a checkpoint and removes commits between our two listings. */
    @Test
    void listsAgainWhenACompactionCameBetween() throws IOException {
        commits(9);
        checkpoint(2);
        boolean[] compacted = {false};
        FaultyStore racing = new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == Kind.LIST && done && !compacted[0]) {
                compacted[0] = true;
                checkpoint(6);
                deleteCommits(1, 6);
            }
        });
        HostState state = HostLog.load(racing, LogFixture.HOST, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
        assertThat(state.seq()).isEqualTo(9);
        assertThat(state.versions()).hasSize(9);
    }

    @Test
    void ignoresWhatIsNoCommit() throws IOException {
        commits(2);
        store.replace(ArchiveLayout.log(LogFixture.HOST) + "README", new byte[3]);
        store.replace(ArchiveLayout.log(LogFixture.HOST) + "0000000000000000.zst", new byte[3]);
        store.replace(ArchiveLayout.log(LogFixture.HOST) + "000000000000000x.zst", new byte[3]);
        assertThat(load(PointInTime.NOW).seq()).isEqualTo(2);
    }

    @Test
    void tellsTheListenerInTheOrderOfTheLog() throws IOException {
        commits(3);
        checkpoint(2);
        List<String> heard = new ArrayList<>();
        HostLog.load(store, LogFixture.HOST, PointInTime.NOW, ExtentFilter.NONE, new RunListener() {
            @Override
            public void opened(LogRecord.VersionOpened opened) {
                heard.add("opened " + opened.versionId());
            }

            @Override
            public void extent(LogRecord.Extent extent) {
                heard.add("run " + extent.versionId() + " in " + ((LogRecord.Run) extent).seq());
            }
        });
        assertThat(heard).containsExactly("opened 1", "run 1 in 1", "opened 2", "run 2 in 2", "opened 3", "run 3 in 3");
    }

    @Test
    void keepsTheExtentsItIsAskedFor() throws IOException {
        commits(3);
        HostState some = HostLog.load(
                store, LogFixture.HOST, PointInTime.NOW, ExtentFilter.of(version -> version == 2), RunListener.NONE);
        assertThat(Objects.requireNonNull(some.version(1)).extents()).isNull();
        assertThat(Objects.requireNonNull(some.version(2)).extents()).hasSize(1);
    }
}
