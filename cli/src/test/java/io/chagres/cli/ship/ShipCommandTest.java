package io.chagres.cli.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.log.DamagedLogException;
import io.chagres.archive.log.UnreadableCommitException;
import io.chagres.cli.CommandRun;
import io.chagres.cli.Main;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.Termination;
import io.chagres.cli.text.ByteSize;
import io.chagres.linux.Fd;
import io.chagres.linux.FileTimes;
import io.chagres.linux.PathFd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import io.chagres.ship.RunningShipper;
import io.chagres.ship.ShipOptions;
import io.chagres.testkit.Await;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Requires;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ship} in this process: what it ships, how it ends, and what it says. */
@Tag("long")
final class ShipCommandTest {
    private static final Path MEMORY = Path.of("/dev/shm");

    @TempDir
    Path directory = Path.of("");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final CompletableFuture<Runnable> stop = new CompletableFuture<>();
    private final ExecutorService runner = Executors.newSingleThreadExecutor();
    private Path log = Path.of("");

    @BeforeEach
    void write() throws IOException {
        Files.createDirectory(directory.resolve("logs"));
        log = directory.resolve("logs/app.log");
        Files.writeString(log, "first\n");
    }

    @AfterEach
    void close() {
        runner.shutdownNow();
    }

    @Test
    void shipsWhatIsThereOnce() {
        CommandRun ship = CommandRun.of(args("--once"));
        assertThat(ship.err().lines())
                .hasSize(3)
                .first()
                .asString()
                .startsWith("chagres ship: version ")
                .endsWith("the archive knows where 0 files continue");
        assertThat(ship.err()).contains("ended: everything is acknowledged; shipped 6 B in 2 commits");
        assertThat(ship.err()).endsWith("look at it: chagres ls -l %s '%s:**'\n".formatted(store(), "web1"));
        assertThat(ship.out()).isEmpty();
        assertThat(ship.code()).isZero();
        assertThat(cat()).isEqualTo("first\n");
    }

