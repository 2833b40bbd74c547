package io.chagres.cli.ship;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.OutputOptions;
import io.chagres.cli.command.ShipProcess;
import io.chagres.cli.command.StateOption;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Durations;
import io.chagres.cli.text.JsonWriter;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.Pathname;
import io.chagres.ship.DrainForecast;
import io.chagres.ship.DrillAnswer;
import io.chagres.ship.FlushAnswer;
import io.chagres.ship.RunningShipper;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code chagres drain}: makes running shippers commit everything at once. */
@Command(
        name = "drain",
        header = "Make a running ship commit everything at once, and wait for it.",
        description = {
            "For a machine that has been told that it will vanish. Every ship with this state directory scans once"
                    + " more, commits without regard to --max-lag, and continues. SIGUSR1 to a ship does the same"
                    + " without waiting. With --drill none of it is done: each ship says how long it would take now,"
                    + " by what it measured while it shipped.",
            "Exit codes: 0 what was there is acknowledged, or would be within --within; 1 no ship runs; 2 usage;"
                    + " 3 bytes are at risk, or may be."
        },
        footer = {"", "Examples:", "  chagres drain --timeout 90s", "  chagres drain --drill --within 30s"})
public final class DrainCommand implements Callable<Integer> {
    private static final long LOOK_EVERY_NS = 100_000_000;

    /** A ship whose state directory was removed makes it again within this time. */
    private static final long APPEARS_MS = 20_000;

