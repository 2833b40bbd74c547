package io.chagres.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Address;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;

/** Spark itself asks archives. */
final class SparkTest extends LocalSpark {
    private Dataset<Row> table(String name) {
        return table(name, "splitBytes", "40000");
    }

    private Dataset<Row> table(String name, String option, String value) {
        return spark.read()
                .format("chagres")
                .option("table", name)
                .option(option, value)
                .load(directory.toString());
    }

    @Test
    void findsTheLinesThatWereWritten() throws IOException {
        List<RandomFleet.Line> lines = new RandomFleet(directory, Seeds.random(Seeds.next("SparkTest.lines"))).lines();
        table("lines").createOrReplaceTempView("lines");
        assertThat(found("select host, path, offset, line_bytes from lines")).isEqualTo(lines);
        assertThat(found("select host, path, offset, line_bytes from lines where line like '%ERROR%'"))
                .isEqualTo(lines.stream()
                        .filter(line -> line.latin1().contains("ERROR"))
                        .toList());
        String empty = "select host, path, offset, line_bytes from lines where line = '' and host = 'web1'";
        assertThat(found(empty))
                .isEqualTo(lines.stream()
                        .filter(line -> line.latin1().isEmpty() && line.host().equals("web1"))
                        .toList());
        assertThat(spark.sql("select count(*) from lines").first().getLong(0)).isEqualTo(lines.size());
        assertThat(spark.sql("select line from lines where line like '%\u00e9t\u00e9%' limit 1")
                        .first()
                        .getString(0))
                .contains("\u00e9t\u00e9");
    }

    private static List<RandomFleet.Line> found(String question) {
        return spark.sql(question).collectAsList().stream()
                .map(row -> new RandomFleet.Line(
                        row.getString(0),
                        row.getString(1),
                        row.getLong(2),
                        new String((byte[]) row.get(3), StandardCharsets.ISO_8859_1)))
                .sorted()
                .toList();
    }

