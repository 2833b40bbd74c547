package io.chagres.cli.status;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.FleetStatus;
import io.chagres.archive.store.BlobStore;
import io.chagres.cli.command.Arguments;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.MemoryOption;
import io.chagres.cli.command.OutputOptions;
import io.chagres.cli.command.ShipProcess;
import io.chagres.cli.command.StateOption;
import io.chagres.cli.command.TimeoutOption;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.cli.http.HttpOption;
import io.chagres.ship.RunningShipper;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chagres status}: which ships live, and what was at risk at their last word. */
@Command(
        name = "status",
        header = "Show which ships live, which are late, and what is at risk: of this machine, or of an archive.",
        description = {
            "Without STORE it asks the ships that run on this machine, also in containers; those of other users"
                    + " answer root alone. With STORE it shows what the archive heard: every ship lets it hear each"
                    + " minute (--heartbeat). The worst comes first, the last line sums up. Bytes at risk, unverified"
                    + " bytes (acknowledged, in files that may hold others since) and the rate of commits are those"
                    + " of its last word. A ship looks at every file again and again; --json says how old the oldest"
                    + " look was then (oldestLookMs).",
            "A host is live; ended when it said so; gone after a day of silence. At others somebody must look. One is"
                    + " late when it was silent, or had bytes at risk, for longer than --late. It is ended at risk or"
                    + " gone at risk when it left some, or unverified ones; lost when bytes that it saw went before"
                    + " it read them. It is unknown when it cannot be read, full when its store has no room for it,"
                    + " fenced when another writer has its log and nobody ships its files, and damaged when the end"
                    + " of its log is missing or broken.",
            "Exit codes: 0 nobody need look; 1 somebody must, until the host is heard again or acknowledged; or there"
                    + " is no host; 2 usage."
        },
        footer = {
            "",
            "Examples:",
            "  chagres status",
            "  chagres status /mnt/archive",
            "  chagres status /mnt/archive 'web*' --late 10m --json",
            "  chagres status /mnt/archive --problems",
            "  chagres status /mnt/archive --acknowledge web7",
            "  chagres status /mnt/archive --serve 127.0.0.1:7799"
        })
public final class StatusCommand implements Callable<Integer> {
    /** For a distant store, where requests mostly wait; a local one is asked with one thread for each processor. */
    private static final int REQUESTS_AT_ONCE = 32;

    private static final long MIN_EVERY_MS = 1000;