    private final CommandContext context;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "25s",
            description = "Longest time to wait (default: ${DEFAULT-VALUE}).")
    Duration timeout = Duration.ZERO;

    @Option(
            names = "--drill",
            description = "Say how long it would take and what would be at risk after --within, and drain nothing.")
    boolean drill;

    @Option(
            names = "--within",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description = "With --drill: when the machine would vanish (default: ${DEFAULT-VALUE}).")
    Duration within = Duration.ZERO;

    @Mixin
    StateOption state = new StateOption();

    @Mixin
    OutputOptions output = new OutputOptions();

    /** Makes the command; picocli fills its fields. */
    public DrainCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        Pathname directory = state.directory(context.environment());
        long untilMs = MonotonicClock.nowMs() + timeout.toMillis();
        List<RunningShipper> found = find(directory, Math.min(untilMs, MonotonicClock.nowMs() + APPEARS_MS));
        Map<RunningShipper, Long> before = new LinkedHashMap<>(); // how much it had begun when it was asked
        for (RunningShipper shipper : found) {
            ask(shipper, before);
        }
        if (before.isEmpty()) {
            throw noShip(directory);
        }
        boolean safe = true;
        for (Map.Entry<RunningShipper, Long> asked : before.entrySet()) {
            safe &= drill
                    ? drilled(asked.getKey(), asked.getValue(), untilMs)
                    : drained(asked.getKey(), asked.getValue(), untilMs);
        }
        return safe ? ExitCode.DONE : ExitCode.AT_RISK;
    }

    private void ask(RunningShipper shipper, Map<RunningShipper, Long> before) throws IOException {
        if (drill) {
            before.put(shipper, shipper.drilled().count());
            shipper.askDrill();
            return;
        }
        long begun = shipper.answer().begun();
        try {
            shipper.requestFlush();
            before.put(shipper, begun);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.ESRCH) {
                throw e;
            }
        }
    }

    /** Returns the ships that are found; one that runs and is not found is waited for. */
    private static List<RunningShipper> find(Pathname directory, long untilMs) throws IOException {
        while (true) {
            try {
                List<RunningShipper> found = RunningShipper.find(directory);
                if (!found.isEmpty() || MonotonicClock.nowMs() >= untilMs || hidden(directory) == null) {
                    return found;
                }
            } catch (ErrnoException e) {
                if (hidden(directory) == null) {
                    throw e;
                }
                return List.of(); // nobody may look there, and a ship runs that may use it
            }
            LockSupport.parkNanos(LOOK_EVERY_NS);
        }
    }

    private static CommandFailure noShip(Pathname directory) throws IOException {
        RunningShipper hidden = hidden(directory);
        if (hidden == null) {
            return new CommandFailure(
                    ExitCode.FAILED,
                    directory + ": no chagres ship runs with this state directory. Nothing was drained; name the one of"
                            + " the shipper by --state.");
        }
        return new CommandFailure( // without an answer since its start it holds no lock, and all its bytes are at risk
                ExitCode.AT_RISK,
                "chagres ship (pid " + hidden.pid() + "): it waits for its store, or it"
                        + " belongs to another user, or its state directory cannot be used, at risk: unknown."
                        + " Nothing was drained; 'chagres status' as root and the lines of that ship tell more.");
    }

    /** Returns a ship that may use a state directory and is not found there; null when there is none. */
    private static @Nullable RunningShipper hidden(Pathname directory) throws IOException {
        for (RunningShipper each : ofMachine(arguments -> ShipProcess.mayUse(directory, arguments), directory)) {
            if (each.isHidden()) {
                return each;
            }
        }
        for (RunningShipper each : ofMachine(arguments -> ShipProcess.names(directory, arguments), directory)) {
            if (each.isBelowAnother(directory.name())) { // somebody moved its directory, or removed a link to it
                return each;
            }
        }
        return null;
    }

    private static List<RunningShipper> ofMachine(Predicate<List<String>> isMeant, Pathname directory)
            throws IOException {
        return RunningShipper.ofMachine(
                List.of(directory), arguments -> ShipProcess.isShip(arguments) && isMeant.test(arguments));
    }

    /** Waits for one shipper and says how long a drain would take; returns whether it is known to be safe. */
    private boolean drilled(RunningShipper shipper, long before, long untilMs) throws IOException {
        shipper.await(() -> shipper.drilled().count() != before, untilMs);
        DrillAnswer answer = shipper.drilled();
        DrainForecast forecast = answer.count() == before ? null : answer.forecast();
        boolean safe = forecast != null && forecast.isSafeWithin(within.toMillis());
        if (output.json) {
            context.out().line(DrillReport.json(shipper.pid(), forecast, within.toMillis()));
        } else if (!output.quiet || !safe) {
            context.out().line(DrillReport.text(shipper.pid(), forecast, within.toMillis()));
        }
        return safe;
    }

    /** Waits for one shipper and says how it went; returns whether all that was there is acknowledged. */
    private boolean drained(RunningShipper shipper, long begunBefore, long untilMs) throws IOException {
        shipper.await(() -> shipper.answer().done() > begunBefore, untilMs);
        FlushAnswer answer = shipper.answer(); // the last one of a shipper that ended counts
        boolean done = answer.done() > begunBefore;
        boolean begun = answer.begun() > begunBefore;
        String ship = "chagres ship (pid " + shipper.pid() + "): ";
        if (output.json) {
            print(shipper.pid(), answer, done, begun);
        } else if (done && (!output.quiet || answer.leftBytes() != 0)) {
            context.out().line(ship + sentence(answer));
        }
        if (done) {
            return answer.leftBytes() == 0;
        }
        boolean runs = shipper.runs();
        context.err()
                .println(ship
                        + (runs ? "not done within " + Durations.format(timeout.toMillis()) : "ended meanwhile")
                        + ", " + left(begun ? answer.leftBytes() : -1) + (runs ? "; it tries again." : "."));
        return false;
    }

    /** What is left without a byte is a name, an attribute or the end of a file. */
    private static String left(long bytes) {
        return bytes == 0
                ? "names, attributes or ends of files are not acknowledged"
                : "at risk: " + bytes(bytes) + ". Bytes that are not lost are still in the local files";
    }

    private void print(long pid, FlushAnswer answer, boolean done, boolean begun) throws IOException {
        JsonWriter line = new JsonWriter().beginObject().member("pid", pid).member("done", done);
        line.knownMember("leftBytes", begun ? answer.leftBytes() : -1);
        context.out().line(line.endObject());
    }

    private static String sentence(FlushAnswer answer) {
        String left = answer.leftBytes() == 0 ? "everything is acknowledged" : "at risk: " + bytes(answer.leftBytes());
        return left + "; written since or held back: " + bytes(answer.riskBytes());
    }

    private static String bytes(long number) {
        return number < 0 ? "unknown" : ByteSize.format(number);
    }
}
