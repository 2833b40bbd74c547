package io.chagres.cli;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.Converters;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.LastWord;
import io.chagres.cli.command.Output;
import io.chagres.cli.command.StandardOutput;
import io.chagres.cli.command.Termination;
import io.chagres.cli.dedupe.DedupeCommand;
import io.chagres.cli.doctor.DoctorCommand;
import io.chagres.cli.forward.ForwardCommand;
import io.chagres.cli.maintain.CompactCommand;
import io.chagres.cli.maintain.HeadCommand;
import io.chagres.cli.maintain.PruneCommand;
import io.chagres.cli.maintain.RepairCommand;
import io.chagres.cli.maintain.VerifyCommand;
import io.chagres.cli.mount.MountCommand;
import io.chagres.cli.mount.UmountCommand;
import io.chagres.cli.read.CatCommand;
import io.chagres.cli.read.GrepCommand;
import io.chagres.cli.read.LsCommand;
import io.chagres.cli.read.RestoreCommand;
import io.chagres.cli.read.TailCommand;
import io.chagres.cli.ship.ConfigCommand;
import io.chagres.cli.ship.DrainCommand;
import io.chagres.cli.ship.ReloadCommand;
import io.chagres.cli.ship.ShipCommand;
import io.chagres.cli.status.StatusCommand;
import io.chagres.cli.watch.WatchCommand;
import io.chagres.linux.TerminalSize;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/** The program {@code chagres}: the only place where a failure becomes a sentence and an exit code. */
public final class Main {
    private static final int STANDARD_OUTPUT = 1;

    private Main() {}

    /** Runs the program and exits. */
    public static void main(String[] args) {
        LastWord word = LastWord.ofProcess();
        try {
            run(word, args);
        } catch (Throwable e) { // the report failed too
            word.end(e);
        }
    }

    private static void run(LastWord word, String[] args) {
        Termination.OfProcess termination = new Termination.OfProcess();
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        CommandContext context = new CommandContext(
                new Output(new StandardOutput(), columns()),
                err,
                System.getenv(),
                isTerminal("/proc/self/fd/2"),
                InstantSource.system(),
                ZoneId::systemDefault,
                termination,
                child(args));
        termination.exit(run(context, args, word::makeRoom));
    }

    /**
     * Runs one command in this process: the form for tests and for programs that embed the command line.
     *
     * @param args the arguments after {@code chagres}
     * @param out receives standard output; not closed
     * @param err receives messages; not closed
     * @return the exit code: 0 done, 1 failed, 2 usage, 3 stopped with bytes at risk, 4 fenced by another writer,
     *     5 the store did not answer, 130 interrupted, 141 the reader of standard output went away
     */
    public static int run(String[] args, OutputStream out, OutputStream err) {
        return run(CommandContext.of(out, err, child(args)), args);
    }

    /**
     * Runs one command in this process that continues until it is told to end.
     *
     * @param args the arguments after {@code chagres}
     * @param out receives standard output; not closed
     * @param err receives messages; not closed
     * @param stops receives what ends the command as SIGTERM does, if it listens to signals: for another thread, once
     * @return the exit code, as above
     */
    public static int run(String[] args, OutputStream out, OutputStream err, Consumer<Runnable> stops) {
        return run(CommandContext.of(out, err, child(args)).with(stops::accept), args);
    }

    /** Runs one command in a process of the caller's choice; returns the exit code. */
    public static int run(CommandContext context, String[] args) {
        return run(context, args, () -> {});
    }

    private static int run(CommandContext context, String[] args, Runnable makeRoom) {
        FailureReport failures = new FailureReport(context.err(), context.environment());
        int code;
        try {
            code = commandLine(context, failures, subcommands(context, List.of(args)))
                    .execute(own(args));
            context.out().flush();
            if (code == ExitCode.DONE) {
                context.out().requireWritten();
            }
        } catch (Throwable e) { // the very top
            makeRoom.run();
            code = failures.report("chagres", e);
        }
        return code;
    }

    /** Returns the model of the whole command line, for those who do not run it. */
    static CommandLine commandLine(CommandContext context) {
        Map<String, Object> all = new LinkedHashMap<>();
        commands(context)
                .forEach((name, command) -> all.put(name, command.make().get()));
        return commandLine(context, new FailureReport(context.err(), context.environment()), all);
    }

    /**
     * Returns the command that is called, or else all commands. Only those that the arguments name are made whole:
     * making the models of all takes longer than most commands do.
     */
    private static Map<String, Object> subcommands(CommandContext context, List<String> args) {
        Map<String, Known> commands = commands(context);
        String called = args.isEmpty() ? "" : args.getFirst();
        if (commands.containsKey(called) && !called.equals("help")) {
            return Map.of(called, commands.get(called).make().get());
        }
        Map<String, Object> all = new LinkedHashMap<>();
        commands.forEach((name, command) ->
                all.put(name, args.contains(name) ? command.make().get() : outline(command.type())));
        return all;
    }

