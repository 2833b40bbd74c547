package io.chagres.cli.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.Main;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.Output;
import io.chagres.cli.command.Termination;
import io.chagres.testkit.Await;
import io.chagres.testkit.Requires;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What a service manager hears of {@code ship}. */
@Tag("long")
@Isolated // whose children are left is asked of the whole process
final class SupervisorTest {
    private static final String LISTENER = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            s.bind(sys.argv[1])
            print("bound", flush=True)
            while True:
                print(s.recv(4096).decode().replace("\\n", " "), flush=True)
            """;

    @TempDir
    Path directory = Path.of("");

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final CompletableFuture<Runnable> stop = new CompletableFuture<>();
    private final List<String> heard = new CopyOnWriteArrayList<>();

    @Test
    void hearsThatItIsReadyHowItGoesAndThatItStops() throws Exception {
        Requires.tool("python3");
        Files.writeString(Files.createDirectory(directory.resolve("logs")).resolve("app.log"), "first\n");
        String socket = directory.resolve("notify").toString();
        Process listener = new ProcessBuilder("python3", "-c", LISTENER, socket).start();
        try (BufferedReader lines = listener.inputReader(StandardCharsets.UTF_8);
                ExecutorService runner = Executors.newSingleThreadExecutor()) {
            assertThat(lines.readLine()).isEqualTo("bound");
            Map<String, String> environment = Map.of("NOTIFY_SOCKET", socket, "WATCHDOG_USEC", "1000000");
            Future<Integer> ship = runner.submit(() -> Main.run(context(environment, registered -> {}), args()));
            while (heard.stream().noneMatch(said -> said.matches("WATCHDOG=1 STATUS=1 file, 6 B shipped, .*"))) {
                heard.add(lines.readLine());
            }
            stop.join().run();
            while (heard.stream().noneMatch(said -> said.startsWith("STOPPING=1"))) {
                heard.add(lines.readLine());
            }
            assertThat(ship.get()).isZero();
        } finally {
            listener.destroyForcibly();
        }
        assertThat(heard)
                .filteredOn(said -> said.startsWith("READY=1 WATCHDOG=1 "))
                .hasSize(1);
        assertThat(heard).allMatch(said -> said.contains("STATUS=") || said.startsWith("STOPPING=1"));
        assertThat(heard.getLast()).contains("EXTEND_TIMEOUT_USEC=");
    }

    @Test
    void hearsInTimeThatAShipAtRestLives() throws Exception {
        Requires.tool("python3");
        Files.writeString(Files.createDirectory(directory.resolve("logs")).resolve("app.log"), "first\n");
        String socket = directory.resolve("notify").toString();
        Process listener = new ProcessBuilder("python3", "-c", LISTENER, socket).start();
        try (BufferedReader lines = listener.inputReader(StandardCharsets.UTF_8);
                ExecutorService runner = Executors.newCachedThreadPool()) {
            assertThat(lines.readLine()).isEqualTo("bound");
            Map<String, String> environment = Map.of("NOTIFY_SOCKET", socket, "WATCHDOG_USEC", "200000");
            Future<Integer> ship = runner.submit(() -> Main.run(context(environment, registered -> {}), args()));
            runner.execute(() -> lines.lines().forEach(heard::add));
            Await.until(
                    "it rests, and is heard",
                    () -> heard.stream()
                                    .filter(said -> said.startsWith("WATCHDOG=1"))
                                    .count()
                            > 20);
            stop.join().run();
            assertThat(ship.get()).isZero();
            listener.destroyForcibly();
        } finally {
            listener.destroyForcibly();
        }
    }

    @Test
    void saysHowOftenItWantsToHear() {
        assertThat(intervalMs(Map.of())).isEqualTo(Long.MAX_VALUE);
        assertThat(intervalMs(Map.of("WATCHDOG_USEC", "10000000"))).isEqualTo(5000);
        assertThat(intervalMs(Map.of("WATCHDOG_USEC", "1"))).isEqualTo(1);
        assertThat(intervalMs(Map.of("WATCHDOG_USEC", "soon"))).isEqualTo(Long.MAX_VALUE);
    }

    private long intervalMs(Map<String, String> environment) {
        Map<String, String> named = new HashMap<>(environment);
        named.put("NOTIFY_SOCKET", directory.resolve("notify").toString());
        ShipReport report = ShipReport.of(context(named, registered -> {}), false, false, LogLines.Format.TEXT);
        try (Supervisor supervisor = Supervisor.of(named, report)) {
            return supervisor.intervalMs();
        }
    }

    @Test
    void shipsWithoutOneThatCanBeReached() throws Exception {
        Files.writeString(Files.createDirectory(directory.resolve("logs")).resolve("app.log"), "first\n");
        try (ExecutorService runner = Executors.newSingleThreadExecutor()) {
            Map<String, String> environment = Map.of("NOTIFY_SOCKET", "no address");
            Future<Integer> ship = runner.submit(() -> Main.run(context(environment, registered -> {}), args()));
            Await.until("it says so", () -> err.toString(StandardCharsets.UTF_8).contains("NOTIFY_SOCKET"));
            stop.join().run();
            assertThat(ship.get()).isZero();
        }
    }

    @Test
    void reloadingWithoutAConfigurationChangesNothing() throws Exception {
        Files.writeString(Files.createDirectory(directory.resolve("logs")).resolve("app.log"), "first\n");
        assertThatAHangupAtOnceSays("nothing to read again: there is no configuration", args());
    }

    @Test
    void aReloadBeforeTheFirstReadingIsAnswered() throws Exception {
        Files.createDirectory(directory.resolve("logs"));
        Path config = Files.writeString(directory.resolve("chagres.toml"), "max-lag = '2s'\n");
        List<String> args = new ArrayList<>(List.of(args()));
        args.addAll(List.of("--config", config.toString()));
        assertThatAHangupAtOnceSays("chagres.toml is in force: 1 source", args.toArray(String[]::new));
    }

    @Test
    void aHangupOfATerminalIsNotHeardWithoutAConfiguration() throws Exception {
        Files.createDirectory(directory.resolve("logs"));
        List<String> args = new ArrayList<>(List.of(args()));
        args.add("--once");
        assertThat(Main.run(context("", registered -> heard.add("SIGHUP")), args.toArray(String[]::new)))
                .isZero();
        assertThat(heard).isEmpty();
    }

    /** The signal comes the moment somebody listens to it, when the command has read nothing yet. */
    private void assertThatAHangupAtOnceSays(String said, String... args) throws Exception {
        try (ExecutorService runner = Executors.newCachedThreadPool()) {
            CommandContext context = context(directory.resolve("nobody").toString(), runner::execute);
            Future<Integer> ship = runner.submit(() -> Main.run(context, args));
            Await.until(said, () -> err.toString(StandardCharsets.UTF_8).contains(said));
            stop.join().run();
            assertThat(ship.get()).isZero();
        }
    }

    @Test
    void isNotInheritedByAProgram() {
        Map<String, String> environment = new HashMap<>(Map.of("NOTIFY_SOCKET", "/n", "WATCHDOG_USEC", "1"));
        ShippedProgram.restore(environment);
        assertThat(environment).isEmpty();
    }

    private CommandContext context(String socket, Consumer<Runnable> hangup) {
        return context(Map.of("NOTIFY_SOCKET", socket), hangup);
    }

    private CommandContext context(Map<String, String> environment, Consumer<Runnable> hangup) {
        Termination termination = new Termination() {
            @Override
            public void onSignal(Runnable action) {
                stop.complete(action);
            }

            @Override
            public void onHangup(Runnable action) {
                hangup.accept(action);
            }
        };
        return new CommandContext(
                new Output(new ByteArrayOutputStream()),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                environment,
                false,
                InstantSource.system(),
                ZoneId::systemDefault,
                termination,
                List.of());
    }

    private String[] args() {
        return new String[] {
            "ship",
            directory.resolve("logs").toString(),
            "--to",
            directory.resolve("archive").toString(),
            "--state",
            directory.resolve("state").toString(),
            "--host",
            "web1"
        };
    }
}
