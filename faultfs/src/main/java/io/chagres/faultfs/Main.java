package io.chagres.faultfs;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The program {@code chagres-faultfs}: the only place where its failures become sentences and exit codes. */
public final class Main {
    static final int FAILED = 1;
    static final int USAGE = 2;
    private static final int HELP_WIDTH = 100;

    private Main() {}

    /** Runs the program and exits. */
    public static void main(String[] args) {
        System.exit(run(args, System.out, System.err));
    }

    /**
     * Runs one command in this process.
     *
     * @param args the arguments after {@code chagres-faultfs}
     * @param out receives answers; not closed
     * @param err receives messages; not closed
     * @return the exit code: 0 done, 1 failed, 2 usage
     */
    public static int run(String[] args, PrintStream out, PrintStream err) {
        CommandLine line = new CommandLine(new FaultFsCommand(out));
        line.setUsageHelpWidth(HELP_WIDTH);
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        line.setOut(new PrintWriter(out, true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(err, true, StandardCharsets.UTF_8));
        line.setParameterExceptionHandler((e, arguments) -> usage(e, err));
        line.setExecutionExceptionHandler((e, command, parsed) -> {
            err.println("chagres-faultfs: " + Objects.requireNonNullElseGet(e.getMessage(), e::toString));
            return FAILED;
        });
        return line.execute(args);
    }

    /**
     * Returns what the program understands, for its manual pages.
     *
     * @return a model of its own
     */
    public static CommandSpec model() {
        return new CommandLine(new FaultFsCommand(System.out)).getCommandSpec();
    }

    private static int usage(ParameterException e, PrintStream err) {
        String command = e.getCommandLine().getCommandSpec().qualifiedName();
        err.println(command + ": " + e.getMessage());
        err.println("Try '" + command + " --help'.");
        return USAGE;
    }
}
