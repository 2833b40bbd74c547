package io.chagres.cli.status;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.FleetStatus;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.store.PatientStore;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.JsonOption;
import io.chagres.cli.command.MemoryOption;
import io.chagres.cli.command.ShipProcess;
import io.chagres.cli.command.StateOption;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.cli.text.Table;
import io.chagres.ship.RunningShipper;
import java.io.IOException;
import java.time.Duration;
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
            "Without STORE it asks the ships that run on this machine, also in containers; for those of other users be"
                    + " root. With STORE it tells what the archive heard: every ship lets it hear each minute"
                    + " (--heartbeat). A host is live, late when it was silent or has bytes at risk for longer than"
                    + " --late, gone after a day of silence, or ended when it said so. What is at risk, and the rate of"
                    + " what was committed, is that of its last word. A ship looks at every file again and again;"
                    + " --json says how old the oldest look was then (oldestLookMs). Exit codes: 0 no host is late;"
                    + " 1 one is, or cannot be read, or there is none."
        },
        footer = {
            "",
            "Examples:",
            "  chagres status",
            "  chagres status /mnt/archive",
            "  chagres status /mnt/archive 'web*' --late 10m --json"
        })
public final class StatusCommand implements Callable<Integer> {
    /** Of a store far away, most of which is waiting; a local one asks with as many threads as it has processors. */
    private static final int REQUESTS_AT_ONCE = 32;

    /** Lines whose columns are aligned; more are not kept. */
    private static final int LINES = 1000;

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

    @Mixin
    StateOption state = new StateOption();

    @Mixin
    JsonOption json = new JsonOption();

    @Mixin
    MemoryOption memory = new MemoryOption();

    private boolean isAlarming;
    private Table table = new Table(Row.ALIGNMENT);
    private int rows;

    /** Makes the command; picocli fills its fields. */
    public StatusCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        if (store == null) {
            here(context.clock().millis());
        } else {
            fleet(store);
        }
        print();
        return isAlarming ? ExitCode.FAILED : ExitCode.DONE;
    }

    private void fleet(String of) throws IOException {
        try (BlobStore archive = PatientStore.of(BlobStores.open(of, false));
                WorkerThreads threads = new WorkerThreads("chagres-status-", requestsAtOnce(archive))) {
            long nowMs = nowMs(archive);
            new FleetStatus(archive, threads, late.toMillis(), nowMs)
                    .of(chosen(archive), status -> show(row(status), nowMs));
        }
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
        IOException fault = status.fault();
        return new Row(
                status.host().name(),
                new Row.Fleet(status.host().id()),
                status.state(),
                status.heardMs(),
                status.word(),
                silence(status.state(), fault),
                fault != null);
    }

    private static String silence(FleetStatus.State state, @Nullable IOException fault) {
        if (fault == null) {
            return "no heartbeat, only commits";
        }
        return state == FleetStatus.State.DAMAGED
                ? String.valueOf(fault.getMessage())
                : "its heartbeat cannot be read: " + fault.getMessage();
    }

    private void here(long nowMs) throws IOException {
        List<RunningShipper> running = RunningShipper.ofMachine(
                List.of(state.directory(context.environment()), StateOption.OF_ROOT), ShipProcess::isShip);
        if (running.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.FAILED,
                    "no chagres ship runs on this machine; 'chagres ship PATH --to STORE' starts one, 'chagres status"
                            + " STORE' shows what an archive heard");
        }
        for (RunningShipper shipper : running) {
            show(row(shipper, nowMs), nowMs);
        }
    }

    private Row row(RunningShipper shipper, long nowMs) throws IOException {
        Row.Where where = new Row.Here(shipper.storeName(), shipper.pid());
        try {
            Heartbeat word = shipper.heartbeat();
            if (word != null) {
                FleetStatus.State alive = FleetStatus.state(word, nowMs - word.timeMs(), late.toMillis());
                boolean hangs = alive == FleetStatus.State.GONE; // it runs
                FleetStatus.State state = hangs ? FleetStatus.State.LATE : alive;
                return new Row(shipper.hostName(), where, state, word.timeMs(), word, "", false);
            }
            String why = shipper.isHidden()
                    ? "belongs to another user, or its store has not answered yet; ask as root"
                    : "its store has not answered yet";
            return new Row(shipper.hostName(), where, FleetStatus.State.LATE, 0, null, why, shipper.isHidden());
        } catch (CorruptArchiveException e) {
            return new Row("", where, FleetStatus.State.LATE, 0, null, String.valueOf(e.getMessage()), true);
        }
    }

    private void show(Row row, long nowMs) throws IOException {
        isAlarming |= row.isAlarming();
        if (json.json) {
            context.out().line(row.json());
            return;
        }
        if (rows == LINES) {
            print();
        }
        rows++;
        table.row(row.cells(nowMs));
    }

    private List<HostRegistry.Owner> chosen(BlobStore archive) throws IOException {
        Address address = hosts == null ? null : Address.parse(hosts.endsWith(":") ? hosts : hosts + ":");
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
        return archive.directory(ArchiveLayout.HOSTS) == null
                ? REQUESTS_AT_ONCE
                : Runtime.getRuntime().availableProcessors();
    }

    private void print() throws IOException {
        for (String line : table.lines()) {
            context.out().line(line);
        }
        table = new Table(Row.ALIGNMENT);
        rows = 0;
    }
}