    /** Returns what a list of commands shows of one command. */
    private static CommandSpec outline(Class<?> type) {
        Command command = Objects.requireNonNull(type.getAnnotation(Command.class));
        CommandSpec outline = CommandSpec.create().name(command.name());
        outline.usageMessage().header(command.header());
        return outline;
    }

    private static CommandLine commandLine(
            CommandContext context, FailureReport failures, Map<String, Object> subcommands) {
        CommandLine line = new CommandLine(new RootCommand());
        subcommands.forEach(line::addSubcommand);
        Converters.register(line, context);
        Optional.ofNullable(line.getSubcommands().get("grep")).ifPresent(GrepCommand::parseAsRipgrep);
        line.setUsageHelpWidth(HelpText.width(context.out().columns()));
        line.setHelpFactory(HelpText::new);
        line.setColorScheme(CommandLine.Help.defaultColorScheme(
                context.isColored() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF));
        line.setOut(new PrintWriter(new HelpWriter(context.out()), true));
        line.setErr(new PrintWriter(context.err(), true));
        line.setParameterExceptionHandler(failures::usage);
        line.setExecutionExceptionHandler((e, command, parsed) -> {
            int code = failures.report("chagres " + command.getCommandName(), e);
            return code == ExitCode.FAILED ? command.getCommandSpec().exitCodeOnExecutionException() : code;
        });
        return line;
    }

    /** A command: its class, whose annotation says what it is for, and how one is made. */
    private record Known(Class<?> type, Supplier<Object> make) {}

    /** All commands, in the order in which {@code --help} lists them. */
    private static Map<String, Known> commands(CommandContext context) {
        Map<String, Known> commands = new LinkedHashMap<>();
        commands.put("ship", new Known(ShipCommand.class, () -> new ShipCommand(context)));
        commands.put("drain", new Known(DrainCommand.class, () -> new DrainCommand(context)));
        commands.put("reload", new Known(ReloadCommand.class, () -> new ReloadCommand(context)));
        commands.put("config", new Known(ConfigCommand.class, () -> new ConfigCommand(context)));
        commands.put("status", new Known(StatusCommand.class, () -> new StatusCommand(context)));
        commands.put("ls", new Known(LsCommand.class, () -> new LsCommand(context)));
        commands.put("cat", new Known(CatCommand.class, () -> new CatCommand(context)));
        commands.put("grep", new Known(GrepCommand.class, () -> new GrepCommand(context)));
        commands.put("tail", new Known(TailCommand.class, () -> new TailCommand(context)));
        commands.put("forward", new Known(ForwardCommand.class, () -> new ForwardCommand(context)));
        commands.put("restore", new Known(RestoreCommand.class, () -> new RestoreCommand(context)));
        commands.put("mount", new Known(MountCommand.class, () -> new MountCommand(context)));
        commands.put("umount", new Known(UmountCommand.class, UmountCommand::new));
        commands.put("verify", new Known(VerifyCommand.class, () -> new VerifyCommand(context)));
        commands.put("head", new Known(HeadCommand.class, () -> new HeadCommand(context)));
        commands.put("repair", new Known(RepairCommand.class, () -> new RepairCommand(context)));
        commands.put("compact", new Known(CompactCommand.class, () -> new CompactCommand(context)));
        commands.put("prune", new Known(PruneCommand.class, () -> new PruneCommand(context)));
        commands.put("dedupe", new Known(DedupeCommand.class, () -> new DedupeCommand(context)));
        commands.put("watch", new Known(WatchCommand.class, () -> new WatchCommand(context)));
        commands.put("doctor", new Known(DoctorCommand.class, () -> new DoctorCommand(context)));
        commands.put("help", new Known(HelpCommand.class, HelpCommand::new));
        return commands;
    }

    /** Everything after the first {@code --} of {@code ship} is another program's command line. */
    private static List<String> child(String[] args) {
        int end = ownLength(args);
        return end == args.length ? List.of() : List.of(args).subList(end + 1, args.length);
    }

    private static String[] own(String[] args) {
        return Arrays.copyOf(args, ownLength(args));
    }

    private static int ownLength(String[] args) {
        int end = args.length > 0 && args[0].equals("ship") ? List.of(args).indexOf("--") : -1;
        return end < 0 ? args.length : end;
    }

    /** Returns how wide standard output is shown; 0 when it goes to no terminal. */
    private static int columns() {
        if (!isTerminal("/proc/self/fd/" + STANDARD_OUTPUT)) {
            return 0;
        }
        int columns = TerminalSize.columns(STANDARD_OUTPUT);
        return columns == 0 ? Integer.MAX_VALUE : columns;
    }

    private static boolean isTerminal(String descriptor) {
        try {
            Path target = Files.readSymbolicLink(Path.of(descriptor));
            return target.startsWith("/dev/pts")
                    || target.toString().startsWith("/dev/tty")
                    || target.endsWith("console");
        } catch (IOException e) {
            return false;
        }
    }
}