    @Test
    void readsThePast() {
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            long version = web.file("/log");
            web.append(version, "one\n").commit(100);
            web.append(version, "two\n").commit(200);
            web.append(version, "three\n").commit(300);
        }
        assertThat(lines("at", "1970-01-01T00:03:20Z")).containsExactly("one", "two");
        assertThat(lines("timestampAsOf", "1970-01-01T00:01:40Z")).containsExactly("one");
        assertThat(lines("since", "1970-01-01T00:01:40Z")).containsExactly("two", "three");
        assertThat(lines("until", "1970-01-01T00:03:20Z")).containsExactly("one", "two");
        assertThatThrownBy(() -> lines("at", "yesterday")).hasMessageContaining("at is no time: 'yesterday'");
        assertThatThrownBy(() -> table("names").count()).hasMessageContaining("there is no table 'names'");
    }

    private List<String> lines(String option, String time) {
        return spark
                .read()
                .format("chagres")
                .option(option, time)
                .load(directory.toString())
                .select("line")
                .collectAsList()
                .stream()
                .map(row -> row.getString(0))
                .toList();
    }

    @Test
    void refusesOptionsThatMakeNoSense() {
        for (String[] each : new String[][] {
            {"sicne", "2026-11-22T09:00:00Z", "there is no option 'sicne'; there are path, table, at"},
            {"versions", "yes", "versions is true or false, not 'yes'"},
            {"damaged", "yes", "damaged is fail or skip, not 'yes'"},
            {"splitBytes", "64m", "splitBytes is a number of bytes, not '64m'"},
            {"splitBytes", "-1", "splitBytes is a number of bytes, not '-1'"},
        }) {
            assertThatThrownBy(() -> lines(each[0], each[1])).hasMessageContaining(each[2]);
        }
        assertThatThrownBy(() -> spark.read().format("chagres").load("a", "b"))
                .hasMessageContaining("one archive is needed");
    }

    @Test
    void aDamagedHostIsNamedAndCanBeLeftOut() throws IOException {
        for (String host : List.of("web1", "web2")) {
            try (SmallArchive archive = new SmallArchive(directory, host)) {
                archive.append(archive.file("/log"), "one\n").commit(100);
            }
        }
        String id = table("hosts").where("host = 'web2'").first().getString(1);
        Path commit = directory.resolve("hosts/" + id + "/log/0000000000000001.zst");
        byte[] bytes = Files.readAllBytes(commit);
        bytes[bytes.length / 2] ^= 1;
        Files.write(commit, bytes);
        assertThatThrownBy(() -> table("lines").count())
                .hasStackTraceContaining("host web2: ")
                .hasStackTraceContaining("is damaged");
        for (String others : List.of("host <> 'web2'", "not (host in ('web2') or line = 'x')", "host <=> 'web1'")) {
            assertThat(table("lines").where(others).count()).as(others).isEqualTo(1);
        }
        for (String table : List.of("lines", "files", "commits")) {
            assertThat(table(table, "damaged", "skip").count()).as(table).isEqualTo(1);
        }
    }

    /** Of a file with a damaged commit come the others' lines. */
    @Test
    void aDamagedFileCanBePassedOver() throws IOException {
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            web.append(web.file("/a"), "one\n").commit(100);
            web.append(web.file("/b"), "two\n").commit(200);
            SmallArchive.compact(directory);
            web.append(web.file("/c"), "three\n").commit(300);
            SmallArchive.compact(directory);
        }
        List<Path> packs;
        try (Stream<Path> all = Files.walk(directory)) {
            packs = all.filter(each -> each.toString().contains("/streams/") && Files.isRegularFile(each))
                    .toList();
        }
        Files.write(packs.getFirst(), new byte[10]);
        assertThatThrownBy(() -> table("lines").count()).isNotNull();
        assertThat(table("lines", "damaged", "skip").count()).isBetween(1L, 2L);
    }

    /** A small table is sent to all tasks that join it with a large one. */
    @Test
    void saysHowLargeTablesAre() throws IOException {
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            long version = web.file("/log");
            web.append(version, "x".repeat(100_000) + "\n").commit(100);
        }
        assertThat(bytes(table("lines"))).isEqualTo(100_001);
        assertThat(bytes(table("lines").where("path = '/other'"))).isZero();
        assertThat(bytes(table("hosts"))).isBetween(1L, 1_000L);
    }

    private static long bytes(Dataset<Row> rows) {
        return rows.queryExecution()
                .optimizedPlan()
                .collectLeaves()
                .head()
                .stats()
                .sizeInBytes()
                .toLong();
    }

    @Test
    void knowsWhenLinesWereCommitted() throws IOException {
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            long version = web.file("/log");
            web.append(version, "one\ntwo").commit(100);
            web.append(version, "\nthree\n").commit(200);
            web.append(version, "four\nfive\n").commit(300);
            for (boolean compacted : new boolean[] {false, true}) {
                table("lines").createOrReplaceTempView("timed");
                assertThat(timed("true"))
                        .as("compacted %s", compacted)
                        .containsExactly("one 100", "two 100", "three 200", "four 300", "five 300");
                String second = "timestamp '1970-01-01 00:03:20'";
                assertThat(timed("commit_time >= " + second)).containsExactly("three 200", "four 300", "five 300");
                assertThat(timed("commit_time > " + second)).containsExactly("four 300", "five 300");
                assertThat(timed("commit_time = " + second)).containsExactly("three 200");
                assertThat(timed("commit_time < " + second)).containsExactly("one 100", "two 100");
                assertThat(timed("commit_time <= " + second + " and line like 't%'"))
                        .containsExactly("two 100", "three 200");
                SmallArchive.compact(directory);
            }
        }
    }

    private static List<String> timed(String condition) {
        return spark
                .sql("select line, commit_time from timed where " + condition + " order by offset")
                .collectAsList()
                .stream()
                .map(row ->
                        row.getString(0) + " " + row.getTimestamp(1).toInstant().getEpochSecond())
                .toList();
    }

    @Test
    void isACatalogOfTables() {
        try (SmallArchive web = new SmallArchive(directory, "web")) {
            long version = web.file("/log");
            web.append(version, "one\n").commit(100);
            web.append(version, "two\n").commit(200);
            web.append(version, "three\n").commit(300);
        }
        spark.conf().set("spark.sql.catalog.logs", ChagresCatalog.class.getName());
        spark.conf().set("spark.sql.catalog.logs.path", directory.toString());
        assertThat(texts("select line from logs.lines")).containsExactly("one", "two", "three");
        assertThat(texts("select line from logs.lines timestamp as of '1970-01-01 00:03:20'"))
                .containsExactly("one", "two");
        assertThat(spark.read()
                        .option("since", "1970-01-01T00:03:20Z")
                        .table("logs.lines")
                        .select("line")
                        .collectAsList())
                .extracting(row -> row.getString(0))
                .containsExactly("three");
        assertThat(texts("select host from logs.hosts")).containsExactly("web");
        assertThat(spark.sql("show tables in logs").collectAsList())
                .extracting(row -> row.getString(1))
                .containsExactlyInAnyOrder("lines", "files", "commits", "hosts");
        assertThatThrownBy(() -> texts("select line from logs.nothing")).hasMessageContaining("nothing");
        assertThatThrownBy(() -> spark.sql("drop table logs.lines")).hasMessageContaining("they are read");
    }

    private static List<String> texts(String question) {
        return spark.sql(question).collectAsList().stream()
                .map(row -> row.getString(0))
                .toList();
    }

    @Test
    void compactsAFleet() throws IOException {
        List<RandomFleet.Line> lines = new RandomFleet(directory, Seeds.random(Seeds.next("SparkTest.fleet"))).lines();
        try (SmallArchive other = new SmallArchive(directory, "other")) {
            long version = other.file("/log");
            other.append(version, "one\n").commit(100);
            other.append(version, "two\n").commit(200);
        }
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        assertThat(CompactFleet.run(context, archive(), Address.parse("othe?:")))
                .isEqualTo(List.of(new CompactFleet.Outcome("other", 1, List.of(), List.of())));
        List<CompactFleet.Outcome> outcomes = CompactFleet.run(context, archive(), null);
        assertThat(outcomes).allSatisfy(each -> assertThat(each.faults()).isEmpty());
        assertThat(outcomes)
                .extracting(CompactFleet.Outcome::host)
                .containsExactlyInAnyOrder("web0", "web1", "web2", "other");
        assertThat(table("commits").count()).isZero();
        table("lines").createOrReplaceTempView("lines");
        assertThat(found("select host, path, offset, line_bytes from lines where host <> 'other'"))
                .isEqualTo(lines);
        assertThat(CompactFleet.run(context, archive(), null))
                .extracting(CompactFleet.Outcome::objects)
                .containsOnly(0L);
    }

    /** As for 'chagres compact', which says so and goes to the next host. */
    @Test
    void aDamagedHostKeepsNoOtherFromBeingCompacted() throws IOException {
        for (String name : new String[] {"a", "b", "c"}) {
            try (SmallArchive host = new SmallArchive(directory, name)) {
                long version = host.file("/log");
                host.append(version, "one\n").commit(100);
                host.append(version, "two\n").commit(200);
            }
        }
        try (BlobStore store = BlobStores.open(directory.toString(), true)) {
            String id = HostRegistry.hosts(store, "b").getFirst().id();
            store.delete(ArchiveLayout.commit(id, 1));
        }
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        List<CompactFleet.Outcome> outcomes = CompactFleet.run(context, archive(), null);
        assertThat(outcomes)
                .filteredOn(each -> !each.host().equals("b"))
                .containsExactlyInAnyOrder(
                        new CompactFleet.Outcome("a", 1, List.of(), List.of()),
                        new CompactFleet.Outcome("c", 1, List.of(), List.of()));
        assertThat(outcomes)
                .filteredOn(each -> each.host().equals("b"))
                .singleElement()
                .satisfies(each -> assertThat(each.faults()).isNotEmpty());
    }

    @Test
    void knowsFilesCommitsAndHosts() {
        try (SmallArchive web = new SmallArchive(directory, "web");
                SmallArchive db = new SmallArchive(directory, "db")) {
            web.append(web.file("/log/a"), "one\n").commit(100);
            web.append(web.file("/log/b"), "two!\n").commit(200);
            web.remove("/log/a").commit(300);
            db.file("/data");
            db.commit(400);
        }
        assertThat(table("files")
                        .where("host = 'web'")
                        .orderBy("path")
                        .select("path", "named", "length")
                        .collectAsList())
                .extracting(Row::mkString)
                .containsExactly("/log/afalse4", "/log/btrue5");
        assertThat(table("commits").where("host = 'web'").orderBy("seq").collectAsList())
                .extracting(row -> row.getLong(1) + " " + row.getTimestamp(2).toInstant())
                .containsExactly("1 1970-01-01T00:01:40Z", "2 1970-01-01T00:03:20Z", "3 1970-01-01T00:05:00Z");
        assertThat(table("hosts").orderBy("host").select("host").collectAsList())
                .extracting(row -> row.getString(0))
                .containsExactly("db", "web");
    }
}
