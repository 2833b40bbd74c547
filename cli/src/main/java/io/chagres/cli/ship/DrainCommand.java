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
import io.chagres.ship.FlushAnswer;
import io.chagres.ship.RunningShipper;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
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
    private static final long LOOK_EVERY_MS = 10;

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

    /** A shipper and how many flushes it had begun when it was asked. */
    private record Asked(RunningShipper shipper, long begunBefore) {}

    @Override
    public Integer call() throws IOException {
        Pathname directory = state.directory(context.environment());
        long untilMs = MonotonicClock.nowMs() + timeout.toMillis();
        if (drill) {
            return drill(directory, untilMs);
        }
        List<Asked> asked = ask(directory, Math.min(untilMs, MonotonicClock.nowMs() + APPEARS_MS));
        int code = ExitCode.DONE;
        for (Asked one : asked) {
            boolean safe = await(one, untilMs);
            code = safe ? code : ExitCode.AT_RISK;
        }
        return code;
    }

    private int drill(Pathname directory, long untilMs) throws IOException {
        List<RunningShipper> found = find(directory, Math.min(untilMs, MonotonicClock.nowMs() + APPEARS_MS));
        if (found.isEmpty()) {
            throw noShip(directory);
        }
        DrillReport report = new DrillReport(context, within.toMillis(), output.json, output.quiet);
        int code = ExitCode.DONE;
        for (RunningShipper shipper : found) {
            code = Math.max(code, report.ask(shipper, untilMs));
        }
        return code;
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
            LockSupport.parkNanos(Duration.ofMillis(LOOK_EVERY_MS * 10).toNanos());
        }
    }

    private static List<Asked> ask(Pathname directory, long appearsMs) throws IOException {
        List<Asked> asked = new ArrayList<>();
        for (RunningShipper shipper : find(directory, appearsMs)) {
            long begun = shipper.answer().begun();
            try {
                shipper.requestFlush();
                asked.add(new Asked(shipper, begun));
            } catch (ErrnoException e) {
                if (e.errno() != Errno.ESRCH) {
                    throw e;
                }
            }
        }
        if (asked.isEmpty()) {
            throw noShip(directory);
        }
        return asked;
    }

    private static CommandFailure noShip(Pathname directory) throws IOException {
        refuseToForget(directory);
        return new CommandFailure(
                ExitCode.FAILED,
                directory + ": no chagres ship runs with this state directory. Nothing was drained; name the one of"
                        + " the shipper by --state.");
    }

    /** A ship whose store has not answered since its start holds no lock yet, and all its bytes are at risk. */
    private static void refuseToForget(Pathname directory) throws IOException {
        RunningShipper hidden = hidden(directory);
        if (hidden != null) {
            throw new CommandFailure(
                    ExitCode.AT_RISK,
                    "chagres ship (pid " + hidden.pid() + "): its store has not answered since it started, or it"
                            + " belongs to another user, or its state directory cannot be used, at risk: unknown."
                            + " Nothing was drained; 'chagres status' as root and the lines of that ship tell more.");
        }
    }

    /** Returns a ship that may use a state directory and is not found there; null when there is none. */
    private static @Nullable RunningShipper hidden(Pathname directory) throws IOException {
        return RunningShipper.ofMachine(
                        List.of(directory),
                        arguments -> ShipProcess.isShip(arguments) && ShipProcess.mayUse(directory, arguments))
                .stream()
                .filter(RunningShipper::isHidden)
                .findFirst()
                .orElse(null);
    }

    /** Waits for one shipper and says how it went; returns whether all that was there is acknowledged. */
    private boolean await(Asked one, long untilMs) throws IOException {
        RunningShipper shipper = one.shipper();
        boolean runs = shipper.runs();
        FlushAnswer answer = shipper.answer();
        while (answer.done() <= one.begunBefore() && runs && MonotonicClock.nowMs() < untilMs) {
            LockSupport.parkNanos(Duration.ofMillis(LOOK_EVERY_MS).toNanos());
            runs = shipper.runs(); // before its answer: the last one of a shipper that ends counts
            answer = shipper.answer();
        }
        String ship = "chagres ship (pid " + shipper.pid() + "): ";
        if (output.json) {
            print(shipper.pid(), answer, answer.done() > one.begunBefore(), answer.begun() > one.begunBefore());
        } else if (answer.done() > one.begunBefore() && (!output.quiet || answer.leftBytes() != 0)) {
            context.out().line(ship + sentence(answer));
        }
        if (answer.done() > one.begunBefore()) {
            return answer.leftBytes() == 0;
        }
        context.err()
                .println(ship
                        + (runs ? "not done within " + Durations.format(timeout.toMillis()) : "ended meanwhile")
                        + ", at risk: " + bytes(answer.begun() > one.begunBefore() ? answer.leftBytes() : -1)
                        + ". They are still in the local files" + (runs ? "; it tries again." : "."));
        return false;
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
