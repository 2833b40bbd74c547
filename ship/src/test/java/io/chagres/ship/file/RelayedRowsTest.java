package io.chagres.ship.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.HostRows;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RelayedRowsTest {
    private static final int BATCH = 10;
    private static final long DAMAGED = 25;

    private final List<Long> taken = new ArrayList<>();
    private final HostRows rows = new HostRows() {
        @Override
        public void take(String object, LogRecord record, long timeMs) throws CorruptArchiveException {
            if (timeMs == DAMAGED) {
                throw new CorruptArchiveException(object, "it does not follow");
            }
            taken.add(timeMs);
        }

        @Override
        public long lengthBytes(long versionId) {
            return versionId;
        }

        @Override
        public long lastVersionId() {
            return taken.size();
        }

        @Override
        public long cutVersions() {
            return 0;
        }

        @Override
        public void restart() {
            taken.clear();
        }
    };

    private static void give(HostRows to, long from, long until) throws CorruptArchiveException {
        for (long time = from; time < until; time++) {
            to.take("log/1", new LogRecord.VersionNames(1, 1), time);
        }
    }

    @Test
    void keepsTheOrder() throws CorruptArchiveException {
        try (ExecutorService worker = Executors.newSingleThreadExecutor()) {
            RelayedRows relayed = new RelayedRows(rows, worker, BATCH);
            give(relayed, 100, 10_013);
            relayed.settle();
            assertThat(taken).isEqualTo(LongStream.range(100, 10_013).boxed().toList());
            assertThat(relayed.lastVersionId()).isEqualTo(9913);
            relayed.settle();
            assertThat(taken).hasSize(9913);
        }
    }

    @Test
    void waitsForNoWorkerThatHasNotBegun() throws CorruptArchiveException {
        Deque<Runnable> given = new ArrayDeque<>();
        RelayedRows relayed = new RelayedRows(rows, given::add, BATCH);
        give(relayed, 100, 100 + 3 * BATCH + 1);
        relayed.settle();
        given.forEach(Runnable::run);
        assertThat(taken).hasSize(3 * BATCH + 1);
    }

    @Test
    void throwsWhatTheWorkerMet() throws CorruptArchiveException {
        Deque<Runnable> given = new ArrayDeque<>();
        RelayedRows relayed = new RelayedRows(rows, given::add, BATCH);
        give(relayed, 20, 20 + BATCH);
        given.remove().run();
        assertThatThrownBy(() -> give(relayed, 100, 100 + BATCH))
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining("log/1");
        relayed.restart();
        assertThat(taken).isEmpty();
        give(relayed, 200, 200 + BATCH);
        given.remove().run();
        relayed.settle();
        assertThat(taken).isEqualTo(LongStream.range(200, 200 + BATCH).boxed().toList());
    }

    @Test
    void forgetsDamageOnTheWayToWhatIsReadAgain() throws CorruptArchiveException {
        RelayedRows relayed = new RelayedRows(rows, Runnable::run, BATCH);
        give(relayed, 20, 20 + BATCH + 3);
        relayed.restart();
        give(relayed, 30, 33);
        relayed.settle();
        assertThat(taken).containsExactly(30L, 31L, 32L);
    }

    @Test
    void throwsDamageAtTheEnd() throws CorruptArchiveException {
        RelayedRows relayed = new RelayedRows(rows, Runnable::run, BATCH);
        give(relayed, 24, 26);
        assertThatThrownBy(relayed::settle).isInstanceOf(CorruptArchiveException.class);
        assertThat(taken).containsExactly(24L);
    }
}
