package io.chagres.cli;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.log.FencedException;
import io.chagres.archive.store.Spelling;
import io.chagres.archive.store.StoreException;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.Output;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.forward.SinkFencedException;
import io.chagres.ship.LockedException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns what went wrong into a sentence on standard error and an exit code. */
final class FailureReport {
    /** Set to print where in the program an unexpected failure arose. */
    static final String DEBUG = "CHAGRES_DEBUG";

    private final PrintStream err;
    private final boolean traces;

    FailureReport(PrintStream err, Map<String, String> environment) {
        this.err = err;
        traces = "1".equals(environment.get(DEBUG));
    }

    /** Reports a command line that was not understood. */
    int usage(ParameterException e, String[] args) {
        UnmatchedArgumentException unknown = unknownOptions(e.getCommandLine());
        ParameterException cause = unknown == null ? e : unknown;
        CommandLine command = cause.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        err.println(name + ": " + cause.getMessage());
        if (unknown == null) {
            UnmatchedArgumentException.printSuggestions(cause, new PrintWriter(err, true));
        } else {
            meant(command, unknown.getUnmatched().getFirst())
                    .ifPresent(each -> err.println("Did you mean: " + each + "?"));
        }
        err.println("Try '" + name + " --help'.");
        return ExitCode.USAGE;
    }

    /**
     * Returns the options that a command does not know, if there are any. They come first: the value behind one is
     * taken for an argument of the command, and then that is wrong, or too many, while another is missing.
     */
    private static @Nullable UnmatchedArgumentException unknownOptions(CommandLine command) {
        for (CommandLine each = command; each != null; each = each.getParent()) {
            List<String> options = each.getUnmatchedArguments().stream()
                    .filter(argument -> argument.startsWith("-") && argument.length() > 1)
                    .map(argument -> argument.replaceFirst("(?s)=.*", "")) // what follows may be a secret
                    .toList();
            if (!options.isEmpty()) {
                return new UnmatchedArgumentException(each, options);
            }
        }
        return null;
    }

    /** Returns the option whose name is most like one that is not known. */
    private static Optional<String> meant(CommandLine command, String unknown) {
        List<String> names = command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden() && option.longestName().startsWith("--"))
                .map(option -> option.longestName().substring(2))
                .toList();
        String name = unknown.replaceFirst("^-+", "");
        return Spelling.nearest(name, names).map(each -> "--" + each);
    }

    /** Reports a failure of a command and returns the program's exit code. */
    int report(String command, Throwable failure) {
        if (failure instanceof Output.ClosedException) {
            return ExitCode.CLOSED_PIPE;
        }
        if (traces) {
            trace(failure);
        }
        err.println(command + ": " + sentence(failure));
        return switch (failure) {
            case CommandFailure own -> own.exitCode();
            case FencedException e -> ExitCode.FENCED;
            case SinkFencedException e -> ExitCode.FENCED;
            default -> ExitCode.FAILED;
        };
    }

    private static String sentence(Throwable failure) {
        String message = Objects.requireNonNullElseGet(failure.getMessage(), failure::toString);
        return switch (failure) {
            case CommandFailure e -> message;
            case FencedException e -> message;
            case LockedException e -> message + ". Nothing was shipped and nothing is lost.";
            case StoreException e when isPath(e) -> message + ". Correct the path; nothing was written.";
            case StoreException e
            when e.getCause() instanceof ErrnoException c && !hint(c).isEmpty() -> message + hint(c);
            case StoreException e -> message + ". 'chagres doctor --to STORE' checks the archive.";
            case CorruptArchiveException e ->
                message + ". The rest of the archive can be read; 'chagres verify STORE'" + " names every fault.";
            case ErrnoException e -> message + hint(e);
            case IOException e -> message;
            case OutOfMemoryError e ->
                "out of memory (" + message + "); what was acknowledged is safe. Lower --memory, or"
                        + " give the JVM more.";
            default ->
                "unexpected failure: " + failure + origin(failure)
                        + ". What was acknowledged is safe. Please report this with the output of the same command"
                        + " under " + DEBUG + "=1.";
        };
    }

    /** Says whether a store is not there because its path leads nowhere. */
    private static boolean isPath(StoreException e) {
        return e.getCause() instanceof ErrnoException cause
                && (cause.errno() == Errno.ENOENT || cause.errno() == Errno.ENOTDIR);
    }

    private static String hint(ErrnoException failure) {
        return switch (failure.errno()) {
            case Errno.EACCES, Errno.EPERM -> ". Run as a user who may, or change the permissions.";
            case Errno.ENOSPC, Errno.EDQUOT -> ". Free space and start again; what was acknowledged is safe.";
            case Errno.EROFS -> ". The file system is mounted read-only; choose another place.";
            case Errno.EMFILE, Errno.ENFILE ->
                failure.call().equals("inotify_init1")
                        ? ". Raise the sysctl fs.inotify.max_user_instances, or the limit of open files (ulimit -n)."
                        : ". Raise the limit of open files (ulimit -n, or LimitNOFILE of the unit).";
            default -> "";
        };
    }

    private static String origin(Throwable failure) {
        StackTraceElement[] trace = failure.getStackTrace();
        return trace.length == 0 ? "" : " at " + trace[0];
    }

    private void trace(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            err.println(t);
            for (StackTraceElement frame : t.getStackTrace()) {
                err.println("    at " + frame);
            }
        }
    }
}
