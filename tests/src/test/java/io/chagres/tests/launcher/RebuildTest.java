package io.chagres.tests.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that works is never lost to the build of the next one. */
@Tag("e2e")
class RebuildTest {
    private Path machine;
    private Checkout checkout;
    private Path jdk;

    @BeforeEach
    void buildOnce(@TempDir Path empty) throws IOException {
        machine = empty;
        checkout = new Checkout(machine);
        jdk = checkout.jdk("usr/lib/jvm/25", "25.0.1");
        assertThat(checkout.run(List.of(), "chagres", "ls").exitCode()).isZero();
    }

    @Test
    void aFailedBuildLeavesTheProgramBeforeItAndRunsThat() throws IOException {
        Path before = checkout.program();
        Checkout.write(checkout.home.resolve("failing"), "");
        Checkout.write(jdk.resolve("bin/java"), "#!/bin/sh\necho \"$*\"\nexit 7\n");
        checkout.touch("cli/src/main/A");
        Program program = checkout.run(List.of(), "chagres", "ls");
        assertThat(program.exitCode()).as("that of the program").isEqualTo(7);
        assertThat(text(program)).contains(before + "/lib/one.jar", "older than the sources");
        assertThat(program.err())
                .matches("chagres: building \\(sources have changed\\) \\.\\.\\. failed after \\d+ s, "
                        + "running the program before it \\(why: .*/target/programs/build.log\\)\n");
        assertThat(checkout.program()).isEqualTo(before);
    }

    @Test
    void aFailedBuildIsTriedAgainWhenSourcesChange() throws IOException {
        Checkout.write(checkout.home.resolve("failing"), "");
        Files.writeString(checkout.home.resolve("cli/src/main/A"), "wrong");
        checkout.run(List.of(), "chagres", "ls");
        Program second = checkout.run(List.of(), "chagres", "ls");
        assertThat(checkout.builds()).isEqualTo(2);
        assertThat(second.err())
                .startsWith("chagres: the last build failed, see ")
                .hasLineCount(1);
        assertThat(text(second)).contains("older than the sources");
        Files.delete(checkout.home.resolve("failing"));
        Files.writeString(checkout.home.resolve("cli/src/main/A"), "right");
        Program third = checkout.run(List.of(), "chagres", "ls");
        assertThat(third.err()).startsWith("chagres: building (sources have changed) ... done");
        assertThat(text(third)).doesNotContain("older than the sources");
        assertThat(checkout.run(List.of(), "chagres", "ls").err()).isEmpty();
    }

    @Test
    void aStoreThatCannotBeBuiltIsNotReplacedByAProgramWithoutIt() throws IOException {
        Checkout.write(checkout.home.resolve("failing"), "");
        Program program = checkout.run(List.of(), "chagres", "ls", "y://bucket");
        assertThat(program.exitCode()).isEqualTo(1);
        assertThat(program.err()).contains("building (first use of y://) ... failed", "nothing was run");
        assertThat(checkout.run(List.of(), "chagres", "ls", "/bucket").exitCode())
                .isZero();
    }

    @Test
    void whileItBuildsTheProgramBeforeItIsWhole() throws IOException {
        Path before = checkout.program();
        checkout.build("ls \"" + before + "/lib\" \"" + before + "/aot.cache\" >seen");
        Files.createSymbolicLink(machine.resolve("path/ls"), Path.of("/usr/bin/ls"));
        checkout.touch("cli/src/main/A");
        checkout.run(List.of(), "chagres", "ls");
        assertThat(checkout.home.resolve("seen")).content().contains("one.jar", "two.jar", "aot.cache");
        assertThat(checkout.program()).isNotEqualTo(before);
    }

    @Test
    void whatAKilledBuildLeftIsRemovedByTheNext() throws IOException {
        String before = checkout.program().getFileName().toString();
        Checkout.write(jdk.resolve("kills-training"), "");
        Files.writeString(checkout.home.resolve("cli/src/main/A"), "1");
        Program killed = checkout.run(List.of(), "chagres", "ls");
        assertThat(killed.err()).contains("failed after", "running the program before it");
        assertThat(checkout.programs()).as("killed, so it could not clean").hasSize(2);
        Files.delete(jdk.resolve("kills-training"));
        Files.writeString(checkout.home.resolve("cli/src/main/A"), "2");
        checkout.run(List.of(), "chagres", "ls");
        String after = checkout.program().getFileName().toString();
        assertThat(checkout.programs()).containsExactlyInAnyOrder(before, after);
        assertThat(checkout.program().resolve("training")).doesNotExist();
    }

