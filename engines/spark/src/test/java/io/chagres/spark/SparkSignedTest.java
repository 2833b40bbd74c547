package io.chagres.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.sign.SigningKey;
import io.chagres.archive.sign.TrustList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.testing.SmallArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spark gives what signatures prove, of an archive that somebody without the key can write. */
final class SparkSignedTest extends LocalSpark {
    @TempDir
    Path keys = Path.of("");

    private final SigningKey key = SigningKey.generate();
    private Path trust = Path.of("");

    @BeforeEach
    void write() throws IOException {
        try (SmallArchive web = SmallArchive.signed(directory, "web", key)) {
            long version = web.file("/log");
            web.append(version, "one\ntwo\n").commit(100);
            web.append(version, "three\n").commit(200);
        }
        try (BlobStore store = archive().open(false)) {
            String id = HostRegistry.hosts(store).getFirst().id();
            trust = Files.writeString(keys.resolve("trust"), TrustList.line(id, key.publicKey()));
        }
    }

    private Dataset<Row> table(String name) {
        return spark.read()
                .format("chagres")
                .option("table", name)
                .option("trust", trust.toString())
                .load(directory.toString());
    }

    private List<String> lines() {
        return table("lines").select("line").collectAsList().stream()
                .map(row -> row.getString(0))
                .toList();
    }

    @Test
    void readsWhatIsProven() {
        assertThat(lines()).containsExactly("one", "two", "three");
        assertThat(table("files").count()).isEqualTo(1);
        assertThat(table("commits").count()).isEqualTo(2);
    }

    @Test
    void refusesAHostWithoutTheKey() throws IOException {
        try (SmallArchive other = new SmallArchive(directory, "other")) {
            other.append(other.file("/log"), "forged\n").commit(100);
        }
        assertThatThrownBy(this::lines).hasStackTraceContaining("sign");
        assertThat(table("lines").where("host = 'web'").count()).isEqualTo(3);
    }

    @Test
    void refusesAnotherKey() throws IOException {
        String id = Files.readString(trust).split(" ", 2)[0];
        Files.writeString(trust, TrustList.line(id, SigningKey.generate().publicKey()));
        assertThatThrownBy(this::lines).hasStackTraceContaining("sign");
    }

    @Test
    void saysThatAFileIsMissing() throws IOException {
        Files.delete(trust);
        assertThatThrownBy(this::lines).hasStackTraceContaining("trust " + trust + ": there is no such file");
    }
}
