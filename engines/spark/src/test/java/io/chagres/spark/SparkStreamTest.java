package io.chagres.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.LogRecord;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.testkit.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spark follows an archive that grows: each line comes once, as a whole, wherever queries and commits end. */
final class SparkStreamTest extends LocalSpark {
    private static final long DAY_MS = 86_400_000;

    @TempDir
    Path checkpoint = Path.of("");

    private final List<String> heard = new CopyOnWriteArrayList<>();

    /** Asks for what is new, as a query that ends when it has it: the next one continues behind it. */
    private void query(String... options) throws Exception {
        var reader = spark.readStream().format("chagres").option("splitBytes", 2_000);
        for (int i = 0; i < options.length; i += 2) {
            reader = reader.option(options[i], options[i + 1]);
        }
        VoidFunction2<Dataset<Row>, Long> hear = (rows, batch) -> rows.collectAsList()
                .forEach(row -> heard.add(row.getString(0) + row.getString(1) + ":"
                        + new String((byte[]) row.get(2), StandardCharsets.ISO_8859_1)));
        StreamingQuery query = reader.load(directory.toString())
                .select("host", "path", "line_bytes")
                .writeStream()
                .option("checkpointLocation", checkpoint.toString())
                .trigger(Trigger.AvailableNow())
                .foreachBatch(hear)
                .start();
        query.awaitTermination();
    }

    private List<String> next(String... options) throws Exception {
        heard.clear();
        query(options);
        return List.copyOf(heard);
    }

