package io.chagres.cli.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.FleetStatus;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.JsonOption;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Durations;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Table;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chagres status}: which hosts of an archive live, and what was at risk at their last word. */
@Command(
        name = "status",
        header = "Show which hosts of an archive live, which are late, and what was at risk.",
        description = {
            "Every ship lets the archive hear from it each minute (--heartbeat). A host is live, late when it was"
                    + " silent for longer than --late, gone after a day of silence, or ended when it said so. What was"
                    + " at risk is that of its last word. Exit codes: 0 no host is late; 1 one is, or cannot be read."
        },
        footer = {
            "",
            "Examples:",
            "  chagres status /mnt/archive",
            "  chagres status /mnt/archive 'web*' --late 10m --json"
        })
public final class StatusCommand implements Callable<Integer> {
    /** Of a store far away, most of which is waiting; a local one asks with as many threads as it has processors. */
    private static final int REQUESTS_AT_ONCE = 32;

    /** Lines whose columns are aligned; more are not kept. */
    private static final int LINES = 1000;

    private static final String ALIGNMENT = "llrrll";

    private final CommandContext context;

    @Parameters(index = "0", paramLabel = "STORE", description = "The archive.")
    String store = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "HOST", description = "Name, id or quoted glob of hosts.")
    @Nullable
    String hosts;

    @Option(
            names = "--late",
            paramLabel = "DURATION",
            defaultValue = "5m",
            description = "How long a host may be silent (default: ${DEFAULT-VALUE}).")
    Duration late = Duration.ZERO;

    @Mixin
    JsonOption json = new JsonOption();

    private boolean isAlarming;
    private Table table = new Table(ALIGNMENT);
    private int rows;

    /** Makes the command; picocli fills its fields. */
    public StatusCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        long nowMs = context.clock().millis();
        try (BlobStore archive = BlobStores.open(store, false);
                WorkerThreads threads = new WorkerThreads("chagres-status-", requestsAtOnce(archive))) {
            FleetStatus fleet = new FleetStatus(archive, threads, late.toMillis(), nowMs);
            fleet.of(chosen(archive), status -> {
                isAlarming |= status.state() == FleetStatus.State.LATE || status.fault() != null;
                if (json.json) {
                    context.out().line(json(status));
                } else {
                    row(status, nowMs);
                }
            });
        }
        print();
        return isAlarming ? ExitCode.FAILED : ExitCode.DONE;
    }

    private List<HostRegistry.Owner> chosen(BlobStore archive) throws IOException {
        Address address = hosts == null ? null : Address.parse(hosts.endsWith(":") ? hosts : hosts + ":");
        List<HostRegistry.Owner> chosen = Address.hosts(archive, address).stream()
                .sorted(Comparator.comparing(HostRegistry.Owner::name).thenComparing(HostRegistry.Owner::id))
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
        return archive.directory(ArchiveLayout.HOSTS) == null
                ? REQUESTS_AT_ONCE
                : Runtime.getRuntime().availableProcessors();
    }

    private void print() throws IOException {
        for (String line : table.lines()) {
            context.out().line(line);
        }
        table = new Table(ALIGNMENT);
        rows = 0;
    }

    private void row(FleetStatus.HostStatus status, long nowMs) throws IOException {
        if (rows == LINES) {
            print();
        }
        rows++;
        Heartbeat word = status.word();
        table.row(
                status.host().name(),
                status.state().name().toLowerCase(Locale.ROOT),
                status.heardMs() == 0
                        ? "never heard"
                        : Durations.format(Math.max(0, nowMs - status.heardMs())) + " ago",
                word == null ? "unknown" : risk(word),
                word == null ? "-" : word.version(),
                note(status));
    }

    private static String risk(Heartbeat word) {
        return word.riskBytes() < 0
                ? "unknown"
                : ByteSize.format(word.riskBytes()) + " (" + Durations.format(word.riskMs()) + ")";
    }

    private static String note(FleetStatus.HostStatus status) {
        IOException fault = status.fault();
        Heartbeat word = status.word();
        if (fault != null) {
            return "its heartbeat cannot be read: " + fault.getMessage();
        }
        if (word == null) {
            return "no heartbeat, only commits";
        }
        return word.trouble().isEmpty() ? word.follows() : word.trouble();
    }

    private static JsonWriter json(FleetStatus.HostStatus status) {
        Heartbeat word = status.word();
        IOException fault = status.fault();
        JsonWriter line = new JsonWriter().beginObject();
        line.member("host", status.host().name()).member("hostId", status.host().id());
        line.member("state", status.state().name().toLowerCase(Locale.ROOT));
        if (status.heardMs() > 0) {
            line.timeMember("heard", status.heardMs());
        }
        if (word != null) {
            line.name("riskBytes");
            if (word.riskBytes() < 0) {
                line.value(null);
            } else {
                line.value(word.riskBytes());
            }
            line.member("riskMs", word.riskMs()).member("files", word.files());
            line.member("drained", word.state() == Heartbeat.State.DRAINED);
            line.member("version", word.version()).member("follows", word.follows());
            line.member("trouble", word.trouble().isEmpty() ? null : word.trouble());
        }
        if (fault != null) {
            line.member("fault", fault.getMessage());
        }
        return line.endObject();
    }
}
