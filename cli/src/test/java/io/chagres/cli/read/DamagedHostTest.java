package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.cli.command.ExitCode;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One host of an archive is damaged: every command that reads the damaged part names it, continues with the others and
 * exits with 1.
 */
@Tag("long")
final class DamagedHostTest {
    private static final int HOSTS = 4;
    private static final String BAD = "web03";

    private enum Damage {
        GARBAGE_COMMIT,
        EMPTY_COMMIT,
        MISSING_COMMIT,
        LINKED_COMMIT,
        COMMIT_IS_A_DIRECTORY,
        LAST_COMMIT_IS_A_LINK,
        GARBAGE_CHECKPOINT,
        GARBAGE_OWNER,
        EMPTY_OWNER,
        OWNER_IS_A_LINK,
        OWNER_IS_A_FIFO,
        OWNER_IS_A_DIRECTORY;

        boolean isOfTheOwner() {
            return name().contains("OWNER");
        }

        void inflict(Path host) throws IOException {
            Path commit = host.resolve("log/0000000000000001.zst");
            Path last = host.resolve("log/0000000000000002.zst");
            Path owner = host.resolve("host");
            byte[] garbage = "\0\1\2garbage\n".repeat(100).getBytes(StandardCharsets.UTF_8);
            switch (this) {
                case GARBAGE_COMMIT -> Files.write(commit, garbage);
                case EMPTY_COMMIT -> Files.write(commit, new byte[0]);
                case MISSING_COMMIT -> Files.delete(commit);
                case LINKED_COMMIT -> {
                    Files.delete(commit);
                    Files.createSymbolicLink(commit, host);
                }
                case COMMIT_IS_A_DIRECTORY -> {
                    Files.delete(commit);
                    Files.createDirectory(commit);
                }
                case LAST_COMMIT_IS_A_LINK -> {
                    Files.delete(last);
                    Files.createSymbolicLink(last, host);
                }
                case GARBAGE_CHECKPOINT -> {
                    Files.write(
                            Files.createDirectories(host.resolve("checkpoints")).resolve("0000000000000001.zst"),
                            garbage);
                    Files.delete(commit); // which says the same
                }
                case GARBAGE_OWNER -> Files.write(owner, garbage);
                case EMPTY_OWNER -> Files.write(owner, new byte[0]);
                case OWNER_IS_A_LINK -> {
                    Files.delete(owner);
                    Files.createSymbolicLink(owner, host);
                }
                case OWNER_IS_A_FIFO -> {
                    Files.delete(owner);
                    Program.ok("mkfifo", owner.toString());
                }
                case OWNER_IS_A_DIRECTORY -> {
                    Files.delete(owner);
                    Files.createDirectory(owner);
                }
            }
        }
    }

    @TempDir
    Path directory = Path.of("");

    private Path store = Path.of("");
    private String badId = "";

    @BeforeEach
    void write() throws IOException {
        store = directory.resolve("archive");
        for (int i = 1; i <= HOSTS; i++) {
            String name = String.format("web%02d", i);
            try (SmallArchive host = new SmallArchive(store, name)) {
                host.append(host.file("/log/app"), "bytes of " + name + "\n").commit(100);
                host.append(host.file("/log/more"), "more\n").commit(200);
            }
        }
        badId = idOf(BAD);
    }

    private String idOf(String name) throws IOException {
        try (Stream<Path> hosts = Files.list(store.resolve("hosts"))) {
            for (Path host : hosts.toList()) {
                if (Files.readString(host.resolve("host")).contains("name=" + name + "\n")) {
                    return host.getFileName().toString();
                }
            }
        }
        throw new AssertionError(name);
    }

