package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Opcode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The counters, times and records of a server. */
class StatisticsTest {
    private static final Bytes FLUSH = Bytes.none().u64(7).u64(0).u64(98);

    /** Takes its time. */
    private static final class Slow implements FuseFileSystem {
        private FakeKernel kernel;
        private long takesNs = 1500;

        @Override
        public void flush(Request request, long node, long handle, long lockOwner, EmptyReply reply) {
            kernel.nowNs += takesNs;
            reply.error(Errno.EDQUOT);
        }
    }

    private final Slow fileSystem = new Slow();

    private FakeKernel kernel(FuseTransport transport) {
        fileSystem.kernel = FakeKernel.started(fileSystem, FuseOptions.DEFAULTS.withTransport(transport));
        return fileSystem.kernel;
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "AUTO")
    void countsAndMeasures(FuseTransport transport) {
        try (FakeKernel kernel = kernel(transport)) {
            for (int i = 0; i < 32; i++) {
                kernel.call(Opcode.FLUSH, 5, FLUSH);
            }
            fileSystem.takesNs = 5_000_000_000L;
            kernel.call(Opcode.FLUSH, 5, FLUSH);
            kernel.call(4096, 5, Bytes.none());
            FuseStatistics statistics = kernel.session.statistics();
            assertThat(statistics.requests()).containsEntry("flush", 33L).containsEntry("opcode 0", 1L);
            assertThat(statistics.errors()).containsEntry("flush", 33L).containsEntry("opcode 0", 1L);
            assertThat(statistics.total()).isEqualTo(35);
            LatencyHistogram flush = statistics.latencies().get("flush");
            assertThat(flush.total()).isEqualTo(3);
            assertThat(flush.counts().get(11)).isEqualTo(2);
            assertThat(flush.withinNs(0.5)).isEqualTo(2048);
            assertThat(flush.withinNs(1)).isEqualTo(1L << 33);
        }
    }

    @Test
    void countsTimesByPowersOfTwo() {
        assertThat(LongStream.of(-1, 0, 1, 2, 3, 4, 1023, 1024, Long.MAX_VALUE).map(LatencyHistogram::bucket))
                .containsExactly(0L, 0L, 1L, 2L, 2L, 3L, 10L, 11L, 39L);
        LatencyHistogram none = new LatencyHistogram(List.of(0L, 0L));
        assertThat(none.withinNs(0.99)).isZero();
        assertThatIllegalArgumentException().isThrownBy(() -> none.withinNs(0));
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "AUTO")
    void recordsEveryRequest(FuseTransport transport, @TempDir Path directory) throws IOException {
        Path file = directory.resolve("recording.jfr");
        try (Recording recording = new Recording();
                FakeKernel kernel = kernel(transport)) {
            recording.enable("io.chagres.fuse.Request").withoutThreshold();
            recording.start();
            kernel.call(Opcode.FLUSH, 5, FLUSH);
            kernel.call(Opcode.STATFS, 6, Bytes.none());
            recording.stop();
            kernel.call(Opcode.STATFS, 6, Bytes.none());
            recording.dump(file);
            List<RecordedEvent> events = RecordingFile.readAllEvents(file);
            assertThat(events).extracting(event -> event.getString("operation")).containsExactly("flush", "statfs");
            assertThat(events).extracting(event -> event.getLong("node")).containsExactly(5L, 6L);
            assertThat(events).extracting(event -> event.getInt("errno")).containsExactly(Errno.EDQUOT, 0);
            assertThat(events.getLast().getLong("unique")).isEqualTo(kernel.lastUnique() - 1);
        }
    }
}
