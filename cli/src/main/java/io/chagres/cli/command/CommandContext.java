package io.chagres.cli.command;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The parts of the process that a command may touch, so that a test can replace them.
 *
 * @param out standard output
 * @param err standard error, for messages and the live line
 * @param environment environment variables
 * @param liveLine whether standard error is a terminal
 * @param clock wall clock
 * @param zone the user's time zone, for times without one; asked for late, since that reads all zones
 * @param termination how signals reach the command
 * @param child the command line after {@code --}, empty when there is none
 */
public record CommandContext(
        Output out,
        PrintStream err,
        Map<String, String> environment,
        boolean liveLine,
        InstantSource clock,
        Supplier<ZoneId> zone,
        Termination termination,
        List<String> child) {
    /** The class that starts every command, as it stands in the command line of this process. */
    public static final String PROGRAM = "io.chagres.cli.Main";

    /** Returns the context of a test or an embedding program: no terminal, the real clock. */
    public static CommandContext of(OutputStream out, OutputStream err, List<String> child) {
        return new CommandContext(
                new Output(out),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                System.getenv(),
                false,
                InstantSource.system(),
                ZoneId::systemDefault,
                Termination.NONE,
                child);
    }

    /** Says whether what standard output shows may have colours: on a terminal that knows them, if nobody minds. */
    public boolean isColored() {
        return out.columns() > 0 && environment.getOrDefault("NO_COLOR", "").isEmpty() && !isDumb();
    }

    /** Says whether a line of standard error can be written anew in its place. */
    public boolean canRedraw() {
        return liveLine && !isDumb();
    }

    /** A terminal of this name shows escapes as they are. */
    private boolean isDumb() {
        return environment.getOrDefault("TERM", "").equals("dumb");
    }

    /** Returns a context that hears of signals in another way. */
    public CommandContext with(Termination other) {
        return new CommandContext(out, err, environment, liveLine, clock, zone, other, child);
    }
}
