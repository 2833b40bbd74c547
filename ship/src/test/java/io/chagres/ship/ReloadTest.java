package io.chagres.ship;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A shipper that continues with other options: several sources, others than before, and in haste. */
@Tag("long")
class ReloadTest {
    @TempDir
    Path temp;

    private ShippedTree shipped;

    @BeforeEach
    void open() throws IOException {
        shipped = new ShippedTree(temp);
        Files.createDirectories(shipped.file("a/deep"));
        Files.createDirectories(shipped.file("b"));
        write("a/one", "a1\n");
        write("b/one", "b1\n");
    }

    @AfterEach
    void close() {
        shipped.close();
    }

    private void write(String name, String text) throws IOException {
        ShippedTree.append(shipped.file(name), text.getBytes(UTF_8));
    }

    private @Nullable String archived(String name) throws IOException {
        byte[] bytes = shipped.archived(name);
        return bytes == null ? null : new String(bytes, UTF_8);
    }

    private void reload(Source... sources) throws IOException {
        shipped.shipper().requestReload(shipped.options(List.of(sources)));
        shipped.settle();
        assertThat(shipped.shipper().reloading()).isFalse();
    }

    @Test
    void aSourceIsAddedWhileAnotherGrows() throws IOException {
        shipped.sources = List.of(shipped.source("a"));
        shipped.settle();
        assertThat(archived("b/one")).isNull();
        shipped.shipper().requestReload(shipped.options(List.of(shipped.source("a"), shipped.source("b"))));
        StringBuilder text = new StringBuilder("a1\n");
        for (int i = 0; i < 200; i++) {
            write("a/one", i + "\n");
            text.append(i).append('\n');
            if (i % 20 == 0) { // rotation continues meanwhile
                Files.move(shipped.file("a/one"), shipped.file("a/deep/one." + i));
                text.setLength(0);
            }
            shipped.shipper().doWork(0);
        }
        shipped.settle().assertArchived();
        assertThat(archived("a/one")).isEqualTo(text.toString());
        assertThat(archived("b/one")).isEqualTo("b1\n");
        shipped.drain().assertArchived();
    }

    @Test
    void aSourceThatIsRemovedIsShippedToItsEndAndNoFurther() throws IOException {
        shipped.sources = List.of(shipped.source("a"), shipped.source("b"));
        shipped.settle();
        try (OutputStream writer = Files.newOutputStream(shipped.file("b/open"))) {
            writer.write("before\n".getBytes(UTF_8));
            reload(shipped.source("a"));
            FileVersion version = shipped.load().versions().stream()
                    .filter(each -> each.length() == 7)
                    .findFirst()
                    .orElseThrow();
            assertThat(shipped.content(version)).isEqualTo("before\n".getBytes(UTF_8));
            long stored = shipped.storedBytes();
            writer.write("after\n".getBytes(UTF_8));
            for (int i = 0; i < 300; i++) {
                shipped.shipper().doWork(1);
            }
            assertThat(shipped.storedBytes()).isEqualTo(stored);
            write("a/one", "a2\n");
            shipped.settle();
            assertThat(archived("a/one")).isEqualTo("a1\na2\n");
        }
        reload(shipped.source("a"), shipped.source("b"));
        assertThat(archived("b/open")).isEqualTo("before\nafter\n");
        assertThat(archived("b/one")).isEqualTo("b1\n");
        shipped.drain().assertArchived();
    }

    @Test
    void aDeletedFileThatIsStillWrittenGoesOnOverAReload() throws IOException {
        shipped.settle();
        try (OutputStream writer = Files.newOutputStream(shipped.file("a/doomed"))) {
            writer.write("1\n".getBytes(UTF_8));
            shipped.settle();
            Files.delete(shipped.file("a/doomed"));
            shipped.shipper().requestReload(shipped.options(List.of(shipped.source("b"))));
            shipped.shipper().doWork(0);
            writer.write("2\n".getBytes(UTF_8));
            shipped.settle();
            writer.write("3\n".getBytes(UTF_8));
        }
        shipped.drain();
        assertThat(shipped.load().versions().stream().filter(each -> each.length() == 6))
                .hasSize(1);
    }

    @Test
    void whatAnEarlierRunShippedGoesOnWhenItsSourceComesBack() throws IOException {
        shipped.drain();
        shipped.sources = List.of(shipped.source("a"));
        shipped.settle();
        write("b/one", "b2\n");
        long stored = shipped.storedBytes();
        reload(shipped.source("a"), shipped.source("b"));
        assertThat(archived("b/one")).isEqualTo("b1\nb2\n");
        assertThat(shipped.storedBytes()).isEqualTo(stored + 3);
        shipped.drain().assertArchived();
    }