    private final CommandContext context;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "STORE",
            description = "The archive (default: the ships of this machine).")
    @Nullable
    String store;

    @Parameters(index = "1", arity = "0..1", paramLabel = "HOST", description = "Name, id or quoted glob of hosts.")
    @Nullable
    String hosts;

    @Option(
            names = "--late",
            paramLabel = "DURATION",
            defaultValue = "5m",
            description = "How long a host may be silent, and a byte at risk (default: ${DEFAULT-VALUE}).")
    Duration late = Duration.ZERO;

    @Option(names = "--problems", description = "Show only hosts that somebody must look at, or that are in trouble.")
    boolean problems;

    @Option(
            names = "--acknowledge",
            paramLabel = "HOST",
            description = "Say that it is known what became of a host (name, id or quoted glob): it is no reason for"
                    + " exit code 1 until it is heard again. Takes the right to write below acknowledged/, which no"
                    + " ship has.")
    @Nullable
    String acknowledge;

    @Option(
            names = "--serve",
            paramLabel = "ADDRESS:PORT",
            description =
                    "Serve /metrics of the whole archive, /healthz, /readyz and a page, as 127.0.0.1:7799, until a"
                            + " signal. An address that others reach needs a token, as of 'ship --http'.")
    @Nullable
    String serve;

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            defaultValue = "60s",
            description = "With --serve, read the archive this often, at least 1s (default: ${DEFAULT-VALUE}).")
    Duration every = Duration.ZERO;

    @Option(
            names = "--most-hosts",
            paramLabel = "N",
            defaultValue = "1000",
            description = "With --serve, how many hosts have metrics of their own, the worst first; the sums are"
                    + " of all (default: ${DEFAULT-VALUE}).")
    int mostHosts;

    @Option(
            names = "--http-token",
            paramLabel = "FILE",
            description = "A file whose first line is the token that --serve asks for (else CHAGRES_HTTP_TOKEN).")
    @Nullable
    String tokenFile;

    @Mixin
    TimeoutOption timeout = new TimeoutOption();

    @Mixin
    StateOption state = new StateOption();

    @Mixin
    OutputOptions output = new OutputOptions();

    @Mixin
    MemoryOption memory = new MemoryOption();

    /** Makes the command; picocli fills its fields. */
    public StatusCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        if (acknowledge != null && (store == null || hosts != null)) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "--acknowledge takes the host itself: chagres status STORE --acknowledge HOST. Nothing was done");
        }
        if (serve != null) {
            return serve(serve);
        }
        if (store == null) {
            return show(here(context.clock().millis()), context.clock().millis());
        }
        return fleet(store);
    }

    private int serve(String address) throws IOException {
        if (store == null || every.toMillis() < MIN_EVERY_MS || mostHosts < 0) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "--serve is for an archive; --every is at least a second, and --most-hosts at least 0");
        }
        String token = HttpOption.token(context, tokenFile);
        try (BlobStore archive = timeout.open(store, context);
                WorkerThreads threads = new WorkerThreads("chagres-status-", requestsAtOnce(archive))) {
            FleetBoard board = new FleetBoard(archive.name(), context.clock(), every.toMillis(), mostHosts);
            new FleetServing(context, board, every.toMillis()).run(address, token, () -> look(archive, threads));
        }
        return ExitCode.DONE;
    }

    private List<Row> look(BlobStore archive, WorkerThreads threads) throws IOException {
        List<Row> rows = new ArrayList<>();
        new FleetStatus(archive, threads, late.toMillis(), nowMs(archive))
                .of(chosen(archive, hosts), status -> rows.add(row(status)));
        return rows;
    }

    private int fleet(String of) throws IOException {
        try (BlobStore archive = timeout.open(of, context);
                WorkerThreads threads = new WorkerThreads("chagres-status-", requestsAtOnce(archive))) {
            long nowMs = nowMs(archive);
            FleetStatus fleet = new FleetStatus(archive, threads, late.toMillis(), nowMs);
            if (acknowledge != null) {
                List<HostRegistry.Owner> meant = chosen(archive, acknowledge);
                return new Acknowledging(context, archive, fleet).of(meant) ? ExitCode.DONE : ExitCode.FAILED;
            }
            StatusTable table = new StatusTable(context, problems || output.quiet);
            fleet.of(chosen(archive, hosts), status -> table.add(row(status)));
            return show(table, nowMs);
        }
    }

    private int show(StatusTable table, long nowMs) throws IOException {
        if (output.json) {
            table.json();
        } else if (!output.quiet || table.hasRows()) {
            table.text(nowMs);
        }
        return table.isAlarming() ? ExitCode.FAILED : ExitCode.DONE;
    }

    /** Returns the time of the store; that here where it says none, as a directory that cannot be written. */
    private long nowMs(BlobStore archive) {
        long hereMs = context.clock().millis();
        try {
            long thereMs = archive.nowMs();
            return thereMs == Long.MIN_VALUE ? hereMs : thereMs;
        } catch (IOException e) {
            return hereMs; // what is asked next says what is wrong
        }
    }

    private static Row row(FleetStatus.HostStatus status) {
        return new Row(
                status.host().name(),
                new Row.Fleet(status.host().id()),
                status.state(),
                status.heardMs(),
                status.word(),
                "no heartbeat, only commits",
                status.fault(),
                status.acknowledgedMs());
    }

    private StatusTable here(long nowMs) throws IOException {
        List<RunningShipper> running = RunningShipper.ofMachine(
                List.of(state.directory(context.environment()), StateOption.OF_ROOT), ShipProcess::isShip);
        if (running.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.FAILED,
                    "no chagres ship runs on this machine; 'chagres ship PATH --to STORE' starts one, 'chagres status"
                            + " STORE' shows what an archive heard");
        }
        StatusTable table = new StatusTable(context, problems || output.quiet);
        for (RunningShipper shipper : running) {
            table.add(row(shipper, nowMs));
        }
        return table;
    }

    private Row row(RunningShipper shipper, long nowMs) throws IOException {
        Row.Where where = new Row.Here(shipper.storeName(), shipper.pid());
        try {
            Heartbeat word = shipper.heartbeat();
            if (word != null) {
                long silentMs = nowMs - word.timeMs();
                FleetStatus.State alive = FleetStatus.state(word, silentMs, late.toMillis());
                boolean hangs = alive == FleetStatus.State.GONE || alive == FleetStatus.State.GONE_AT_RISK; // it runs
                FleetStatus.State state = hangs ? FleetStatus.State.LATE : alive;
                String fault = state == FleetStatus.State.UNKNOWN ? FleetStatus.ahead(silentMs) : null;
                return new Row(shipper.hostName(), where, state, word.timeMs(), word, "", fault, 0);
            }
            boolean asksRoot = "root".equals(System.getProperty("user.name"));
            String why = shipper.isHidden() && !asksRoot
                    ? "belongs to another user, or its store has not answered yet; ask as root"
                    : "its store has not answered yet";
            return new Row(shipper.hostName(), where, FleetStatus.State.LATE, 0, null, why, null, 0);
        } catch (CorruptArchiveException e) {
            return new Row("", where, FleetStatus.State.UNKNOWN, 0, null, "", String.valueOf(e.getMessage()), 0);
        }
    }

    private static List<HostRegistry.Owner> chosen(BlobStore archive, @Nullable String hosts) throws IOException {
        Address address = Arguments.hosts(hosts);
        List<HostRegistry.Owner> chosen = Address.hosts(archive, address).stream()
                .sorted(HostRegistry.Owner.BY_NAME)
                .toList();
        if (chosen.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.FAILED,
                    hosts == null
                            ? archive.name() + " holds no host yet; 'chagres ship PATH --to STORE' adds one"
                            : "no host of " + archive.name() + " matches " + hosts
                                    + "; 'chagres status STORE' shows all");
        }
        return chosen;
    }

    private static int requestsAtOnce(BlobStore archive) {
        return !archive.traits().isLocal()
                ? REQUESTS_AT_ONCE
                : Runtime.getRuntime().availableProcessors();
    }
}
