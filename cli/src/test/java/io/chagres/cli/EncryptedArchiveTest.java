package io.chagres.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.age.AgeIdentity;
import io.chagres.cli.command.ExitCode;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An archive that is encrypted, as its owner, a stranger and a thief of the host see it. */
@Tag("long")
final class EncryptedArchiveTest {
    private static final String CONTENT = "the-secret-content";
    private static final String NAME = "the-secret-name";

    @TempDir
    Path folder;

    private Path tree;
    private Path archive;
    private Path state;
    private Path key;
    private final AgeIdentity owner = AgeIdentity.generate();

    @BeforeEach
    void makeFiles() throws IOException {
        tree = Files.createDirectory(folder.resolve("tree"));
        archive = folder.resolve("archive");
        state = folder.resolve("state");
        key = Files.writeString(folder.resolve("key"), owner.secretText() + "\n");
        append("small", 3);
        append("large", 200_000);
        Files.createDirectory(tree.resolve(NAME + "-directory"));
    }

    private Path file(String which) {
        return tree.resolve(NAME + "-" + which + ".log");
    }

    private void append(String which, int lines) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < lines; i++) {
            text.append(CONTENT).append(' ').append(i * 7919L).append('\n');
        }
        Files.writeString(file(which), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private CommandRun ship(Path to, String... more) {
        List<String> args = List.of(
                "ship",
                tree.toString(),
                "--to",
                to.toString(),
                "--state",
                state.toString(),
                "--host",
                "web1",
                "--once");
        return CommandRun.of(Stream.concat(args.stream(), Stream.of(more)).toArray(String[]::new));
    }

    private void shipEncrypted() {
        CommandRun ship = ship(archive, "--encrypt-to", owner.recipient().toString());
        assertThat(ship.code()).as(ship.err()).isZero();
    }

    private CommandRun asOwner(String command, String... args) {
        List<String> all = List.of(command, archive.toString());
        return CommandRun.of(Stream.of(all.stream(), Stream.of(args), Stream.of("--identity", key.toString()))
                .flatMap(each -> each)
                .toArray(String[]::new));
    }

    private static List<Path> files(Path below) throws IOException {
        try (Stream<Path> all = Files.walk(below)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private Path stored(String part) throws IOException {
        return files(archive).stream()
                .filter(each -> each.toString().contains("/" + part + "/"))
                .findFirst()
                .orElseThrow();
    }

    /** Says whether somebody who reads every byte below some folders finds a text. */
    private static boolean shows(String secret, Path... folders) throws IOException {
        for (Path below : folders) {
            for (Path each : files(below)) {
                String bytes = new String(Files.readAllBytes(each), StandardCharsets.ISO_8859_1);
                if (bytes.contains(secret) || each.toString().contains(secret)) {
                    return true;
                }
            }
        }
        return false;
    }

    private void requireWhole() throws IOException {
        for (String which : List.of("small", "large")) {
            CommandRun cat = asOwner("cat", "web1:" + file(which));
            assertThat(cat.err()).isEmpty();
            assertThat(cat.out().equals(Files.readString(file(which))))
                    .as(which)
                    .isTrue();
        }
        CommandRun verify = asOwner("verify");
        assertThat(verify.out()).contains("no fault").doesNotContain("encrypted");
        assertThat(verify.code()).isZero();
    }

    @Test
    void theOwnerReadsEverythingThroughoutItsLife() throws IOException {
        shipEncrypted();
        requireWhole();
        append("small", 2);
        append("large", 10);
        shipEncrypted();
        requireWhole();
        CommandRun blind = CommandRun.of("compact", archive.toString(), "--grace", "0");
        assertThat(blind.err()).contains("cannot be read").contains("is encrypted to 2 recipients; give an identity");
        assertThat(blind.code()).isEqualTo(1);
        CommandRun compact = asOwner("compact", "--grace", "0");
        assertThat(compact.code()).as(compact.err()).isZero();
        assertThat(compact.out()).contains(" commits, 0 checkpoints");
        requireWhole();
        append("small", 2);
        shipEncrypted();
        requireWhole();
        assertThat(asOwner("ls", "web1:**").out()).contains(NAME + "-large.log");
        assertThat(shows(CONTENT, archive, state)).isFalse();
        assertThat(shows(NAME, archive, state)).isFalse();

        Path back = folder.resolve("back");
        CommandRun restore =
                CommandRun.of("restore", archive.toString(), back.toString(), "--identity", key.toString());
        assertThat(restore.code()).as(restore.err()).isZero();
        assertThat(Files.readString(Path.of(back + "/web1" + file("large"))).equals(Files.readString(file("large"))))
                .isTrue();
    }

    private CommandRun grep(String text, String... more) {
        List<String> args = List.of("grep", "-F", text, archive.toString());
        return CommandRun.of(Stream.concat(args.stream(), Stream.of(more)).toArray(String[]::new));
    }

    private void requireEncryptedFilters(int count) throws IOException {
        List<Path> filters = files(archive).stream()
                .filter(each -> each.toString().contains("/filters/"))
                .toList();
        assertThat(filters).hasSize(count);
        for (Path each : filters) {
            assertThat(new String(Files.readAllBytes(each), StandardCharsets.ISO_8859_1))
                    .startsWith("age-encryption.org/v1\n")
                    .doesNotContain("CHGF");
        }
    }

    /** A filter says whether any word is there: nobody without a key may be able to ask it. */
    @Test
    void theOwnerFindsLinesByFiltersThatNobodyElseCanAsk() throws IOException {
        shipEncrypted();
        String needle = "needle-0123456789abcdef";
        Files.writeString(file("large"), needle + "\n", StandardOpenOption.APPEND);
        shipEncrypted();
        CommandRun compact = asOwner("compact", "--grace", "0");
        assertThat(compact.code()).as(compact.err()).isZero();
        requireEncryptedFilters(1);
        CommandRun found = grep(needle, "--identity", key.toString());
        assertThat(found.err()).isEmpty();
        assertThat(found.out()).isEqualTo("web1:" + file("large") + ":" + needle + "\n");
        assertThat(found.code()).isZero();
        CommandRun stranger = grep(needle);
        assertThat(stranger.out()).isEmpty();
        assertThat(stranger.err()).contains("is encrypted to 2 recipients; give an identity");
        assertThat(stranger.code()).isEqualTo(2);

        Files.delete(stored("streams"));
        assertThat(grep("another-0123456789abcdef", "--identity", key.toString()))
                .as("nothing but filters is read")
                .isEqualTo(new CommandRun(1, "", ""));
    }

    /** The bytes that a host shipped before it stopped encrypting stay encrypted, and so do their words. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsEncryptedIsToldOfByNoOpenFilter(boolean hadFilter) throws IOException {
        String secret = "word-of-old-0123456789";
        Files.writeString(file("large"), secret + "\n", StandardOpenOption.APPEND);
        shipEncrypted();
        if (hadFilter) {
            assertThat(asOwner("compact", "--grace", "0").code()).isZero();
            requireEncryptedFilters(1);
        }
        String open = "word-of-new-0123456789";
        Files.writeString(file("open"), (open + " is no secret\n").repeat(200_000));
        assertThat(ship(archive).code()).isZero();
        CommandRun compact = asOwner("compact", "--grace", "0");
        assertThat(compact.code()).as(compact.err()).isZero();
        for (String word : List.of(secret, open)) {
            CommandRun found = grep(word, "-c", "--identity", key.toString());
            assertThat(found.err()).isEmpty();
            assertThat(found.out()).startsWith("web1:" + tree).hasLineCount(1);
        }
        CommandRun stranger = grep("absent-0123456789abcdef");
        assertThat(stranger.out()).isEmpty();
        assertThat(stranger.err()).contains("is encrypted to 1 recipient").doesNotContain("damaged");
        for (Path each : files(archive)) { // the message names what is asked for now
            if (each.toString().contains("/streams/")) {
                Files.delete(each);
            }
        }
        stranger = grep("absent-0123456789abcdef");
        assertThat(stranger.err())
                .contains("/streams/0000000000000002/")
                .doesNotContain("/streams/0000000000000003/", "/filters/");
    }

    @Test
    void whoHasTheStoreAndTheHostFindsNoByteAndNoName() throws IOException {
        shipEncrypted();
        assertThat(shows(CONTENT, archive, state)).isFalse();
        assertThat(shows(NAME, archive, state)).isFalse();

        Path own = files(state).stream()
                .filter(each -> each.endsWith("identity"))
                .findFirst()
                .orElseThrow();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rw-------");
        for (String which : List.of("small", "large")) {
            CommandRun thief =
                    CommandRun.of("cat", archive.toString(), "web1:" + file(which), "--identity", own.toString());
            assertThat(thief.code()).isNotZero();
            assertThat(thief.out()).isEmpty();
            assertThat(thief.err()).contains("is encrypted to 1 recipient, and the identity that was given does not");
        }
        Path plain = folder.resolve("plain"); // the same search finds it where nothing is encrypted
        assertThat(ship(plain).code()).isZero();
        assertThat(shows(CONTENT, plain)).isTrue();
    }

    @Test
    void aStrangerIsToldWhatIsMissing() throws IOException {
        shipEncrypted();
        for (String command : List.of("ls", "cat", "tail")) {
            CommandRun run = CommandRun.of(command, archive.toString(), "web1:**");
            assertThat(run.code()).isNotZero();
            assertThat(run.out()).isEmpty();
            assertThat(run.err())
                    .contains("host web1 (")
                    .contains("is encrypted to 2 recipients; give an identity that opens it (--identity FILE)");
        }
        CommandRun verify = CommandRun.of("verify", archive.toString());
        assertThat(verify.out())
                .contains("1 host encrypted, and no identity opens it")
                .contains("no fault");
        assertThat(verify.code()).isZero();
        assertThat(CommandRun.of("status", archive.toString()).out()).contains("web1");
        assertThat(asOwner("ls", "--identity", folder.resolve("nothing").toString())
                        .err())
                .contains("there is no such file");
        assertThat(asOwner("ls", "--identity", file("small").toString()).err()).contains(", line 1: it is no key");
        assertThat(asOwner("ls", "--identity", folder.toString()).err()).contains(folder + ": it cannot be read");
        Path binary = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xff, 0});
        assertThat(asOwner("ls", "--identity", binary.toString()).err()).contains(binary + ": it is no text");
        assertThat(ship(archive, "--encrypt-to", "age1nobody").err()).contains("--encrypt-to takes an age public key");
    }

    @Test
    void changedBytesAreFoundWithTheKeyAndInCommitsWithoutIt() throws IOException {
        shipEncrypted();
        flip(stored("streams"));
        assertThat(asOwner("cat", "web1:" + file("large")).err()).contains("was changed or cut off");
        CommandRun verify = asOwner("verify");
        assertThat(verify.code()).isEqualTo(ExitCode.FAILED);
        assertThat(verify.out()).contains("/streams/").contains("was changed or cut off");
        assertThat(CommandRun.of("verify", archive.toString()).code()).isZero();

        flip(stored("log"));
        CommandRun chain = CommandRun.of("verify", archive.toString());
        assertThat(chain.code()).isEqualTo(ExitCode.FAILED);
        assertThat(chain.out()).contains("/log/");
    }

    private static void flip(Path object) throws IOException {
        byte[] bytes = Files.readAllBytes(object);
        bytes[bytes.length / 2] ^= 1;
        Files.write(object, bytes);
    }

    @Test
    void aLostKeyOfTheShipperBeginsAnotherHost() throws IOException {
        shipEncrypted();
        for (Path each : files(state)) {
            Files.delete(each);
        }
        append("small", 1);
        CommandRun ship = ship(archive, "--encrypt-to", owner.recipient().toString());
        assertThat(ship.code()).isZero();
        assertThat(ship.err()).contains("continuing as another host of this name");
        assertThat(asOwner("verify").out()).contains("checked 2 hosts").contains("no fault");
    }

    @Test
    void agePrograms() throws IOException {
        Requires.tool("age");
        Requires.tool("zstd");
        shipEncrypted();
        Path object = stored("streams");
        String plain = Program.ok("sh", "-c", "age -d -i " + key + " " + object + " | zstd -dc");
        assertThat(Files.readString(file("large"))).contains(plain);
        assertThat(plain).startsWith(CONTENT);
    }

    @Test
    void thePackageForPythonReadsItByTheIdentity() throws IOException {
        Requires.tool("python3");
        Requires.pythonModule("zstandard", "zstandard==0.25.0");
        Requires.pythonModule("cryptography", "cryptography==48.0.0");
        shipEncrypted();
        Program list = python("list");
        assertThat(list.exitCode()).isNotZero();
        assertThat(list.err()).contains("is encrypted; give identity=");
        for (String round : List.of("shipped", "compacted")) {
            Program restore = python("restore", folder.resolve(round).toString(), "--identity", key.toString());
            assertThat(restore.exitCode()).as(restore.err()).isZero();
            for (String which : List.of("small", "large")) {
                Path restored = Path.of(folder.resolve(round).resolve("web1").toString() + file(which));
                assertThat(Files.mismatch(restored, file(which))).as(which).isEqualTo(-1);
            }
            assertThat(asOwner("compact", "--grace", "0").code()).isZero();
        }
    }

    private Program python(String... args) {
        String packages = Path.of("../python").toAbsolutePath().normalize().toString();
        List<String> command = List.of("env", "PYTHONPATH=" + packages, "python3", "-m", "chagres", archive.toString());
        return Program.run(Stream.concat(command.stream(), Stream.of(args)).toList());
    }
}
