package io.chagres.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.FleetStatus;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.cli.Main;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.Output;
import io.chagres.linux.Machine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code status} of an archive with hosts that live, are late, gone and ended. */
final class StatusCommandTest {
    @TempDir
    Path directory = Path.of("");

    private String store = "";

    @BeforeEach
    void write() throws IOException {
        store = directory.resolve("archive").toString();
        host("live", Duration.ofSeconds(10), Heartbeat.State.RUNNING, 0, "");
        host("troubled", Duration.ofSeconds(71), Heartbeat.State.RUNNING, 2048, "2 unreadable files");
        host("ended", Duration.ofDays(9).plusHours(1), Heartbeat.State.DRAINED, 0, "");
        host("gone", Duration.ofDays(2).plusHours(1), Heartbeat.State.RUNNING, -1, "");
    }

    private void host(String name, Duration ago, Heartbeat.State state, long riskBytes, String trouble)
            throws IOException {
        try (BlobStore archive = BlobStores.open(store, true)) {
            Machine machine = new Machine(name, name, "", "boot", "6.0");
            String id = HostRegistry.findOrMint(archive, name, machine, null, 0);
            archive.putIfAbsent(ArchiveLayout.commit(id, 1), MemorySegment.ofArray(firstCommit()));
            new Heartbeat(
                            state,
                            0,
                            60_000,
                            riskBytes,
                            1500,
                            3 * riskBytes,
                            3,
                            4096,
                            "1.2",
                            "/var/log/" + name,
                            trouble,
                            0,
                            0,
                            0)
                    .put(archive, id, 1, 1);
            heard(id, ago);
        }
    }

    /** The bytes of a first commit, which are a host's whatever its id is. */
    private byte[] firstCommit() throws IOException {
        Path elsewhere = directory.resolve("elsewhere");
        if (!Files.exists(elsewhere)) {
            try (SmallArchive writer = new SmallArchive(elsewhere, "any")) {
                writer.commit(1);
            }
        }
        try (BlobStore other = BlobStores.open(elsewhere.toString(), false)) {
            String id = HostRegistry.hosts(other).getFirst().id();
            return Files.readAllBytes(elsewhere.resolve(ArchiveLayout.commit(id, 1)));
        }
    }

    private void heard(String id, Duration ago) throws IOException {
        Path file = Path.of(store).resolve(ArchiveLayout.heartbeat(id, 1, 1));
        Files.setLastModifiedTime(
                file, FileTime.from(Clock.systemUTC().instant().minus(ago)));
    }

    private static String line(CommandRun run, String host) {
        return run.out()
                .lines()
                .filter(line -> line.startsWith(host) || line.contains("\"" + host + "\""))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void showsEachHost() {
        CommandRun run = CommandRun.of("status", store);
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.FAILED);
        assertThat(run.out().lines().map(each -> each.split(" ")[0]).limit(4))
                .containsExactly("gone", "troubled", "ended", "live");
        assertThat(run.out().lines())
                .last()
                .isEqualTo("2 live (1 in trouble), 1 ended, 1 gone at risk: look at 1 ship");
        assertThat(run.out().lines()).hasSize(5);
        assertThat(line(run, "live")).contains("live", "s ago", "0 B (1.5 s)", "4.0 KiB/s", "1.2", "/var/log/live");
        assertThat(line(run, "troubled")).contains("live", "1 m 1", "2.0 KiB (1.5 s)", "6.0 KiB", "2 unreadable files");
        assertThat(line(run, "ended")).contains("ended", "9 d ago");
        assertThat(line(run, "gone")).contains("gone at risk", "2 d ago", "unknown");
    }

    @Test
    void failsWhenOneIsLate() throws IOException {
        CommandRun late = CommandRun.of("status", store, "--late", "60s");
        assertThat(late.code()).isEqualTo(ExitCode.FAILED);
        assertThat(line(late, "troubled")).contains("late");
        assertThat(CommandRun.of("status", store, "l*", "--late", "60s").code()).isZero();
        assertThat(CommandRun.of("status", store, "troubled", "--late", "60s").code())
                .isEqualTo(ExitCode.FAILED);
    }

