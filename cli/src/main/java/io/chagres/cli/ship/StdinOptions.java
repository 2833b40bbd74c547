package io.chagres.cli.ship;

import io.chagres.archive.store.BlobStore;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.ShellWord;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.Pathname;
import io.chagres.ship.InputBuffer;
import io.chagres.ship.ShipOptions;
import io.chagres.ship.ShipStatus;
import io.chagres.ship.StreamShipper;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** A ship of standard input; picocli fills its fields. */
final class StdinOptions {
    private static final String STDIN = "-";
    private static final int STEP_MS = 100;

    private static final Set<String> FITTING = Set.of(
            "--as",
            "--to",
            "--ca-file",
            "--config",
            "--once",
            "--max-lag",
            "--drain",
            "--host",
            "--host-id",
            "--take-over",
            "--heartbeat",
            "--encrypt-to",
            "--encrypt-to-file",
            "--sign",
            "--level",
            "--memory",
            "--limit-rate",
            "--quiet",
            "--log-format",
            "--status-interval",
            "--state",
            "--json");

    @Option(
            names = "--as",
            paramLabel = "NAME",
            description = "With - for PATH: ship standard input, or what CMD writes to its standard output, as the file"
                    + " of this name. Until its end was read it is NAME.part. The host is NAME-OF-MACHINE-stdin unless"
                    + " --host says another.")
    @Nullable
    String as;

    /** Says whether standard input is meant by the paths. */
    static boolean isMeant(List<String> paths) {
        return paths.contains(STDIN);
    }

    /**
     * Checks that nothing else is asked for with it.
     *
     * @throws CommandFailure naming what does not fit
     */
    void check(List<String> paths, ParseResult parsed) throws CommandFailure {
        String name = as;
        String fault = null;
        if (!isMeant(paths)) {
            fault = name == null ? null : "--as names what comes by standard input: give - for PATH";
        } else if (paths.size() > 1 || name == null) {
            fault = "- is standard input, and alone: chagres ship - --as db.sql --to /mnt/archive; a file of that name"
                    + " is ./-";
        } else {
            fault = parsed.matchedOptions().stream()
                    .map(each -> each.longestName())
                    .filter(each -> !FITTING.contains(each))
                    .findFirst()
                    .map(each -> each + " does not fit standard input (-)")
                    .orElseGet(() -> faultOf(Pathname.of(name)));
        }
        if (fault != null) {
            throw new CommandFailure(ExitCode.USAGE, fault + ". Try 'chagres ship --help'.");
        }
    }

    /**
     * Checks what stands in a file as well.
     *
     * @throws IllegalArgumentException naming what does not fit
     */
    void require(List<String> paths, boolean spools) {
        if (isMeant(paths) && as == null) {
            throw new IllegalArgumentException("standard input (-) is shipped by a command line with --as");
        }
        if (isMeant(paths) && spools) {
            throw new IllegalArgumentException("standard input (-) goes into an archive, not into Kafka");
        }
    }

    private static @Nullable String faultOf(Pathname name) {
        String text = name.toString();
        boolean isName = !text.isEmpty() && !text.endsWith("/") && !text.endsWith("/.") && !text.endsWith("/..");
        return isName && !absolute(name).toString().equals("/") ? null : "--as is the name of a file, such as db.sql";
    }

    private static Pathname absolute(Pathname name) {
        return Pathname.of("/").resolve(name).normalized();
    }

    /** Returns the host as which it is shipped unless somebody says another: that of the machine has its own ship. */
    String hostName(List<String> paths, String machine) {
        return isMeant(paths) ? machine + "-stdin" : machine;
    }

    /** The part of the command that this needs. */
    @FunctionalInterface
    interface Archive {
        BlobStore open() throws IOException;
    }

    /**
     * Ships standard input to its end.
     *
     * @param plan how to work and where it goes
     * @return the exit code: done only where everything up to the end is acknowledged
     */
    int ship(CommandContext context, ShipPlan plan, ShipReport report, Archive archive) throws IOException {
        ShipOptions options = plan.options();
        List<String> concerns = ArchivePlace.concerns(plan);
        Pathname name = absolute(Pathname.of(String.valueOf(as)));
        CommandContext alone = new CommandContext(
                context.out(),
                context.err(),
                context.environment(),
                context.liveLine(),
                context.clock(),
                context.zone(),
                context.termination(),
                List.of());
        try (Supervisor supervisor = Supervisor.of(context.environment(), report);
                WorkerThreads workers = new WorkerThreads("chagres-worker-", 4);
                WorkerThreads reader = new WorkerThreads("chagres-input-", 1)) {
            ShipStart start = new ShipStart(
                    alone,
                    report,
                    supervisor,
                    MonotonicClock::nowMs,
                    options.pace().drainMs());
            context.termination().onUserSignal(start::flush);
            context.termination().onSignal(start::stop);
            start.begin(true);
            InputBuffer input = new InputBuffer();
            try (BlobStore store = start.open(archive::open);
                    StreamShipper shipper = start.open(
                            () -> StreamShipper.open(options, name, input, store, workers, Clock.systemUTC(), start))) {
                report.started("standard input is shipped to " + plan.to() + " as "
                        + options.identity().hostName() + ":" + name + ArchivePlace.words(concerns));
                Producer producer = Producer.of(context.child());
                start.opened(
                        () -> {
                            producer.end();
                            shipper.requestStop();
                        },
                        shipper::requestFlush);
                reader.execute(() -> input.fill(producer));
                run(shipper, report, supervisor);
                return end(
                        shipper, producer, report, plan.to(), options.identity().hostName() + ":" + name);
            } finally {
                start.over();
            }
        }
    }

    private static void run(StreamShipper shipper, ShipReport report, Supervisor supervisor) throws IOException {
        long startMs = MonotonicClock.nowMs();
        long nextMs = startMs;
        while (!shipper.finished()) {
            shipper.doWork(STEP_MS);
            long now = MonotonicClock.nowMs();
            if (now >= nextMs) {
                report.status(shipper.status(), now - startMs);
                supervisor.works(shipper.status());
                nextMs = now + Math.min(report.intervalMs(), supervisor.intervalMs());
            }
        }
        supervisor.ended(shipper.status());
    }

    private static int end(StreamShipper shipper, Producer producer, ShipReport report, String to, String address)
            throws IOException {
        ShipStatus last = shipper.status();
        if (shipper.isWhole()) {
            report.ended(last, true);
            report.shipped("look at it: chagres ls -l " + ShellWord.of(to) + " " + ShellWord.of(address));
            return ExitCode.DONE;
        }
        String why = "stopped before the end of standard input";
        int code = producer.exitCode() == 0 ? ExitCode.AT_RISK : producer.exitCode();
        try {
            shipper.requireInput();
        } catch (IOException e) {
            why = "standard input could not be read to its end: " + e.getMessage();
        }
        String trouble = last.storeTrouble() == null ? "" : "; the store " + last.storeTrouble();
        throw new CommandFailure(
                code,
                why + trouble + ". Acknowledged are " + ByteSize.format(last.shippedBytes()) + ", as " + address
                        + StreamShipper.UNFINISHED + "; what came behind them is in no archive, and an earlier "
                        + address + " is as it was. Run again what wrote it.");
    }
}
