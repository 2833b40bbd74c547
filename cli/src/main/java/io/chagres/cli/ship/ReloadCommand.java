package io.chagres.cli.ship;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.OutputOptions;
import io.chagres.cli.command.ShipProcess;
import io.chagres.cli.command.StateOption;
import io.chagres.cli.text.Durations;
import io.chagres.cli.text.JsonWriter;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.Pathname;
import io.chagres.ship.ReloadAnswer;
import io.chagres.ship.RunningShipper;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code chagres reload}: makes running ships read their configuration again, and says whether they took it. */
@Command(
        name = "reload",
        header = "Make a running ship read its configuration again, and say whether it took it.",
        description = {
            "Sends SIGHUP to every ship with this state directory that was started with a configuration, and waits for"
                    + " the outcome: 'systemctl reload' is this. A ship that refuses the file keeps the configuration"
                    + " it had. Exit codes: 0 it is in force; 1 it was refused, or there was no answer, or no such ship"
                    + " runs; 2 usage."
        },
        footer = {"", "Examples:", "  chagres reload", "  chagres reload --pid 4711 --timeout 90s"})
public final class ReloadCommand implements Callable<Integer> {
    private final CommandContext context;

    @Option(names = "--pid", paramLabel = "PID", description = "Only the ship with this process id.")
    long pid;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "25s",
            description = "Longest time to wait (default: ${DEFAULT-VALUE}).")
    Duration timeout = Duration.ZERO;

    @Mixin
    StateOption state = new StateOption();

    @Mixin
    OutputOptions output = new OutputOptions();

    /** Makes the command; picocli fills its fields. */
    public ReloadCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        Pathname directory = state.directory(context.environment());
        List<RunningShipper> found = pid == 0
                ? RunningShipper.find(directory)
                : RunningShipper.ofMachine(List.of(directory), ShipProcess::isShip).stream()
                        .filter(shipper -> shipper.pid() == pid)
                        .toList();
        if (found.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.FAILED,
                    directory + ": no chagres ship runs with this state directory, or as this process. Nothing was read"
                            + " again; name the one of the ship by --state.");
        }
        long untilMs = MonotonicClock.nowMs() + timeout.toMillis();
        boolean all = true;
        for (RunningShipper shipper : found) {
            all &= reload(shipper, untilMs);
        }
        return all ? ExitCode.DONE : ExitCode.FAILED;
    }

    private boolean reload(RunningShipper shipper, long untilMs) throws IOException {
        String ship = "chagres ship (pid " + shipper.pid() + "): ";
        ReloadAnswer before = shipper.reloaded();
        if (before == null) { // a signal would end it
            context.err()
                    .println(ship + "it was started without a configuration, or has not begun, or is another user's");
            return false;
        }
        shipper.requestReload();
        shipper.await(() -> answer(shipper, before) != null, untilMs);
        ReloadAnswer answer = answer(shipper, before);
        if (answer == null) {
            String why = "no answer within " + Durations.format(timeout.toMillis()) + "; see its lines";
            context.err().println(ship + (shipper.runs() ? why : "it ended meanwhile"));
            return false;
        }
        if (output.json) {
            JsonWriter line = new JsonWriter().beginObject().member("pid", shipper.pid());
            context.out().line(line.member("fault", answer.fault()).endObject());
            return answer.fault() == null;
        }
        if (answer.fault() != null) {
            context.err().println(ship + "refused, continuing with the configuration before: " + answer.fault());
            return false;
        }
        if (!output.quiet) {
            context.out().line(ship + "the configuration is in force");
        }
        return true;
    }

    /** Returns the answer that came after another; null while there is none. */
    private static @Nullable ReloadAnswer answer(RunningShipper shipper, ReloadAnswer before) throws IOException {
        ReloadAnswer last = shipper.reloaded();
        return last == null || last.handled() == before.handled() ? null : last;
    }
}