    @Test
    void oneBuildsAndOthersWait() throws IOException {
        Path gate = machine.resolve("gate");
        Program.ok("mkfifo", gate.toString());
        checkout.build("read -r _ <\"" + gate + "\"");
        Files.writeString(checkout.home.resolve("cli/src/main/A"), "1");
        List<Process> starts = new ArrayList<>();
        List<Path> messages = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            messages.add(machine.resolve("err" + i));
            starts.add(new ProcessBuilder(checkout.command(List.of(), "chagres", "ls"))
                    .redirectOutput(machine.resolve("out" + i).toFile())
                    .redirectError(messages.get(i).toFile())
                    .start());
        }
        Await.until(
                "two starts wait",
                () -> messages.stream().filter(RebuildTest::waits).count() == 2);
        Files.writeString(gate, "go on\n");
        for (Process start : starts) {
            assertThat(start.onExit().join().exitValue()).isZero();
        }
        assertThat(checkout.builds()).as("the first, and one more").isEqualTo(2);
        for (int i = 0; i < 3; i++) {
            assertThat(machine.resolve("out" + i))
                    .content()
                    .contains(checkout.program() + "/lib/one.jar")
                    .as("a program that stays would hold up every later build")
                    .doesNotContain("has the lock");
        }
    }

    @Test
    void whereNothingCanBeWrittenTheProgramRunsAsItIs() throws IOException {
        Requires.root();
        Requires.tool("setpriv");
        Files.setPosixFilePermissions(machine, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(checkout.home.resolve("cli/src/main/A"), "1");
        List<String> command = new ArrayList<>(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
        command.addAll(checkout.command(List.of(), "chagres", "ls"));
        Program program = Program.run(command);
        assertThat(program.exitCode()).isZero();
        assertThat(program.err())
                .isEqualTo("chagres: sources have changed, and " + checkout.home
                        + "/target/programs is not writable: running the program before that\n");
        assertThat(text(program)).contains("older than the sources");
    }

    /** Of jars that Maven wrote again, with the same bytes. */
    @Test
    void insideABuildItIsMadeOfOtherPartsOnly() throws IOException {
        Path dist = checkout.home.resolve("cli/target/quick/dist");
        Files.createDirectory(dist.resolve("stores"));
        List<String> variables = List.of("CHAGRES_DIST=" + dist);
        checkout.run(variables, "chagres", "ls");
        checkout.touch("cli/target/quick/dist/lib/one.jar");
        checkout.run(variables, "chagres", "ls");
        assertThat(jdk.resolve("trained")).content().hasLineCount(2); // that of the checkout, and this one
        Files.writeString(dist.resolve("lib/one.jar"), "another");
        checkout.touch("cli/target/quick/dist/lib/one.jar");
        checkout.run(variables, "chagres", "ls");
        assertThat(jdk.resolve("trained")).content().hasLineCount(3);
    }

    @Test
    void saysFromWhichCommitItWasBuilt() throws IOException {
        Files.delete(checkout.home.resolve(".git"));
        Path git = machine.resolve("git.sh");
        Checkout.write(git, """
                #!/bin/sh
                set -eu
                cd "$1"
                echo 'target/' >.gitignore
                echo 'builds' >>.gitignore
                git init -q
                git add .
                git -c user.name=a -c user.email=a@b commit -q -m one
                """);
        Program.ok(git.toString(), checkout.home.toString());
        String commit = Program.ok("git", "-C", checkout.home.toString(), "rev-parse", "--short", "HEAD");
        checkout.touch("cli/src/main/A");
        assertThat(build()).isEqualTo("commit " + commit.strip());
        Files.writeString(checkout.home.resolve("cli/src/main/A"), "changed");
        assertThat(build("CHAGRES_BUILD=never")).isEqualTo("commit " + commit.strip() + ", older than the sources");
        assertThat(build()).isEqualTo("commit " + commit.strip() + ", modified");
    }

    private String build(String... variables) {
        Program program = checkout.run(List.of(variables), "chagres", "--version");
        String option = "-Dio.chagres.build=";
        return text(program)
                .lines()
                .filter(line -> line.startsWith(option))
                .findFirst()
                .orElseThrow()
                .substring(option.length());
    }

    private static boolean waits(Path err) {
        try {
            return Files.readString(err).startsWith("chagres: waiting for the build of another start\n");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String text(Program program) {
        return new String(program.out(), StandardCharsets.UTF_8);
    }
}
