package io.chagres.tests.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program that {@code packaging/package.sh} makes of this build: it only starts. */
@Tag("e2e")
class InstalledProgramTest {
    private static final String JAVA_HOME = "JAVA_HOME=" + System.getProperty("java.home");
    private static final List<String> NOBODY = List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

    @TempDir
    static Path directory;

    private static Path installed;

    @BeforeAll
    static void install() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        installed = directory.resolve("a place/chagres");
        Files.createDirectory(installed.getParent());
        String dist = "CHAGRES_DIST=" + BuiltParts.withoutStores(directory.resolve("dist"));
        String script = Repository.root().resolve("packaging/package.sh").toString();
        Program.ok("env", dist, script, installed.toString());
    }

    @Test
    void startsWithoutAnEnvironment() {
        Program version = run(List.of("env", "-i", JAVA_HOME), "--version");
        assertThat(version.err()).isEmpty();
        assertThat(version.exitCode()).isZero();
        assertThat(text(version)).startsWith("chagres ").hasLineCount(1);
    }

    @Test
    void takesItsClassesFromTheCacheThatWasTrainedForItsPlace() {
        Program help = run(List.of("env", "CHAGRES_JVM_FLAGS=-Xlog:class+load:stderr", JAVA_HOME), "--help");
        assertThat(help.err()).contains(" io.chagres.cli.Main source: shared objects file");
    }

    @Test
    void prefersTheRuntimeThatLiesInIt() throws IOException {
        Path copy = Files.createDirectories(directory.resolve("with runtime/bin"));
        for (String file : List.of("bin/chagres", "bin/find-jdk.sh", "bin/start.sh")) {
            Files.copy(installed.resolve(file), copy.resolveSibling(file));
        }
        Checkout.write(copy.resolveSibling("runtime/bin/java"), "#!/bin/sh\necho bundled\n");
        Files.writeString(copy.resolveSibling("runtime/release"), "JAVA_VERSION=\"25.0.1\"\nMODULES=\"java.base\"\n");
        Program program = Program.run(
                List.of("env", "-i", JAVA_HOME, copy.resolve("chagres").toString(), "ls"));
        assertThat(text(program)).as(program.err()).isEqualTo("bundled\n");
    }

    @Test
    void saysWhatItLookedForWhereThereIsNoJava() throws IOException {
        Path copy = Files.createDirectories(directory.resolve("without runtime/bin"));
        for (String file : List.of("bin/chagres", "bin/start.sh")) {
            Files.copy(installed.resolve(file), copy.resolveSibling(file));
        }
        Files.writeString(
                copy.resolve("find-jdk.sh"),
                Files.readString(installed.resolve("bin/find-jdk.sh"))
                        .replace(" /usr/", " /nowhere/")
                        .replace(" /opt/", " /nowhere/"));
        Checkout.write(copy.resolveSibling("path/cat"), "#!/bin/sh\nexec /usr/bin/cat\n");
        String path = "PATH=" + copy.resolveSibling("path");
        Program program =
                Program.run(List.of("env", "-i", path, copy.resolve("chagres").toString(), "ls"));
        assertThat(program.exitCode()).isEqualTo(2);
        assertThat(program.err()).startsWith("chagres: needs a JDK 25 or newer (with java), and found none.");
    }

    @Test
    void anOtherUserWhoMayWriteNothingShipsAndReads() throws IOException {
        Requires.root();
        Requires.tool("setpriv");
        assertShipsAndReads(NOBODY);
    }

    @Test
    void whoMayWriteFindsNothingWrittenThere() throws IOException {
        assertShipsAndReads(List.of());
    }

    private void assertShipsAndReads(List<String> user) throws IOException {
        List<String> before = files();
        Path place = Files.createTempDirectory(directory, "user");
        Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.writeString(Files.createDirectory(place.resolve("logs")).resolve("a.log"), "a line\n");
        List<String> command = new ArrayList<>(user);
        command.addAll(List.of("env", "-i", JAVA_HOME));
        String archive = place.resolve("archive").toString();
        Program ship = run(
                command,
                "ship",
                place.resolve("logs").toString(),
                "--to",
                archive,
                "--state",
                place.resolve("state").toString(),
                "--host",
                "h",
                "--once");
        assertThat(ship.exitCode()).as(ship.err()).isZero();
        assertThat(text(run(command, "cat", archive, "h:**/a.log"))).isEqualTo("a line\n");
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void isMadeInANewPlaceOnly() {
        Program again = Program.run(
                List.of(Repository.root().resolve("packaging/package.sh").toString(), installed.toString()));
        assertThat(again.exitCode()).isEqualTo(1);
        assertThat(text(again) + again.err()).contains(installed + " is there already");
    }

    @Test
    void noUnitStartsTheLauncherOfACheckout() throws IOException {
        try (Stream<Path> files = Files.walk(Repository.root().resolve("packaging"))) {
            List<String> starts = new ArrayList<>();
            for (Path unit : files.filter(Files::isRegularFile).toList()) {
                Files.readAllLines(unit).stream()
                        .filter(line -> line.startsWith("ExecStart"))
                        .forEach(starts::add);
            }
            assertThat(starts).isNotEmpty().allMatch(line -> line.contains("=/usr/lib/chagres/bin/chagres "));
        }
    }

    /** Returns every file of the program with its time, which is what a writer would change. */
    private static List<String> files() throws IOException {
        try (Stream<Path> files = Files.walk(installed)) {
            List<String> all = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                all.add(file + " " + Files.getLastModifiedTime(file));
            }
            return all;
        }
    }

    private static Program run(List<String> before, String... args) {
        List<String> command = new ArrayList<>(before);
        command.add(installed.resolve("bin/chagres").toString());
        command.addAll(List.of(args));
        return Program.run(command);
    }

    private static String text(Program program) {
        return new String(program.out(), StandardCharsets.UTF_8);
    }
}
