package io.chagres.archive.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.LogRecord;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.format.Samples;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Allocations;
import org.junit.jupiter.api.Test;

/** Proves that the steady path of a commit allocates nothing. */
class AppendAllocationTest {
    private static final int ROUNDS = 50;
    private static final int RUNS = 1000;

    @Test
    void appendsRunsWithoutAllocating() {
        try (CommitBuilder builder = new CommitBuilder(4 << 20, 1)) {
            long bytes = Allocations.fewestBytes(ROUNDS, () -> {
                builder.reset();
                for (int i = 0; i < RUNS; i++) {
                    if (builder.reserve(1000)) {
                        builder.appendRun(i, i * 1000L, 1000, i, 1_700_000_000_000_000_000L);
                    }
                }
            });
            assertThat(bytes).isZero();
            assertThat(builder.dataLength()).isEqualTo(RUNS * 1000);
        }
    }

    @Test
    void writesRecordsWithoutAllocating() {
        RecordWriter writer = new RecordWriter();
        LogRecord[] records = {
            new LogRecord.NameMoved(Pathname.of("/var/log/app.log"), Pathname.of("/var/log/app.log.1")),
            new LogRecord.VersionClosed(5, LogRecord.Reason.GONE),
            Samples.version(6, "/var/log/app.log"),
            Samples.file("/var/log/app.log", 6),
        };
        long bytes = Allocations.fewestBytes(ROUNDS, () -> {
            writer.reset();
            for (int i = 0; i < RUNS; i++) {
                writer.zeroRun(i, 0, 4096, 1);
                writer.write(records[i % records.length]);
            }
        });
        assertThat(bytes).isZero();
    }
}