    private static Stream<Arguments> everyDamageAndCommand() {
        List<Arguments> all = new ArrayList<>();
        for (Damage damage : Damage.values()) {
            for (String command : List.of(
                    "ls STORE",
                    "ls STORE --json",
                    "ls STORE *:",
                    "ls -l STORE *:app --at @150",
                    "cat STORE *:app",
                    "cat STORE *:app --until @150",
                    "tail STORE *:app",
                    "restore STORE BACK",
                    "verify STORE",
                    "compact STORE",
                    "compact STORE --dry-run")) {
                all.add(Arguments.of(damage, command));
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("everyDamageAndCommand")
    void isNamedAndTheOthersGoOn(Damage damage, String command) throws IOException {
        damage.inflict(store.resolve("hosts").resolve(badId));
        CommandRun run = run(command);
        boolean harms = command.startsWith("verify") || !damage.isOfTheOwner();
        assertThat(run.code()).as(run.err()).isEqualTo(harms ? ExitCode.FAILED : ExitCode.DONE);
        if (command.startsWith("verify")) {
            assertThat(run.out()).contains("hosts/" + badId, "checked " + HOSTS + " hosts");
            return;
        }
        assertThat(run.err().lines().filter(line -> line.contains("host " + BAD + " (" + badId + ")")))
                .as(run.err())
                .hasSize(harms ? 1 : 0);
        assertThat(run.err()).doesNotContain("unexpected");
        for (int i = 1; i <= HOSTS; i++) {
            String name = String.format("web%02d", i);
            boolean bad = harms && name.equals(BAD);
            if (command.startsWith("restore")) {
                Path back = directory.resolve("back").resolve(name);
                assertThat(Files.exists(back.resolve("log/app"))).as(name).isEqualTo(!bad);
            } else if (!bad) {
                assertThat(run.out()).contains(name);
            }
        }
    }

    /** A command that names one host says nothing of the others. */
    @ParameterizedTest
    @CsvSource({"GARBAGE_COMMIT", "OWNER_IS_A_FIFO"})
    void isNoMatterOfWhoeverNamesAnother(Damage damage) throws IOException {
        damage.inflict(store.resolve("hosts").resolve(badId));
        CommandRun run = run("cat STORE web04:app");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("bytes of web04\n");
        assertThat(run.err()).isEmpty();
    }

    /** The commits say what the checkpoint said. */
    @ParameterizedTest
    @CsvSource({"ls STORE *:**", "ls STORE *:** --at @150", "cat STORE *:app", "tail STORE *:app", "compact STORE"})
    void aCheckpointIsNotMissedBesideItsCommits(String command) throws IOException {
        String before =
                run(command.startsWith("compact") ? "cat STORE *:app" : command).out();
        Files.writeString(
                Files.createDirectories(store.resolve("hosts").resolve(badId).resolve("checkpoints"))
                        .resolve("0000000000000001.zst"),
                "garbage");
        assertThat(run("verify STORE").code()).isEqualTo(ExitCode.FAILED);
        CommandRun run = run(command);
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(command.startsWith("compact") ? run("cat STORE *:app").out() : run.out())
                .isEqualTo(before);
    }

    /** The commits before it are as good as ever. */
    @ParameterizedTest
    @EnumSource(
            value = Damage.class,
            names = {"LAST_COMMIT_IS_A_LINK", "COMMIT_IS_A_DIRECTORY", "LINKED_COMMIT"})
    void whatIsNoCommitCostsOnlyItsOwn(Damage damage) throws IOException {
        damage.inflict(store.resolve("hosts").resolve(badId));
        CommandRun cat = run("cat STORE " + BAD + ":** --salvage");
        assertThat(cat.code()).as(cat.err()).isEqualTo(ExitCode.FAILED);
        assertThat(cat.out()).isEqualTo(damage.name().startsWith("LAST") ? "bytes of " + BAD + "\n" : "more\n");
        assertThat(cat.err()).contains("hosts/" + badId + "/log/");
        CommandRun repair = run("repair STORE");
        assertThat(repair.code()).as(repair.err()).isEqualTo(ExitCode.FAILED);
        assertThat(repair.out()).as(repair.err()).contains("hosts/" + badId + "/log/", "would put");
        assertThat(run("repair STORE " + BAD + ": --apply").code()).isZero();
        assertThat(run("cat STORE *:more").out()).contains("more\n".repeat(HOSTS - 1));
    }

    /** A host is found by its key; its record is for those who lost their state. */
    @Test
    void isFoundWithoutItsRecord() throws IOException {
        Damage.OWNER_IS_A_FIFO.inflict(store.resolve("hosts").resolve(badId));
        assertThat(run("cat STORE " + BAD + ":app").out()).isEqualTo("bytes of " + BAD + "\n");
        assertThat(run("cat STORE " + badId + ":app").out()).isEqualTo("bytes of " + BAD + "\n");
    }

    /** One host was compacted: its past is there all the same. */
    @ParameterizedTest
    @CsvSource({"ls STORE *:**", "ls STORE", "cat STORE *:app", "tail STORE *:app"})
    void pastOfACompactedHostIsShown(String command) {
        String before = run(command + " --at @150").out();
        compactTheBadOne();
        CommandRun run = run(command + " --at @150");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo(before);
    }

    private void compactTheBadOne() {
        assertThat(run("compact STORE " + BAD + ": --grace 0").code()).isZero();
        assertThat(run("compact STORE " + BAD + ": --grace 0").code()).isZero();
    }

    /** The kept past of one host is lost; the past of the others is not. */
    @ParameterizedTest
    @CsvSource({"ls STORE *:**", "ls STORE", "cat STORE *:app", "tail STORE *:app", "restore STORE BACK"})
    void pastOfACompactedHostIsNamed(String command) throws IOException {
        compactTheBadOne();
        try (Stream<Path> histories =
                Files.list(store.resolve("hosts").resolve(badId).resolve("history"))) {
            for (Path each : histories.toList()) {
                Files.delete(each);
            }
        }
        CommandRun run = run(command + " --at @150");
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err())
                .contains("host " + BAD + " (" + badId + ")", "its history before 1970-01-01T00:03:20Z was compacted");
        Path back = directory.resolve("back/web04/log/app");
        assertThat(command.startsWith("restore") ? Files.readString(back) : run.out())
                .contains("web04");
    }

    private CommandRun run(String command) {
        return CommandRun.of(command.replace("STORE", store.toString())
                .replace("BACK", directory.resolve("back").toString())
                .split(" "));
    }
}
