package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The real logrotate. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class LogrotateFaultsTest {
    private static final int ROTATIONS = 3;

    @BeforeEach
    void needsLogrotate() {
        Requires.tool("logrotate");
    }

    @ParameterizedTest
    @ValueSource(strings = {"create", "create\ndateext\ndateformat -%Y%m%d-%s", "nocreate", "create\nolddir old"})
    void renamed(String directives, FaultBench bench) throws IOException {
        Files.createDirectory(bench.file("old"));
        LineWriter writer = rotateUnderWrites(bench, directives);

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** The .gz is derived from shipped bytes: its lines stand in it, and nowhere else. */
    @ParameterizedTest
    @ValueSource(strings = {"create\ncompress", "create\ncompress\ndelaycompress", "copytruncate\ncompress"})
    void compressed(String directives, FaultBench bench) throws IOException {
        boolean copies = directives.contains("copytruncate");
        LineWriter writer = copies ? rotateBetweenWrites(bench, directives) : rotateUnderWrites(bench, directives);

        Restored restored = bench.restored().exact(writer).same(bench.tree());
        assertThat(restored.files()).anyMatch(file -> file.toString().endsWith(".gz"));
    }

    @Test
    void copyTruncated(FaultBench bench) throws IOException {
        LineWriter writer = rotateBetweenWrites(bench, "copytruncate");

        bench.restored().exact(writer).same(bench.tree());
    }

    /** The copy has shipped bytes, which are not stored again. Once, these letters compress to 0.6. */
    @Test
    void aCopyIsNotStoredTwice(FaultBench bench) throws IOException {
        LineWriter writer = rotateBetweenWrites(bench, "copytruncate");

        long stored = Archive.files(bench.store(), file -> true).stream()
                .mapToLong(file -> file.toFile().length())
                .sum();
        long written = Archive.files(bench.tree(), file -> true).stream()
                .mapToLong(file -> file.toFile().length())
                .sum();
        assertThat(stored).as("bytes stored for %s lines", writer.written()).isLessThan(written);
    }

    /** The writer continues in the old file until it hears of it, as by a signal in postrotate. */
    private static LineWriter rotateUnderWrites(FaultBench bench, String directives) throws IOException {
        LineWriter writer = bench.writer("app");
        Path log = bench.file("app.log");
        writer.open(log).lines(400);
        ShipProcess ship = bench.ship();
        for (int i = 0; i < ROTATIONS; i++) {
            writer.lines(300);
            logrotate(bench, directives);
            if (!directives.contains("\ncompress") || directives.contains("delaycompress")) {
                writer.lines(100); // to the renamed file
            }
            writer.open(log).lines(200);
            ship.awaitSettled();
        }
        writer.lines(100).close();
        ship.drain();
        return writer;
    }

    /** No line is written between copy and truncation, where logrotate itself loses it. */
    private static LineWriter rotateBetweenWrites(FaultBench bench, String directives) throws IOException {
        LineWriter writer = bench.writer("app");
        writer.open(bench.file("app.log")).lines(400);
        ShipProcess ship = bench.ship();
        for (int i = 0; i < ROTATIONS; i++) {
            writer.lines(500);
            if (i % 2 == 0) {
                ship.awaitSettled();
            }
            logrotate(bench, directives);
            writer.lines(200);
        }
        ship.awaitSettled();
        writer.lines(100).close();
        ship.drain();
        return writer;
    }

    private static void logrotate(FaultBench bench, String directives) throws IOException {
        if (directives.contains("dateformat")) { // it names files by the second
            long begun = Clock.systemUTC().millis() / 1000;
            Await.until("another second begins", () -> Clock.systemUTC().millis() / 1000 > begun);
        }
        Path configuration = bench.root().resolve("logrotate.conf");
        Files.writeString(configuration, bench.file("app.log") + " {\nrotate 9\n" + directives + "\n}\n");
        Files.setPosixFilePermissions(configuration, PosixFilePermissions.fromString("rw-r--r--"));
        Program.ok(
                "env",
                "PATH=" + System.getenv("PATH") + ":/usr/sbin:/sbin",
                "logrotate",
                "--force",
                "--state",
                bench.root().resolve("logrotate.state").toString(),
                configuration.toString());
    }
}
