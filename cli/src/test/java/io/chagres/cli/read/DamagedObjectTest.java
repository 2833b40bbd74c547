package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.LogRecord;
import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.testing.Host;
import io.chagres.cli.CommandRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One data object is damaged: only its bytes are missing, and the range of the file that they were is named. */
@Tag("long")
final class DamagedObjectTest {
    private static final String FIRST = "first line\n".repeat(1000);
    private static final String SECOND = "second line\n".repeat(1000);
    private static final String THIRD = "third line\n".repeat(1000);
    private static final String LOST =
            "web1:/log/a: bytes " + FIRST.length() + " to " + (FIRST.length() + SECOND.length()) + " are left out: ";

    @TempDir
    Path directory = Path.of("");

    private enum Damage {
        NOT_OPENED,
        CHANGED,
        MISSING,
        REFUSED;

        void inflict(Path object) throws IOException {
            byte[] bytes = Files.readAllBytes(object);
            Files.delete(object);
            switch (this) {
                case NOT_OPENED -> bytes[60] = (byte) (bytes[60] == 'a' ? 'b' : 'a'); // the share of a recipient
                case CHANGED -> bytes[bytes.length / 2] ^= 1;
                case MISSING -> {
                    return;
                }
                case REFUSED -> {
                    Files.createDirectory(object);
                    return;
                }
            }
            Files.write(object, bytes);
        }
    }

    private void write(Damage damage) throws IOException {
        AgeIdentity key = AgeIdentity.generate();
        Files.writeString(directory.resolve("key"), key.secretText());
        String recipient = key.recipient().toString();
        BlobStore store = ProtectedStore.of(
                BlobStores.open(directory.resolve("archive").toString(), true),
                KeyRing.reading(List.of(key)).to(List.of(key.recipient()), List.of()));
        LogRecord.ObjectRun second;
        String id = "0123456789abcdef";
        try (Host host = new Host(store, id, "web1")) {
            host.write(new LogRecord.Recipients(recipient, recipient));
            long a = host.file("/log/a");
            host.object(a, FIRST.getBytes(StandardCharsets.UTF_8), Codec.ZSTD);
            second = host.object(a, SECOND.getBytes(StandardCharsets.UTF_8), Codec.ZSTD);
            host.object(a, THIRD.getBytes(StandardCharsets.UTF_8), Codec.ZSTD);
            host.file("/log/b", "third line of another\n");
            host.commit();
        }
        damage.inflict(directory.resolve("archive").resolve(ArchiveLayout.object(id, second)));
    }

    private CommandRun run(String... words) {
        List<String> arguments = new ArrayList<>(List.of(words));
        arguments.replaceAll(
                word -> word.equals("STORE") ? directory.resolve("archive").toString() : word);
        arguments.addAll(List.of("--identity", directory.resolve("key").toString()));
        return CommandRun.of(arguments.toArray(String[]::new));
    }

    @ParameterizedTest
    @EnumSource
    void catGivesTheRest(Damage damage) throws IOException {
        write(damage);
        CommandRun cat = run("cat", "STORE", "web1:/log/*");
        assertThat(cat.out()).as(cat.err()).isEqualTo(FIRST + THIRD + "third line of another\n");
        assertThat(cat.err()).contains(LOST).doesNotContain("host web1");
        assertThat(cat.code()).isEqualTo(1);
        CommandRun part =
                run("cat", "STORE", "web1:/log/*", "--bytes", (FIRST.length() - 11) + "-" + (FIRST.length() + 5));
        assertThat(part.out()).as(part.err()).isEqualTo("first line\n");
        assertThat(part.err()).contains("bytes " + FIRST.length() + " to " + (FIRST.length() + 5) + " are left out");
    }

    @ParameterizedTest
    @EnumSource
    void tailGivesTheRest(Damage damage) throws IOException {
        write(damage);
        CommandRun tail = run("tail", "STORE", "web1:/log/*", "-n", "1");
        assertThat(tail.out()).contains("third line\n", "third line of another\n");
        assertThat(tail.code()).as(tail.err()).isZero();
        tail = run("tail", "STORE", "web1:/log/*", "-n", "1500");
        assertThat(tail.out()).as(tail.err()).contains("third line of another\n");
        assertThat(tail.err()).contains("web1:/log/a: ").doesNotContain("host web1");
        assertThat(tail.code()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void grepNamesTheFile(Damage damage) throws IOException {
        write(damage);
        CommandRun grep = run("grep", "line of|first", "STORE", "web1:/log/*", "-c");
        assertThat(grep.out()).as(grep.err()).isEqualTo("web1:/log/a:1000\nweb1:/log/b:1\n");
        assertThat(grep.err()).contains("web1:/log/a: it is searched up to ").doesNotContain("host web1");
        assertThat(grep.code()).isEqualTo(2);
    }
}