    @Test
    void eachSourceHasItsOwnConditions() throws IOException {
        write("a/x.tmp", "t\n");
        write("b/x.tmp", "t\n");
        write("b/x.log", "l\n");
        String a = shipped.file("a").toString();
        String b = shipped.file("b").toString();
        shipped.sources = List.of(
                new Source(List.of(a), List.of(), List.of("*.tmp"), 1, Codec.ZSTD),
                new Source(List.of(b), List.of("*.tmp"), List.of(), 1, Codec.ZSTD));
        shipped.settle();
        assertThat(archived("a/one")).isEqualTo("a1\n");
        assertThat(archived("a/x.tmp")).isNull();
        assertThat(archived("b/x.tmp")).isEqualTo("t\n");
        assertThat(archived("b/x.log")).isNull();
        reload(
                new Source(List.of(a), List.of(), List.of(), 1, Codec.ZSTD),
                new Source(List.of(b), List.of(), List.of("*.tmp"), 1, Codec.ZSTD));
        assertThat(archived("a/x.tmp")).isEqualTo("t\n");
        assertThat(archived("b/x.tmp")).isNull();
        assertThat(archived("b/x.log")).isEqualTo("l\n");
    }

    @Test
    void eachSourceHasItsOwnLagUntilTheMachineIsToldOfItsEnd() throws IOException {
        ModelClock clock = new ModelClock();
        shipped.clock = clock;
        shipped.maxLagMs = 3_600_000;
        shipped.heartbeatMs = 3_600_000;
        shipped.sources = List.of(
                new Source(List.of(shipped.file("a").toString()), List.of(), List.of(), 1000, Codec.ZSTD),
                new Source(List.of(shipped.file("b").toString()), List.of(), List.of(), 600_000, Codec.ZSTD));
        steps(clock, 700_000);
        write("b/one", "b2\n");
        steps(clock, 0);
        assertThat(archived("b/one")).as("nothing was committed for long").isEqualTo("b1\nb2\n");
        write("b/one", "b3\n");
        steps(clock, 300_000);
        assertThat(archived("b/one")).isEqualTo("b1\nb2\n");
        write("a/one", "a2\n");
        steps(clock, 2_000);
        assertThat(archived("a/one")).isEqualTo("a1\na2\n");
        assertThat(archived("b/one")).as("the same commit").isEqualTo("b1\nb2\nb3\n");
        write("b/one", "b4\n");
        steps(clock, 300_000);
        assertThat(archived("b/one")).isEqualTo("b1\nb2\nb3\n");
        shipped.shipper().requestHaste("notice: a test");
        steps(clock, 0);
        assertThat(archived("b/one")).isEqualTo("b1\nb2\nb3\nb4\n");
        write("b/one", "b5\n");
        steps(clock, 0);
        assertThat(archived("b/one")).isEqualTo("b1\nb2\nb3\nb4\nb5\n");
        try (DirectoryStore store = DirectoryStore.open(Pathname.of(shipped.archive.toString()), false)) {
            BlobInfo newest = Objects.requireNonNull(
                    Heartbeat.newest(store, HostRegistry.hosts(store).getFirst().id()));
            assertThat(Heartbeat.get(store, newest.key()).trouble()).isEqualTo("notice: a test");
        }
    }

    /** Makes steps, in which the clock advances. */
    private void steps(ModelClock clock, long ms) throws IOException {
        for (int i = 0; i < 100; i++) {
            clock.advance(ms / 100);
            shipped.shipper().doWork(0);
        }
    }

    @Test
    void eachSourceHasItsOwnCodec() throws IOException {
        byte[] zeros = "the same line\n".repeat(200_000).getBytes(UTF_8);
        ShippedTree.append(shipped.file("a/large"), zeros);
        ShippedTree.append(shipped.file("b/large"), (new String(zeros, UTF_8) + "end\n").getBytes(UTF_8));
        shipped.copies = false;
        shipped.sources = List.of(
                shipped.source("a"),
                new Source(List.of(shipped.file("b").toString()), List.of(), List.of(), 1, Codec.NONE));
        shipped.settle().assertArchived();
        try (var files = Files.walk(shipped.archive)) {
            List<Long> large = files.filter(Files::isRegularFile)
                    .map(each -> each.toFile().length())
                    .filter(each -> each > 2_000_000)
                    .toList();
            assertThat(large).hasSize(1);
        }
    }

    /** A full disk of the state directory is said once, not five times a second while somebody drains. */
    @Test
    void saysOnceThatNobodyHearsOfAFlush() throws IOException {
        shipped.settle();
        ContinuationTest.deleteRecursively(temp.resolve("state"));
        for (int i = 0; i < 3; i++) {
            write("a/one", "more\n");
            shipped.shipper().requestFlush();
            shipped.settle();
        }
        assertThat(shipped.problems)
                .filteredOn(each -> each.contains("does not hear of it"))
                .hasSize(1);
        assertThat(archived("a/one")).isEqualTo("a1\nmore\nmore\nmore\n");
    }
}
