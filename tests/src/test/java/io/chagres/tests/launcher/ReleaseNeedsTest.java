package io.chagres.tests.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code packaging/release.sh} says before it begins: a release takes too long to fail at its end. */
@Tag("e2e")
class ReleaseNeedsTest {
    private static final List<String> LEAST =
            List.of("sh", "dirname", "awk", "uname", "id", "readlink", "env", "sed", "grep");

    @TempDir
    Path directory = Path.of("");

    /** Makes a program of this machine one that the script finds. */
    private void install(String tool) throws IOException {
        Path tools = Files.createDirectories(directory.resolve("bin"));
        Files.createSymbolicLink(
                tools.resolve(tool),
                Path.of(Program.ok("sh", "-c", "command -v " + tool).strip()));
    }

    /** Runs it where nothing is installed but what every system has. */
    private Program release(List<String> environment, String... arguments) throws IOException {
        Path tools = directory.resolve("bin");
        if (!Files.exists(tools.resolve("sh"))) {
            for (String tool : LEAST) {
                install(tool);
            }
        }
        List<String> command = new ArrayList<>(List.of("env", "-i", "PATH=" + tools));
        command.addAll(environment);
        command.add(Repository.root().resolve("packaging/release.sh").toString());
        command.addAll(List.of(arguments));
        Program program = Program.run(command);
        assertThat(program.exitCode()).as(program.err()).isEqualTo(1);
        return program;
    }

    @Test
    void saysAtOnceAllThatIsMissing() throws IOException {
        Path out = directory.resolve("out");
        Program program =
                release(List.of("CHAGRES_SIGN_KEY=nobody", "CHAGRES_AOT=/nowhere"), "1.2.0-next", out.toString());
        assertThat(program.err())
                .contains("release.sh: nothing was made, since this machine lacks\n")
                .contains("\n  git (apt install git)\n", "\n  dpkg-deb (apt install dpkg)\n")
                .contains("\n  dpkg-scanpackages (apt install dpkg-dev)\n", "\n  gpg (apt install gnupg)\n")
                .contains("\n  mmdebstrap (apt install mmdebstrap), or CHAGRES_LEAVE_OUT=image\n")
                .contains("\n  mmdebstrap (apt install mmdebstrap), or CHAGRES_LEAVE_OUT=other-architecture\n")
                .contains("\n  python3 (apt install python3), or CHAGRES_LEAVE_OUT=site\n")
                .contains("\n  the module venv of Python (apt install python3-venv), or CHAGRES_LEAVE_OUT=site\n")
                .contains("\n  a tar for ", " in /nowhere, which is to be an earlier release\n")
                .contains("pip install build", "\n  a version that Python knows", "secret key nobody in the keyring");
        assertThat(out).doesNotExist();
    }

    @Test
    void saysAtOnceThatItsKeyIsTooYoung() throws IOException {
        Requires.tool("gpg", "apt install gnupg");
        Path keys = Files.createDirectory(
                directory.resolve("keys"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        String home = "GNUPGHOME=" + keys;
        install("gpg");
        Path out = directory.resolve("out");
        try {
            Program.ok("sh", "-c", home + " gpg --batch --passphrase '' --quick-gen-key young ed25519 sign never");
            List<String> of2001 = List.of(home, "CHAGRES_SIGN_KEY=young", "SOURCE_DATE_EPOCH=1000000000");
            assertThat(release(of2001, "1.2.0-next", out.toString()).err())
                    .contains(
                            "\n  a key that is older than the release: young was made after its time, which is that of")
                    .contains("SOURCE_DATE_EPOCH (1000000000)");
            List<String> of2100 = List.of(home, "CHAGRES_SIGN_KEY=young", "SOURCE_DATE_EPOCH=4102444800");
            assertThat(release(of2100, "1.2.0-next", out.toString()).err())
                    .contains("git (")
                    .doesNotContain("a key");
        } finally {
            Program.run(List.of("env", home, "gpgconf", "--kill", "all"));
        }
        assertThat(out).doesNotExist();
    }

    @Test
    void asksForNothingThatIsLeftOut() throws IOException {
        Program program = release(
                List.of("CHAGRES_LEAVE_OUT=other-architecture image python site"),
                "1.2.0-next",
                directory.resolve("out").toString());
        assertThat(program.err()).contains("git (").doesNotContain("mmdebstrap", "ython", "gpg", "superuser");
    }

    @ParameterizedTest
    @CsvSource({
        "'', usage: packaging/release.sh VERSION [DIR [PARTS...]]",
        "parts 1.2.0, usage: ",
        "1.2, VERSION is three numbers",
        "1.2.0/3, 'letters, digits'",
        "1.2.0 /, / is there already",
        "1.2.0 /nowhere /no/parts, /no/parts is no folder that 'release.sh parts' has made"
    })
    void refusesWhatItDoesNotUnderstand(String arguments, String message) throws IOException {
        Program program = release(List.of(), arguments.split(" "));
        assertThat(program.err()).startsWith("release.sh: ").contains(message);
    }

    @Test
    void knowsWhatCanBeLeftOut() throws IOException {
        assertThat(release(List.of("CHAGRES_LEAVE_OUT=everything"), "1.2.0").err())
                .contains("CHAGRES_LEAVE_OUT knows no everything");
    }
}
