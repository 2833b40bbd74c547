package io.chagres.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.testing.SmallArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spark reads encrypted archives if it knows where the key is, and says so if it does not. */
final class SparkEncryptedTest extends LocalSpark {
    @TempDir
    Path keys = Path.of("");

    private final AgeIdentity identity = AgeIdentity.generate();
    private String key = "";

    @BeforeEach
    void write() throws IOException {
        key = keys.resolve("key.txt").toString();
        Files.writeString(Path.of(key), "# a key\n" + identity.secretText() + "\n");
        try (SmallArchive web = new SmallArchive(directory, "web", List.of(identity.recipient()))) {
            long version = web.file("/log");
            web.append(version, "one\ntwo\n").commit(100);
            web.append(version, "three\n").commit(200);
        }
    }

    private Dataset<Row> table(String name, String identity) {
        return spark.read()
                .format("chagres")
                .option("table", name)
                .option("identity", identity)
                .load(directory.toString());
    }

    private static List<String> lines(Dataset<Row> rows) {
        return rows.select("line").collectAsList().stream()
                .map(row -> row.getString(0))
                .toList();
    }

    @Test
    void readsAllTablesByAKey() {
        assertThat(lines(table("lines", key))).containsExactly("one", "two", "three");
        assertThat(lines(
                        table("lines", key).where("commit_time > timestamp '1970-01-01 00:01:40' and line like 'th%'")))
                .containsExactly("three");
        assertThat(table("files", key).count()).isEqualTo(1);
        assertThat(table("commits", key).count()).isEqualTo(2);
    }

    @Test
    void compactsByAKey() throws IOException {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        String archive = directory.toString();
        assertThat(CompactFleet.run(context, archive(), null)).allSatisfy(each -> {
            assertThat(each.notes()).isEmpty();
            assertThat(each.faults()) // else a job without its key would look well while the archive grows
                    .singleElement()
                    .asString()
                    .contains("stays as it is: ", "is encrypted to 1 recipient");
        });
        assertThat(CompactFleet.run(context, new ArchiveAccess(directory.toString(), key, null), null))
                .contains(new CompactFleet.Outcome("web", 1, List.of(), List.of()));
        assertThat(lines(table("lines", key))).containsExactly("one", "two", "three");
        assertThatThrownBy(() -> lines(spark.read().format("chagres").load(archive)))
                .hasStackTraceContaining("option(\"identity\", \"/path/of/key.txt\")");
    }

    @Test
    void hearsNewLinesByAKey() throws Exception {
        List<String> heard = new ArrayList<>();
        spark.readStream()
                .format("chagres")
                .option("identity", key)
                .load(directory.toString())
                .writeStream()
                .option("checkpointLocation", keys.resolve("state").toString())
                .trigger(Trigger.AvailableNow())
                .foreachBatch((Dataset<Row> rows, Long batch) -> {
                    heard.addAll(lines(rows));
                })
                .start()
                .awaitTermination();
        assertThat(heard).containsExactly("one", "two", "three");
    }

    @Test
    void takesAKeyThatSparkBrought() throws IOException {
        Path given = warehouse.resolve("brought.txt"); // executors fetch it as long as Spark runs
        Files.writeString(given, identity.secretText());
        spark.sparkContext().addFile(given.toString());
        assertThat(lines(table("lines", "brought.txt"))).containsExactly("one", "two", "three");
    }

    @Test
    void saysWhatIsMissing() throws IOException {
        Dataset<Row> none = spark.read().format("chagres").load(directory.toString());
        assertThatThrownBy(none::count)
                .hasStackTraceContaining("is encrypted")
                .hasStackTraceContaining("option(\"identity\", \"/path/of/key.txt\")");
        Path other = keys.resolve("other.txt");
        Files.writeString(other, AgeIdentity.generate().secretText());
        assertThatThrownBy(() -> table("lines", other.toString()).count())
                .hasStackTraceContaining("the identity that was given does not open it");
        assertThatThrownBy(() -> table("lines", "/nowhere/key").count())
                .hasStackTraceContaining("identity /nowhere/key: there is no such file");
        assertThatThrownBy(() -> table("lines", identity.secretText()).count())
                .hasMessageContaining("identity is the path of a file")
                .hasMessageNotContaining(identity.secretText());
    }
}
