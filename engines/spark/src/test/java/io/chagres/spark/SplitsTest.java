package io.chagres.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.LogRecord;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.sources.EqualTo;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.Or;
import org.apache.spark.sql.sources.StringContains;
import org.apache.spark.sql.sources.StringStartsWith;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks have each line once, and none reads what the filters or names rule out. */
@Tag("long")
final class SplitsTest {
    private static final String[] COLUMNS = {"host", "path", "offset", "line_bytes"};

    @TempDir
    Path directory = Path.of("");

    private Question question(long splitBytes) {
        return new Question(
                new ArchiveAccess("counted://" + directory, null, null),
                ArchiveTable.LINES,
                null,
                null,
                null,
                false,
                splitBytes,
                false);
    }

    private static List<RandomFleet.Line> read(Question question, Filter... filters) throws IOException {
        List<RandomFleet.Line> lines = new ArrayList<>();
        for (Split split : new SplitPlan(question, new RowFilter(List.of(filters))).splits()) {
            try (LineBatches batches =
                    new LineBatches(question, split, COLUMNS, new RowFilter(List.of(filters)).pattern())) {
                while (batches.next()) {
                    batches.get().rowIterator().forEachRemaining(row -> lines.add(line(row)));
                }
            }
        }
        lines.sort(null);
        return lines;
    }

    private static RandomFleet.Line line(InternalRow row) {
        return new RandomFleet.Line(
                row.getString(0),
                row.getString(1),
                row.getLong(2),
                new String(row.getBinary(3), StandardCharsets.ISO_8859_1));
    }

    @Test
    void haveEachLineOnceWhereverTheyAreCut() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("SplitsTest.cut"));
        List<RandomFleet.Line> lines = new RandomFleet(directory, random).lines();
        for (long splitBytes : new long[] {1L << 20, 4096, random.nextLong(300, 3000)}) {
            assertThat(read(question(splitBytes))).isEqualTo(lines);
        }
    }

    /** Lines shorter and longer than one read, in tasks that begin and end within them. */
    @Test
    void haveLinesOfAnyLengthOnce() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("SplitsTest.length"));
        StringBuilder text = new StringBuilder();
        List<RandomFleet.Line> lines = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            int length = random.nextInt(2000) == 0 ? random.nextInt(4 << 20) : random.nextInt(200);
            String line = i + " " + Long.toHexString(random.nextLong()).repeat(length / 16);
            lines.add(new RandomFleet.Line("web", "/log", text.length(), line));
            text.append(line).append('\n');
        }
        text.setLength(text.length() - 1); // the last one has no newline
        try (SmallArchive archive = new SmallArchive(directory, "web")) {
            long version = archive.file("/log");
            for (int at = 0, end; at < text.length(); at = end) {
                end = Math.min(text.length(), at + random.nextInt(1, LogRecord.PIECE_BYTES));
                archive.append(version, text.substring(at, end)).commit(100 + at);
            }
        }
        Filter some = new StringContains("line", "99 ");
        for (long splitBytes : new long[] {64L << 20, 1L << 20, random.nextLong(100_000, 3_000_000)}) {
            assertThat(read(question(splitBytes))).isEqualTo(lines);
            assertThat(read(question(splitBytes), some))
                    .isEqualTo(lines.stream()
                            .filter(line -> line.latin1().contains("99 "))
                            .toList());
        }
    }

    @Test
    void takeNoTextForBytesThatAreNone() throws IOException {
        try (SmallArchive archive = new SmallArchive(directory, "web")) {
            archive.append(archive.file("/log"), new byte[] {'a', (byte) 0xff, '\n'})
                    .commit(100);
        }
        assertThat(read(question(4096), new StringContains("line", "\uFFFD"))).hasSize(1); // Spark's text of 0xff
    }

    @Test
    void readOnlyWhatNamesAndFiltersLeave() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; text.length() < 200_000; i++) {
            text.append("GET /a/ ")
                    .append(Long.toHexString(Long.MAX_VALUE + 1 + i * 0x1E3779B97F4A7C15L))
                    .append(" 200\n");
        }
        for (String host : List.of("db1", "web1", "web2")) {
            try (SmallArchive archive = new SmallArchive(directory, host)) {
                for (int i = 0; i < 12; i++) {
                    archive.append(archive.file("/log/" + i), text.toString().replace("/a/", "/" + host + i + "/"));
                    archive.commit(100 + i);
                }
                long needle = archive.file("/log/needle");
                archive.append(needle, text.toString()).commit(200);
                archive.append(needle, "id=7f3a9c21-4be0-11f0 here\n" + text).commit(201);
            }
        }
        SmallArchive.compact(directory);
        long all = bytesOf();
        assertThat(bytesOf(new EqualTo("host", "web1"))).isLessThan(all / 2);
        assertThat(bytesOf(new StringStartsWith("path", "/log/needle"))).isLessThan(all / 3);
        assertThat(bytesOf(new StringContains("line", "7f3a9c21-4be0-11f0"))).isLessThan(all / 3);
        assertThat(bytesOf(new StringContains("line", "0123456789-of-nowhere"))).isLessThan(all / 10);
        assertThat(read(question(50_000), new StringContains("line", "7f3a9c21-4be0-11f0")))
                .filteredOn(line -> line.latin1().contains("7f3a9c21-4be0-11f0"))
                .hasSize(3);
        Filter either = new Or(new EqualTo("host", "web1"), new EqualTo("host", "db1"));
        assertThat(read(question(50_000), either))
                .extracting(RandomFleet.Line::host)
                .contains("web1", "db1")
                .doesNotContain("web2");
    }

    private long bytesOf(Filter... filters) throws IOException {
        CountedStores.BYTES.set(0);
        read(question(Question.SPLIT_BYTES), filters);
        return CountedStores.BYTES.get();
    }
}
