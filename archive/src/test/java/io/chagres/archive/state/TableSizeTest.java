package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.FileKey;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counts the bytes of what stands beside a log: the numbers of docs/SCALING.md. */
@Tag("long")
class TableSizeTest {
    private static final String ID = "0123456789abcdef";
    private static final int FILES = 10;

    private final MemoryStore store = new MemoryStore();

    private long bytes(String part) {
        return store.keys(part).stream()
                .mapToLong(key -> store.bytes(key).length)
                .sum();
    }

    private void grow(int commits, int files) throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < files; i++) {
                ids.add(host.file("/var/log/service-" + i + "/app.log"));
            }
            for (int i = 0; i < commits; i++) {
                for (long id : ids.subList(0, FILES)) {
                    host.inline(id, "line " + i + " of " + id + ", of about a hundred bytes".repeat(3 + i % 2));
                }
                host.commit();
            }
        }
    }

    @Test
    void aMinuteOfAFileThatGrowsTakesFewBytes() throws IOException {
        int minutes = 30;
        grow(minutes * 60, FILES);
        HistoryWriter history =
                new HistoryWriter(60_000, LocalTables.temporary().spill());
        HostState state = HostLog.replay(store, ID, ExtentFilter.NONE, history);
        history.write(store, ID, state);
        long each = bytes("/history/") / minutes / FILES;
        assertThat(each).isLessThanOrEqualTo(5);
    }

    /** However many names a host has, and however few of them change: one record in each commit is the worst. */
    @ParameterizedTest
    @CsvSource({"100, 100", "10000, 10", "10000, 10000"})
    void tablesTakeAboutAsMuchAsTheRecords(int files, int growing) throws IOException {
        int commits = 20_000;
        long records = 0;
        try (Host host = new Host(store, ID, "web1")) {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < files; i++) {
                ids.add(host.file("/var/log/service-" + i * 7919L + "/app.log"));
            }
            Map<Long, CommitHeader> recent = new HashMap<>();
            for (int i = 1; i <= commits; i++) {
                host.inline(ids.get(i * 31 % growing), "line " + i);
                long seq = host.commit();
                CommitHeader commit = CommitReader.header(store, ArchiveLayout.commit(ID, seq));
                recent.put(seq, commit);
                records += recordBytes(commit);
                if (seq % SpanTables.MAX_COMMITS == 0) {
                    SpanTables.write(store, ID, seq, recent);
                    recent.clear();
                }
            }
        }
        assertThat(bytes("/tables/")).isLessThanOrEqualTo(records * 5 / 4);
    }

    private static long recordBytes(CommitHeader commit) throws IOException {
        RecordReader records = commit.recordReader();
        long bytes = 0;
        while (records.hasNext()) {
            int start = records.position();
            bytes += records.next() instanceof LogRecord.Repeated ? 0 : records.position() - start;
        }
        return bytes;
    }

    @Test
    void tablesTakeFewerBytesThanTheRecordsTheyStandFor() throws IOException {
        grow(1000, 1000);
        long before = bytes("/log/");
        SpanTables.write(store, ID, 1000, Map.of());
        assertThat(bytes("/names/") / 1000).isLessThanOrEqualTo(20);
        assertThat(bytes("/extents/") / 1000 / FILES).isLessThanOrEqualTo(12);
        assertThat(bytes("/extents/")).isLessThan(before);
    }

    @Test
    void tablesOfAFirstShipTakeFewBytesAFile() throws IOException {
        int files = 10_000;
        Random random = new Random(1);
        try (Host host = new Host(store, ID, "web1")) {
            long timeNs = 1_700_000_000_000_000_000L;
            for (int i = 1; i <= files; i++) {
                Pathname path = Pathname.of("/srv/data/d" + i / 1000 + "/f" + i + ".log");
                timeNs += random.nextInt(20_000);
                InodeAttributes of = new InodeAttributes(0640, 0, 0, timeNs);
                FileKey key = new FileKey(1, -1, 10_000 + i, random.nextInt() & 0xffffffffL);
                host.write(new LogRecord.VersionOpened(i, key, 0, 0, path, of));
                host.name(path, i);
                host.write(new LogRecord.Run(i, 0, 7, 0, 7L * i, random.nextInt(), timeNs));
            }
            host.commit();
        }
        SpanTables.write(store, ID, 1, Map.of());
        assertThat(bytes("/names/") / files).isLessThanOrEqualTo(11); // a generation and a time are half of it
        assertThat(bytes("/extents/") / files).isLessThanOrEqualTo(8); // a checksum and a time
    }
}