    @Test
    void aLineComesWhenItHasItsEnd() throws Exception {
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            long version = web.file("/log");
            web.append(version, "one\ntw").commit(100);
            assertThat(next()).containsExactly("web/log:one");
            assertThat(next()).isEmpty();
            web.append(version, "o").commit(200);
            assertThat(next()).isEmpty();
            web.append(version, "\nthree\nfour").commit(300);
            assertThat(next()).containsExactly("web/log:two", "web/log:three");
            web.write(new LogRecord.VersionClosed(version, LogRecord.Reason.GONE))
                    .commit(400);
            assertThat(next()).containsExactly("web/log:four");
            long later = web.file("/log", version);
            web.append(later, "five\n").commit(500);
            try (SmallArchive db = new SmallArchive(directory, "db")) {
                db.append(db.file("/data"), "new\n").commit(100);
            }
            assertThat(next()).containsExactlyInAnyOrder("web/log:five", "db/data:new");
        }
    }

    @Test
    void beginsWhereItIsTold() throws Exception {
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            long version = web.file("/log");
            web.append(version, "one\ntwo\nth").commit(100);
            web.append(version, "ree\n").commit(200);
            assertThat(next("since", "1970-01-01T00:01:40Z")).containsExactly("web/log:three");
        }
    }

    @Test
    void hasNoEnd() {
        assertThatThrownBy(() -> query("at", "1970-01-01T00:01:40Z")).hasStackTraceContaining("a stream has no end");
        assertThatThrownBy(() -> query("until", "1970-01-01T00:01:40Z")).hasStackTraceContaining("a stream has no end");
    }

    @Test
    void aCopyIsNoNewLines() throws Exception {
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            long version = web.file("/log");
            byte[] text = "one\ntwo\n".getBytes(StandardCharsets.UTF_8);
            web.append(version, text).commit(100);
            assertThat(next()).hasSize(2);
            long copy = web.file("/log.1");
            int crc = Host.crc(text, 0, text.length);
            web.extend(copy, text.length, new LogRecord.CopyRun(copy, 0, text.length, version, 0, crc, 0));
            web.append(copy, "three\n").commit(200);
            assertThat(next()).containsExactly("web/log.1:three");
        }
    }

    /** A file whose first bytes another has; their lines were reported as the other's. */
    private static void copy(SmallArchive host, long version, String text, int from, int to, long source) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int crc = Host.crc(bytes, from, to - from);
        host.extend(version, to - from, new LogRecord.CopyRun(version, from, to - from, source, from, crc, 0));
    }

    @Test
    void whatFollowsACopyIsNotLost() throws Exception {
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            long version = web.file("/log");
            web.append(version, "one\ntw").commit(100);
            assertThat(next()).containsExactly("web/log:one");
            long copy = web.file("/log.1");
            copy(web, copy, "one\ntw", 0, 6, version);
            web.append(copy, "o\nthree\n").commit(200);
            assertThat(next()).containsExactly("web/log.1:o", "web/log.1:three");
        }
    }

    @Test
    void aCopyInManyCommitsIsNoNewLines() throws Exception {
        String text = "a line of a log\n".repeat(1000) + "tw";
        int length = text.length();
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            long version = web.file("/log");
            web.append(version, text).commit(100);
            assertThat(next()).hasSize(1000);
            long copy = web.file("/log.1");
            copy(web, copy, text, 0, 1001, version);
            web.commit(200);
            assertThat(next()).isEmpty();
            web.extend(copy, 16, new LogRecord.ZeroRun(copy, 1001, 16, 0)); // of a copy, too
            copy(web, copy, text, 1017, length, version);
            web.commit(300);
            assertThat(next()).isEmpty();
            web.append(copy, "o\nthree\n").commit(400);
            assertThat(next()).containsExactly("web/log.1:o", "web/log.1:three");
        }
    }

    /** The history says how long files were where it stopped. */
    @Test
    void continuesBehindWhatWasCompacted() throws Exception {
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            long version = web.file("/log");
            web.append(version, "one\n").commit(100);
            web.append(version, "two\nth").commit(200);
            assertThat(next()).containsExactly("web/log:one", "web/log:two");
            web.append(version, "ree\n").commit(300);
            long later = web.file("/later");
            web.append(later, "new\n").commit(400);
            compactAway();
            assertThat(next()).containsExactlyInAnyOrder("web/log:three", "web/later:new");
            assertThat(next()).isEmpty();
            web.append(later, "newer\n").commit(500);
            assertThat(next()).containsExactly("web/later:newer");
        }
    }

    /** Of the commits of a minute the last one is kept: lines may come again, and none is left out. */
    @Test
    void leavesNothingOutWhereTheHistoryIsCoarse() throws Exception {
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            long version = web.file("/log");
            web.append(version, "one\n").commit(60);
            web.append(version, "two\n").commit(121);
            assertThat(next()).hasSize(2);
            web.append(version, "three\n").commit(122);
            web.append(version, "four\n").commit(200);
            compactAway();
            assertThat(next()).containsExactly("web/log:two", "web/log:three", "web/log:four");
            assertThat(next()).isEmpty();
        }
    }

    /** Twice, since what one compaction replaces is removed by the next. */
    private void compactAway() throws IOException {
        SmallArchive.compact(directory);
        SmallArchive.compact(directory);
    }

    @Test
    void anyLifeOfAFleetIsHeardOnce() throws Exception {
        RandomGenerator random = Seeds.random(Seeds.next("SparkStreamTest"));
        Map<String, ByteArrayOutputStream> files = new HashMap<>();
        try (SmallArchive web = new SmallArchive(directory, "web");
                SmallArchive db = new SmallArchive(directory, "db")) {
            Map<SmallArchive, List<Long>> versions =
                    new HashMap<>(Map.of(web, new ArrayList<>(), db, new ArrayList<>()));
            for (int step = 1; step <= 40; step++) {
                SmallArchive host = random.nextBoolean() ? web : db;
                List<Long> ids = versions.get(host);
                if (ids.isEmpty() || random.nextInt(6) == 0) {
                    ids.add(host.file("/f" + (ids.size() + 1)));
                }
                int chosen = random.nextInt(ids.size());
                StringBuilder text = new StringBuilder();
                for (int i = random.nextInt(40); i >= 0; i--) {
                    text.append(step).append(" of line ").append(i).append(random.nextInt(4) == 0 ? "" : "\n");
                }
                host.append(ids.get(chosen), text.toString()).commit(step * 100L);
                files.computeIfAbsent(
                                (host == web ? "web" : "db") + "/f" + (chosen + 1), name -> new ByteArrayOutputStream())
                        .writeBytes(text.toString().getBytes(StandardCharsets.UTF_8));
                if (random.nextInt(5) == 0) {
                    query();
                }
                if (random.nextInt(8) == 0) {
                    try (BlobStore store = BlobStores.open(directory.toString(), false)) {
                        SmallArchive.compact(store, DAY_MS, Clock.systemUTC());
                    }
                }
            }
            query();
        }
        assertThat(heard).containsExactlyInAnyOrderElementsOf(whole(files));
    }

    private static List<String> whole(Map<String, ByteArrayOutputStream> files) {
        List<String> lines = new ArrayList<>();
        files.forEach((name, bytes) -> {
            String text = bytes.toString(StandardCharsets.UTF_8);
            text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(line -> lines.add(name + ":" + line));
        });
        return lines;
    }

    @Test
    void refusesAPositionThatIsNone() {
        assertThat(FleetOffset.of("{}").json()).isEqualTo("{}");
        FleetOffset offset = FleetOffset.of("{\"0123456789abcdef\":7,\"fedcba9876543210\":12}");
        assertThat(offset.seq("0123456789abcdef")).isEqualTo(7);
        assertThat(offset.seq("00000000000000aa")).isZero();
        assertThat(FleetOffset.of(offset.json())).isEqualTo(offset);
        for (String wrong : List.of("", "{", "{\"x\":1}", "{\"0123456789abcdef\":-1}", "{\"0123456789abcdef\":1,}")) {
            assertThatThrownBy(() -> FleetOffset.of(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