    @Test
    void speaksJson() {
        CommandRun run = CommandRun.of("status", store, "--json");
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.out().lines().findFirst())
                .hasValueSatisfying(each -> assertThat(each).contains("\"host\":\"gone\"", "\"alarming\":true"));
        assertThat(run.out().lines())
                .last()
                .isEqualTo("{\"summary\":{\"damaged\":0,\"fenced\":0,\"full\":0,\"lost\":0,\"unknown\":0,"
                        + "\"gone at risk\":1,\"ended at risk\":0,\"late\":0,\"gone\":0,\"ended\":1,\"live\":2},"
                        + "\"alarming\":1,\"troubled\":1,\"acknowledged\":0}");
        assertThat(line(run, "troubled"))
                .contains(
                        "\"state\":\"live\"",
                        "\"heard\":\"2",
                        "\"riskBytes\":2048,\"riskMs\":1500,\"unverifiedBytes\":6144,"
                                + "\"bytesPerSecond\":4096,\"oldestLookMs\":0,\"files\":3")
                .contains("\"drained\":false,\"version\":\"1.2\",\"follows\":\"/var/log/troubled\"")
                .endsWith("\"trouble\":\"2 unreadable files\",\"lostBytes\":0}");
        assertThat(line(run, "ended")).contains("\"state\":\"ended\"", "\"drained\":true", "\"trouble\":null");
        assertThat(line(run, "gone")).contains("\"riskBytes\":null", "\"unverifiedBytes\":null");
    }

    @Test
    void whatAWordDoesNotSayIsUnknown() throws IOException {
        try (BlobStore archive = BlobStores.open(store, true)) {
            String id = HostRegistry.hosts(archive, "live").getFirst().id();
            new Heartbeat(Heartbeat.State.RUNNING, 0, 60_000, 7, -1, -1, -1, -1, "1.2", "/", "", -1, -1, 0)
                    .put(archive, id, 1, 2);
        }
        CommandRun run = CommandRun.of("status", store, "live");
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(line(run, "live")).contains("late", "7 B (unknown)  unknown  -");
        assertThat(CommandRun.of("status", store, "live", "--json").out())
                .contains("\"riskBytes\":7,\"riskMs\":null,\"unverifiedBytes\":null,\"bytesPerSecond\":null")
                .contains("\"files\":null", "\"lostBytes\":null");
    }

    /** A store that has no room is nothing that passes by itself. */
    @Test
    void aHostWhoseStoreIsFullIsCalledFull() throws IOException {
        host("web1", Duration.ofSeconds(5), Heartbeat.State.FULL, 7, "the store refuses since 9 s: no space");
        CommandRun run = CommandRun.of("status", store);
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.out().lines()).first().asString().startsWith("web1").contains("full", "the store refuses since");
        assertThat(run.out().lines())
                .last()
                .isEqualTo("2 live (1 in trouble), 1 ended, 1 gone at risk, 1 full: look at 2 ships");
        assertThat(CommandRun.of("status", store, "web1", "--json").out())
                .contains("\"state\":\"full\",\"alarming\":true", "\"full\":1,");
        CommandRun known = CommandRun.of("status", store, "--acknowledge", "web1");
        assertThat(known.err()).contains("full: not acknowledged", "it lives");
    }

    @Test
    void namesWhatCannotBeRead() throws IOException {
        String id;
        try (BlobStore archive = BlobStores.open(store, false)) {
            id = HostRegistry.hosts(archive, "live").getFirst().id();
        }
        Files.writeString(Path.of(store).resolve(ArchiveLayout.heartbeat(id, 1, 1)), "garbage");
        CommandRun run = CommandRun.of("status", store);
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.out().lines()).hasSize(5);
        assertThat(line(run, "live")).contains("unknown", "its heartbeat cannot be read");
        assertThat(CommandRun.of("status", store, "live", "--json").out()).contains("\"fault\":");
    }

    /** A shipper's word about itself does not show what the archive holds. */
    @Test
    void aHostWhoseLogIsGoneIsNotLive() throws IOException {
        String id;
        try (BlobStore archive = BlobStores.open(store, false)) {
            id = HostRegistry.hosts(archive, "live").getFirst().id();
            archive.delete(ArchiveLayout.commit(id, 1));
        }
        CommandRun run = CommandRun.of("status", store);
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(line(run, "live")).contains("damaged", ArchiveLayout.commit(id, 1), "it is missing");
    }

    @Test
    void showsProblemsAlone() {
        CommandRun run = CommandRun.of("status", store, "--problems");
        assertThat(run.out().lines().map(each -> each.split(" ")[0])).containsExactly("gone", "troubled", "2");
        assertThat(CommandRun.of("status", store, "--problems", "--json").out().lines())
                .hasSize(3);
    }

    /** A cron job that asks is an alert until somebody says that it is known, or the host is heard again. */
    @Test
    void staysRedUntilSomebodySaysThatItIsKnown() throws IOException {
        CommandRun acknowledged = CommandRun.of("status", store, "--acknowledge", "gone");
        assertThat(acknowledged.code()).as(acknowledged.err()).isZero();
        assertThat(acknowledged.out()).contains("gone (", "), gone at risk: acknowledged");
        CommandRun run = CommandRun.of("status", store);
        assertThat(run.code()).as(run.out()).isZero();
        assertThat(line(run, "gone")).contains("acknowledged ", " ago: /var/log/gone");
        assertThat(run.out()).endsWith("nothing to look at; 1 acknowledged\n");
        assertThat(CommandRun.of("status", store, "--json").out()).contains("\"acknowledged\":\"2");
        assertThat(CommandRun.of("status", store, "--acknowledge", "*").out()).isEqualTo("nothing to acknowledge\n");
        try (BlobStore archive = BlobStores.open(store, true)) {
            String id = HostRegistry.hosts(archive, "gone").getFirst().id();
            new Heartbeat(Heartbeat.State.ENDED, 0, 60_000, 7, 1500, 0, 3, 0, "1.2", "/", "", 0, 0, 0)
                    .put(archive, id, 1, 2);
        }
        assertThat(CommandRun.of("status", store).code()).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void acknowledgesNothingThatIsNotOver() throws IOException {
        try (BlobStore archive = BlobStores.open(store, true)) {
            archive.delete(ArchiveLayout.commit(
                    HostRegistry.hosts(archive, "ended").getFirst().id(), 1));
        }
        CommandRun run = CommandRun.of("status", store, "--acknowledge", "ended");
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).contains("damaged: not acknowledged", "chagres repair");
        assertThat(CommandRun.of("status", "--acknowledge", "ended").code()).isEqualTo(ExitCode.USAGE);
        assertThat(CommandRun.of("status", store, "ended", "--acknowledge", "ended")
                        .code())
                .isEqualTo(ExitCode.USAGE);
    }

    private static CommandContext terminal(ByteArrayOutputStream out, int columns, Map<String, String> environment) {
        CommandContext any = CommandContext.of(out, out, List.of());
        return new CommandContext(
                new Output(out, columns),
                any.err(),
                environment,
                true,
                any.clock(),
                any.zone(),
                any.termination(),
                List.of());
    }

    /** The worst are on top, where a long table scrolls away. */
    @Test
    void aLongTableSaysHowToSeeTheWorstAlone() throws IOException {
        for (int others : new int[] {3, 40}) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            CommandContext terminal = terminal(out, 80, Map.of("TERM", "dumb"));
            StatusTable table = new StatusTable(terminal, false);
            for (int i = 0; i <= others; i++) {
                FleetStatus.State state = i == 0 ? FleetStatus.State.LATE : FleetStatus.State.LIVE;
                table.add(new Row("web" + i, new Row.Fleet("id" + i), state, 1000, null, "", null, 0));
            }
            table.text(2000);
            terminal.out().flush();
            assertThat(out.toString(StandardCharsets.UTF_8))
                    .endsWith(": look at 1 ship" + (others > 24 ? " (alone with --problems)" : "") + "\n");
        }
    }

    /** On a terminal the columns have headings, and no line runs into the next. */
    @Test
    void fitsTheTerminal() throws IOException {
        for (boolean plain : new boolean[] {false, true}) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            CommandContext terminal = terminal(out, 40, plain ? Map.of("NO_COLOR", "1") : Map.of("TERM", "xterm"));
            assertThat(Main.run(terminal, new String[] {"status", store})).isEqualTo(ExitCode.FAILED);
            List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
            String said = String.join(" ", lines).replaceAll("\u001b\\[[0-9]+m", "");
            assertThat(said).endsWith(" 2 live (1 in trouble), 1 ended, 1 gone at risk: look at 1 ship");
            assertThat(lines.getFirst()).contains("HOST", "STATE");
            assertThat(lines.get(1).startsWith("\u001b[31mgone ")).isEqualTo(!plain);
            assertThat(lines)
                    .allMatch(each -> each.replaceAll("\u001b\\[[0-9]+m", "").length() <= 40);
        }
    }

    @Test
    void saysWhenThereIsNobody() {
        assertThat(CommandRun.of("status", store, "web9").err()).contains("no host of ", "matches web9");
        for (String command : List.of("status", "head")) {
            CommandRun bad = CommandRun.of(command, store, "web[");
            assertThat(bad.code()).isEqualTo(ExitCode.USAGE);
            assertThat(bad.err()).contains("HOST: an open [ in the pattern web[");
        }
        CommandRun empty = CommandRun.of("status", directory.toString());
        assertThat(empty.code()).isEqualTo(ExitCode.FAILED);
        assertThat(empty.err()).contains("holds no host yet");
    }
}