    /** A long of nanoseconds ends in 2262. */
    @ParameterizedTest
    @ValueSource(longs = {13_569_465_600L, -20_000_000_000L, 4_000_000_000_000L})
    void keepsTimesThatAreFarAway(long seconds) throws IOException {
        Path base = Files.createTempDirectory(Files.isWritable(MEMORY) ? MEMORY : directory, "chagres-times");
        try {
            Path file = Files.writeString(base.resolve("a"), "x");
            try (Fd open = Fd.open(Pathname.of(file.toString()), Fd.O_RDWR, 0)) {
                open.setTimes(PathFd.OMIT, FileTimes.of(seconds, 123_456_000));
            }
            String back = base.resolve("back").toString();
            assertThat(CommandRun.of("ship", file.toString(), "--to", store(), "--host", "web1", "--once")
                            .code())
                    .isZero();
            assertThat(CommandRun.of("restore", store(), back).code()).isZero();
            try (Statx stat = new Statx()) {
                assertThat(stat.of(Pathname.of(back + "/web1" + file), false)).isZero();
                assertThat(FileTimes.seconds(stat.mtimeNs())).isEqualTo(seconds);
                assertThat(FileTimes.nanos(stat.mtimeNs())).isEqualTo(123_456_000);
            }
        } finally {
            try (Stream<Path> all = Files.walk(base)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    @Test
    void shipsNothingTwice() throws IOException {
        CommandRun.of(args("--once"));
        Files.writeString(log, "second\n", StandardOpenOption.APPEND);
        CommandRun again = CommandRun.of(args("--once", "--json"));
        assertThat(again.code()).isZero();
        assertThat(again.out().lines())
                .last()
                .asString()
                .contains("\"shippedBytes\":7,", "\"riskBytes\":0,", "\"ended\":true");
        assertThat(cat()).isEqualTo("first\nsecond\n");
    }

    @Test
    void drainsWhenItIsTold() throws Exception {
        Future<Integer> ship = ship(List.of(), args());
        Await.until("the first line is shipped", () -> cat().equals("first\n"));
        Files.writeString(log, "last", StandardOpenOption.APPEND);
        stop.join().run();
        assertThat(ship.get()).isZero();
        assertThat(cat()).isEqualTo("first\nlast");
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("ended: everything is acknowledged");
    }

    @Test
    @Tag("it")
    void endsAtRiskWithANameThatTheStoreDidNotTake() throws Exception {
        Requires.root();
        try (Mounted _ = Mounted.tmpfs(directory.resolve("archive"), "size=256k")) {
            Future<Integer> ship = ship(List.of(), args("--drain", "1s", "--heartbeat", "0"));
            Await.until("the first line is shipped", () -> cat().equals("first\n"));
            fill(directory.resolve("archive/filler"));
            Files.createFile(directory.resolve("logs/empty"));
            stop.join().run();
            assertThat(ship.get()).isEqualTo(ExitCode.AT_RISK);
            assertThat(err.toString(StandardCharsets.UTF_8))
                    .contains("stopped before all names, attributes and ends of files were acknowledged; the store"
                            + " refuses since ")
                    .doesNotContain("ended: everything is acknowledged");
        }
    }

    private static void fill(Path file) throws IOException {
        try (OutputStream filler = Files.newOutputStream(file)) {
            while (true) {
                filler.write(new byte[4096]);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
    }

    @Test
    void shipsWhatAProgramWritesAndEndsWithItsCode() throws Exception {
        Future<Integer> ship = ship(List.of("sh", "-c", "echo child >> '" + log + "'; exit 5"), args());
        assertThat(ship.get()).isEqualTo(5);
        assertThat(cat()).isEqualTo("first\nchild\n");
    }

    @Test
    void refusesASecondShipper() throws Exception {
        Future<Integer> ship = ship(List.of(), args());
        Pathname state = Pathname.of(directory.resolve("state").toString());
        Await.until("the first holds the lock", () -> holdsLock(state));
        CommandRun second = CommandRun.of(args("--once"));
        assertThat(second.code()).isEqualTo(ExitCode.FAILED);
        assertThat(second.err())
                .contains("chagres ship: another chagres ship (pid "
                        + ProcessHandle.current().pid() + ")")
                .contains("nothing is lost");
        stop.join().run();
        assertThat(ship.get()).isZero();
    }

    @Test
    void namesAnArchiveThatCannotBeMade() {
        CommandRun ship = CommandRun.of("ship", log.toString(), "--to", log + "/x", "--once");
        assertThat(ship.code()).isEqualTo(ExitCode.FAILED);
        assertThat(ship.err()).contains(log.toString());
    }

    @Test
    void shipsNoPathThatDoesNotExistOnce() {
        CommandRun ship = CommandRun.of("ship", log + ".old", "--to", store(), "--once");
        assertThat(ship.code()).isEqualTo(ExitCode.FAILED);
        assertThat(ship.err()).contains(log + ".old: No such file or directory. Nothing was shipped");
    }

    /** Where a file names them: what is missing would else be taken for shipped. */
    @Test
    void shipsNoSourceThatDoesNotExistOnce() throws IOException {
        Path file = Files.writeString(
                directory.resolve("c.toml"),
                "to = \"%s\"\n[[source]]\npaths = [\"%s\"]\n[[source]]\npaths = [\"%s\"]\n"
                        .formatted(store(), log, log + ".old"));
        CommandRun ship = CommandRun.of("ship", "--config", file.toString(), "--once");
        assertThat(ship.code()).isEqualTo(ExitCode.FAILED);
        assertThat(ship.err()).contains(log + ".old: No such file or directory. Nothing was shipped");
    }

    /** Once, that is: a commit that nobody could read although no copies are looked for ends the command. */
    @Test
    void goesOnPlainlyAfterACommitThatNobodyCouldRead() throws IOException {
        CommandContext context = CommandContext.of(out, err, List.of());
        ShipCommand command = new ShipCommand(context);
        command.paths = List.of("/logs");
        command.memory = new ByteSize(ShipOptions.MIN_MEMORY_BYTES);
        command.level = 1;
        List<Boolean> copies = new ArrayList<>();
        ShipReport report = ShipReport.of(context, false, true, LogLines.Format.TEXT);
        ShipCommand.Shipping refusedFirst = options -> {
            copies.add(options.storage().copies());
            if (options.storage().copies()) {
                throw new UnreadableCommitException("version 7 copies bytes that are not there");
            }
            return ExitCode.DONE;
        };
        assertThat(ShipCommand.shipAgainIfRefused(command.options(), report, refusedFirst))
                .isEqualTo(ExitCode.DONE);
        assertThat(copies).containsExactly(true, false);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("version 7 copies bytes that are not there", "Continuing without looking for copies");
        assertThatThrownBy(() -> ShipCommand.shipAgainIfRefused(command.options(), report, options -> {
                    throw new UnreadableCommitException("again");
                }))
                .hasMessageContaining("again");
    }

    /** Also where no state directory remembers it. */
    @Test
    void goesOnWithoutWhatWasFoundAltered() throws IOException {
        ShipCommand command = new ShipCommand(CommandContext.of(out, err, List.of()));
        command.paths = List.of("/logs");
        command.memory = new ByteSize(ShipOptions.MIN_MEMORY_BYTES);
        command.level = 1;
        ShipReport report = ShipReport.of(CommandContext.of(out, err, List.of()), false, true, LogLines.Format.TEXT);
        assertThat(ShipCommand.shipAgainIfRefused(command.options(), report, options -> {
                    if (options.storage().altered().isEmpty()) {
                        throw new DamagedLogException(CorruptArchiveException.lost(List.of("hosts/1/streams/2")));
                    }
                    assertThat(options.storage().altered()).containsExactly("hosts/1/streams/2");
                    return ExitCode.DONE;
                }))
                .isEqualTo(ExitCode.DONE);
    }

    private static long answered(Pathname state) {
        try {
            List<RunningShipper> running = RunningShipper.find(state);
            return running.isEmpty() ? 0 : running.getFirst().answer().done();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static boolean holdsLock(Pathname state) {
        try {
            return !RunningShipper.find(state).isEmpty();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void saysWhatADrainWouldTakeWithoutOne() throws Exception {
        Future<Integer> ship = ship(List.of(), args());
        String state = directory.resolve("state").toString();
        Await.until("the first line is shipped", () -> cat().equals("first\n"));
        Await.until(
                "the line is compared, and a drain is known to be safe",
                () -> CommandRun.of("drain", "--drill", "--within", "1h", "--state", state)
                                .code()
                        == 0);
        CommandRun drill = CommandRun.of("drain", "--drill", "--within", "1h", "--state", state);
        assertThat(drill.out()).contains("a drain would take ", "At risk after 1 h 0 m: ", "  measured: scan ");
        drill = CommandRun.of("drain", "--drill", "--json", "--within", "0", "--state", state);
        assertThat(drill.out())
                .contains("\"drill\":true,\"withinMs\":0,\"answered\":true,\"drainMs\":", "\"why\":\"\",");
        stop.join().run();
        assertThat(ship.get()).isZero();
        assertThat(CommandRun.of("drain", "--drill", "--timeout", "0", "--state", state)
                        .code())
                .isEqualTo(ExitCode.FAILED);
    }

    @Test
    void answersADrainThatWasAskedForBeforeItCould() throws Exception {
        Termination early = new Termination() {
            private boolean sent;

            @Override
            public void onSignal(Runnable action) {
                stop.complete(action);
            }

            @Override
            public void onUserSignal(Runnable action) {
                if (!sent) { // a signal goes to who is registered when it comes
                    sent = true;
                    action.run();
                }
            }
        };
        CommandContext context = CommandContext.of(out, err, List.of()).with(early);
        Future<Integer> ship = runner.submit(() -> Main.run(context, args()));
        Pathname state = Pathname.of(directory.resolve("state").toString());
        Await.until("the drain is answered", () -> answered(state) == 1);
        stop.join().run();
        assertThat(ship.get()).isZero();
    }

    @Test
    void refusesAPathThatLiesWhereItNeverShips() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory);
        for (String archive : List.of(directory.toString(), link.toString(), directory + "/logs/../logs")) {
            CommandRun ship = CommandRun.of(
                    "ship", directory + "/logs/*.log", "--to", archive, "--state", store() + "/state", "--once");
            assertThat(ship.code()).isEqualTo(ExitCode.USAGE);
            assertThat(ship.err()).contains(directory + "/logs/*.log lies in " + archive, "Move one of them");
        }
        CommandRun inState =
                CommandRun.of("ship", log.toString(), "--to", store(), "--state", directory.toString(), "--once");
        assertThat(inState.code()).isEqualTo(ExitCode.USAGE);
        assertThat(inState.err()).contains(log + " lies in " + directory);
        assertThat(directory.resolve("hosts")).doesNotExist();
    }

    @Test
    void neverShipsItsOwnArchiveWhateverItIsCalled() throws IOException {
        Files.createDirectory(directory.resolve("logs/archive"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("logs/archive"));
        Path tree = Files.createSymbolicLink(directory.resolve("tree"), directory);
        for (String archive : List.of(link.toString(), directory + "/logs/../logs/archive")) {
            assertThat(CommandRun.of("ship", tree + "/logs", "--to", archive, "--state", directory + "/state", "--once")
                            .code())
                    .isZero();
            assertThat(CommandRun.of("ls", archive, "*:**").out().lines())
                    .singleElement()
                    .asString()
                    .endsWith("/logs/app.log");
        }
    }

    private Future<Integer> ship(List<String> child, String... args) {
        CommandContext context = CommandContext.of(out, err, child).with((Termination) stop::complete);
        return runner.submit(() -> Main.run(context, args));
    }

    private String[] args(String... more) {
        List<String> args = new ArrayList<>(List.of(
                "ship", directory.resolve("logs").toString(), "--to", store(), "--host", "web1", "--max-lag", "50ms"));
        args.addAll(List.of("--state", directory.resolve("state").toString()));
        args.addAll(List.of(more));
        return args.toArray(String[]::new);
    }

    private String cat() {
        return CommandRun.of("cat", store(), "web1:app.log").out();
    }

    private String store() {
        return directory.resolve("archive").toString();
    }
}
