package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.LogRecord;
import io.chagres.archive.TableSection;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.Samples;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that tables copied as one have the rows that merging them row by row gives, and the index of these. */
@Tag("long")
class TableCopyTest {
    private static final String HOST = "0123456789abcdef";

    private final RandomGenerator random = Seeds.random(Seeds.next("TableCopyTest"));
    private final MemoryStore store = new MemoryStore();

    @AutoClose
    private final Opened opened = new Opened();

    private int tables;

    private static final class Opened implements AutoCloseable {
        final List<StateTable> newestFirst = new ArrayList<>();

        @Override
        public void close() {
            newestFirst.forEach(StateTable::close);
        }
    }

    private static TreeMap<byte[], List<LogRecord>> rows() {
        return new TreeMap<>(Arrays::compareUnsigned);
    }

    private String put(TableSection section, CheckpointWriter.Records records) throws IOException {
        tables++;
        CommitSpan span = new CommitSpan(tables - 1, tables);
        String key = ArchiveLayout.table(HOST, CheckpointId.BEGINNING, section, span);
        FixedHeader header = FixedHeader.condensed(FixedHeader.TABLE, tables, 1, tables, Samples.id(1), new byte[32]);
        Checkpoint.put(store, key, header, records);
        return key;
    }

    private void table(TableSection section, Map<byte[], List<LogRecord>> rows) throws IOException {
        String key = put(section, out -> {
            for (List<LogRecord> row : rows.values()) {
                for (LogRecord record : row) {
                    out.write(record);
                }
            }
        });
        opened.newestFirst.addFirst(Objects.requireNonNull(StateTable.open(store, key, 0)));
    }

    private List<LogRecord> copied(TableSection section) throws IOException {
        String key = put(section, out -> {
            TableCopy.copy(opened.newestFirst, TableIndex.VERSIONS, Collections.emptyIterator(), false, out);
            TableCopy.copy(opened.newestFirst, TableIndex.NAMES, Collections.emptyIterator(), false, out);
        });
        List<LogRecord> records = new ArrayList<>();
        try (CheckpointReader in = new CheckpointReader(store, key, FixedHeader.TABLE)) { // checks the index, too
            for (LogRecord record = in.next(); record != null; record = in.next()) {
                records.add(record);
            }
        }
        try (StateTable table = Objects.requireNonNull(StateTable.open(store, key, 0))) {
            table.check(() -> {});
        }
        return records;
    }

    private void version(long id, Map<byte[], List<LogRecord>> to) {
        List<LogRecord> row = new ArrayList<>(List.of(Samples.version(id, "/d" + id % 7 + "/f" + id)));
        if (random.nextInt(4) == 0) {
            row.add(new LogRecord.VersionNames(id, 0));
        }
        row.add(new LogRecord.VersionLength(id, random.nextInt(1 << 20), 1));
        to.put(TableIndex.versionKey(id, 0), row);
    }

    private void name(int directory, Map<byte[], List<LogRecord>> to) {
        Pathname path = Pathname.of("/d" + directory + "/f" + random.nextInt(5000));
        LogRecord row = random.nextInt(5) == 0
                ? new LogRecord.NameRemoved(path, false)
                : new LogRecord.NameAdded(
                        path, LogRecord.Kind.FILE, 1 + random.nextInt(9999), Samples.NONE, Samples.FILE);
        to.put(TableIndex.nameKey(path), List.of(row));
    }

    /** New versions behind all others, as of a first ship, or with old ones; directories of one table or of several. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 20, 3000})
    void namesAreThoseOfTheNewest(int old) throws IOException {
        Map<byte[], List<LogRecord>> all = rows();
        int from = 0;
        for (int i = 0; i < 5; i++) {
            Map<byte[], List<LogRecord>> rows = rows();
            int added = random.nextInt(8000);
            for (int id = 1; id <= added; id++) {
                version(from + id, rows);
                name(10 * i + id % (1 + random.nextInt(9)), rows);
            }
            from += added;
            for (int changed = old == 0 ? 0 : random.nextInt(old); changed > 0 && from > 0; changed--) {
                version(1 + random.nextInt(from), rows);
                name(random.nextInt(50), rows);
            }
            table(TableSection.NAMES, rows);
            all.putAll(rows);
        }
        assertThat(copied(TableSection.NAMES))
                .containsExactlyElementsOf(
                        all.values().stream().flatMap(List::stream).toList());
    }

    /** Versions that grow over several tables, and many that do not. */
    @Test
    void extentsFollowEachOther() throws IOException {
        Map<byte[], List<LogRecord>> all = rows();
        Map<Long, Long> ends = new TreeMap<>();
        for (int i = 0; i < 5; i++) {
            Map<byte[], List<LogRecord>> rows = rows();
            for (int count = random.nextInt(12_000); count > 0; count--) {
                long id = random.nextInt(4) == 0 ? 1 + random.nextInt(9) : 10_000L * (i + 1) + random.nextInt(5000);
                long start = ends.getOrDefault(id, 0L);
                ends.put(id, start + 10);
                LogRecord run = new LogRecord.Run(id, start, 10, 0, count, random.nextInt(), random.nextInt());
                rows.put(TableIndex.versionKey(id, start + 1), List.of(run));
            }
            table(TableSection.EXTENTS, rows);
            all.putAll(rows);
        }
        assertThat(copied(TableSection.EXTENTS))
                .containsExactlyElementsOf(
                        all.values().stream().flatMap(List::stream).toList());
    }
}
