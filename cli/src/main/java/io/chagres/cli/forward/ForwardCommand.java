package io.chagres.cli.forward;

import io.chagres.archive.read.Address;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.read.Shard;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.cli.command.Arguments;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.OutputOptions;
import io.chagres.cli.command.PropertiesFile;
import io.chagres.cli.command.StateOption;
import io.chagres.cli.command.TemporaryFiles;
import io.chagres.cli.command.TimeoutOption;
import io.chagres.cli.command.TrustOption;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.cli.http.HttpOption;
import io.chagres.cli.http.StatusServer;
import io.chagres.forward.ForwardOptions;
import io.chagres.forward.Forwarder;
import io.chagres.forward.Sink;
import io.chagres.forward.SinkSettings;
import io.chagres.forward.Sinks;
import io.chagres.linux.MonotonicClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chagres forward}: follows an archive and publishes its lines. */
@Command(
        name = "forward",
        header = "Publish the lines of an archive: in Kafka exactly once, in OpenTelemetry.",
        description = {
            "Follows what is committed, until interrupted. In Kafka the position is in the transaction that holds the"
                    + " lines, so that a forwarder keeps nothing of its own, and may be killed and started anywhere. A"
                    + " collector of OpenTelemetry gets each line at least once, and positions lie below --state.",
            "Exit codes: 0 stopped, or --once and everything is published; 1 failed, or a host could not be read, or"
                    + " lines expired before they were published or were refused for good; 2 usage; 4 another"
                    + " forwarder took over."
        },
        footer = {
            "",
            "Examples:",
            "  chagres forward /mnt/archive --to kafka://broker1:9092/logs",
            "  chagres forward /mnt/archive 'web*:*/app.log' --to 'kafka://broker1:9092,broker2:9092/logs.{host}'"
                    + " --properties /etc/chagres/kafka.properties",
            "  chagres forward /mnt/archive --to otlp://127.0.0.1:4318"
        })
public final class ForwardCommand implements Callable<Integer> {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");

    private final CommandContext context;

    @Parameters(index = "0", paramLabel = "STORE", description = Arguments.STORE)
    String store = "";

    @Parameters(
            index = "1",
            paramLabel = "HOST:/GLOB",
            arity = "0..1",
            defaultValue = "*:",
            description = Arguments.ADDRESS + " Without it all files of all hosts.")
    Address address = Address.parse("*:");

    @Option(
            names = "--to",
            paramLabel = "ADDRESS",
            required = true,
            description =
                    "kafka://HOST:PORT/TOPIC, with more brokers behind a comma each, whose topic may hold {host}, {dir}"
                            + " and {name} of the file; or otlp://HOST:PORT, a collector of OpenTelemetry, by HTTP.")
    String to = "";

    @Option(
            names = "--properties",
            paramLabel = "FILE",
            description = "Properties of Kafka's clients, for TLS, SASL, compression and batching, or those of otlp://;"
                    + " secrets belong here.")
    @Nullable
    Path properties;

    @Option(
            names = "--as",
            paramLabel = "NAME",
            defaultValue = "chagres",
            description = "What this forwarding is called (default: ${DEFAULT-VALUE}). Its positions are found by that;"
                    + " another archive, or other files of the same hosts, need another name.")
    String name = "chagres";

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Of hosts that were not forwarded yet, only what was committed after TIME; else all there is."
                    + " A service should give a fixed time.")
    @Nullable
    Instant since;

    @Option(
            names = "--shard",
            paramLabel = "I/N",
            description = "Share the hosts with N forwarders, 0/N to N-1/N (default: all).")
    Shard shard = Shard.ALL;

    @Option(names = "--chunks", description = "Publish bytes as they come, up to the largest value, instead of lines.")
    boolean chunks;

    @Option(names = "--events", description = "Publish also that files were renamed, truncated, rewritten or removed.")
    boolean events;

    @Option(
            names = "--max-line-age",
            paramLabel = "DURATION",
            defaultValue = "10s",
            description = "How long half a line waits for its end before it is published as a part (default:"
                    + " ${DEFAULT-VALUE}).")
    Duration maxLineAge = Duration.ofSeconds(10);

    @Option(names = "--once", description = "Publish what is there and exit; half a line stays for the next time.")
    boolean once;

    @Mixin
    HttpOption http = new HttpOption();

    @Mixin
    StateOption state = new StateOption();

    @Mixin
    TimeoutOption timeout = new TimeoutOption();

    @Mixin
    TrustOption reading = new TrustOption();

    @Mixin
    OutputOptions output = new OutputOptions();

    /** Makes the command; picocli fills its fields. */
    public ForwardCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        http.check(context);
        ForwardReport report = new ForwardReport(context, output.json, once);
        ForwardBoard board = new ForwardBoard(store, context.clock(), report);
        try (LocalTables tables = TemporaryFiles.tablesOfFollower(context.environment());
                WorkerThreads threads = new WorkerThreads("chagres-http-", 2);
                StatusServer _ = http.serve(context, board, threads, output.quiet ? text -> {} : report::warning)) {
            return forward(options(tables), report, board);
        }
    }

    private int forward(ForwardOptions options, ForwardReport report, ForwardBoard board) throws IOException {
        try (Sink sink = sink(report);
                BlobStore archive = reading.open(store, timeout, context)) {
            HostFaults faults = new HostFaults(archive, report::fault);
            try (Forwarder forwarder =
                    new Forwarder(archive, address, options, sink, faults, MonotonicClock::nowMs, report)) {
                board.opened(forwarder::owedMs, faults::count);
                run(forwarder);
            }
            if (!output.quiet || sink.refusedRecords() > 0) {
                report.print(sink.refusedRecords());
            }
            boolean whole = sink.refusedRecords() == 0 && report.isWhole();
            return faults.count() == 0 && whole ? ExitCode.DONE : ExitCode.FAILED;
        }
    }

    private void run(Forwarder forwarder) throws IOException {
        AtomicBoolean stopped = new AtomicBoolean();
        context.termination().onSignal(() -> {
            stopped.set(true);
            forwarder.wakeup();
        });
        while (!stopped.get()) {
            boolean more = forwarder.step();
            context.out().flush();
            if (!more && once && !forwarder.isRetrying()) {
                return;
            }
            if (!more) {
                forwarder.await();
            }
        }
    }

    private ForwardOptions options(LocalTables tables) throws CommandFailure {
        if (!NAME.matcher(name).matches()) {
            throw new CommandFailure(ExitCode.USAGE, "--as takes letters, digits, '.', '_' and '-'");
        }
        long sinceMs = since == null ? 0 : since.toEpochMilli();
        return new ForwardOptions(chunks, events, maxLineAge.toMillis(), sinceMs, shard, tables);
    }

    private Sink sink(ForwardReport report) throws IOException {
        try {
            Path directory = Path.of(state.directory(context.environment()).toString());
            return Sinks.open(to, new SinkSettings(name, PropertiesFile.read(properties), directory, report::warning));
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.USAGE, "--to: " + e.getMessage());
        }
    }
}
