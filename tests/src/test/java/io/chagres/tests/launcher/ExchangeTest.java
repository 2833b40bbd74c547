package io.chagres.tests.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that runs keeps its files while newer ones take its place. */
@Tag("e2e")
class ExchangeTest {
    @TempDir
    Path machine;

    @Test
    void aShipThatRunsLoadsItsClassesAfterTwoBuilds() throws IOException {
        Checkout checkout = new Checkout(machine);
        String built = System.getenv("CHAGRES_DIST");
        checkout.build("mkdir -p cli/target/quick && cp -R '" + built + "' cli/target/quick/dist; exit");
        List<String> variables = List.of("JAVA_HOME=" + realJvmThatDoesNotTrain(checkout));
        Path logs = Files.createDirectory(machine.resolve("logs"));
        Path archive = machine.resolve("archive");
        Files.writeString(logs.resolve("a.log"), "before\n");
        Process ship = new ProcessBuilder(checkout.command(
                        variables,
                        "chagres",
                        "ship",
                        logs.toString(),
                        "--to=" + archive,
                        "--state=" + machine.resolve("state"),
                        "--host=h"))
                .redirectOutput(machine.resolve("ship.out").toFile())
                .redirectError(machine.resolve("ship.err").toFile())
                .start();
        try {
            Await.until("the first line is there", () -> read(checkout, variables, archive)
                    .equals("before\n"));
            Path first = checkout.program();
            List<Path> later = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Files.writeString(checkout.home.resolve("cli/src/main/A"), "" + i);
                assertThat(checkout.run(variables, "chagres", "--version").exitCode())
                        .isZero();
                later.add(checkout.program());
            }
            assertThat(first.resolve("lib")).as("in use").isDirectory();
            Files.writeString(logs.resolve("a.log"), "before\nafter\n");
            ship.destroy(); // what drains was not loaded until now
            assertThat(ship.onExit().join().exitValue())
                    .as(Files.readString(machine.resolve("ship.err")))
                    .isZero();
            assertThat(read(checkout, variables, archive)).isEqualTo("before\nafter\n");
            Files.writeString(checkout.home.resolve("cli/src/main/A"), "last");
            checkout.run(variables, "chagres", "--version");
            assertThat(first).as("used by nobody").doesNotExist();
            assertThat(later.getFirst()).doesNotExist();
            assertThat(later.getLast()).as("the one before").isDirectory();
        } finally {
            ship.destroyForcibly();
        }
    }

    /** Returns a JDK that is the real one, but for the training, which would take seconds each time. */
    private static Path realJvmThatDoesNotTrain(Checkout checkout) throws IOException {
        Path jdk = checkout.jdk("jdk", Runtime.version().feature() + ".0.1");
        Checkout.write(jdk.resolve("bin/java"), """
                #!/bin/sh
                case "$*" in *AOTCacheOutput*) exit 1 ;; esac
                exec '%s/bin/java' "$@"
                """.formatted(System.getProperty("java.home")));
        return jdk;
    }

    private static String read(Checkout checkout, List<String> variables, Path archive) {
        Program cat = checkout.run(variables, "chagres", "cat", archive.toString(), "h:**/a.log");
        return cat.exitCode() == 0 ? new String(cat.out(), StandardCharsets.UTF_8) : "";
    }
}
