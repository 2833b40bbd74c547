package io.chagres.cli.mount;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.OutputOptions;
import io.chagres.linux.NotifySocket;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs this program once more, in the background: in a session of its own, so that neither the terminal nor Ctrl-C ends
 * it, and with messages to a file, so that no pipe of the caller stays open. Confined to one thread.
 */
final class BackgroundProcess {
    private static final Path SETSID = Path.of("/usr/bin/setsid");

    private final Path log;
    private final PrintStream err;

    /**
     * Prepares it.
     *
     * @param log gets its messages appended
     * @param err gets them too if it does not become ready
     */
    BackgroundProcess(Path log, PrintStream err) {
        this.log = log;
        this.err = err;
    }

    /**
     * Starts it and waits until it is ready.
     *
     * @param command the first argument of this program
     * @param option goes behind it
     * @return the first line it writes to standard output
     * @throws CommandFailure when it ends before that, with its exit code
     */
    String start(String command, String option) throws IOException {
        Path folder = log.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        long before = Files.exists(log) ? Files.size(log) : 0;
        ProcessBuilder builder = new ProcessBuilder(commandLine(command, option));
        builder.environment().keySet().removeAll(NotifySocket.VARIABLES);
        builder.redirectInput(new File("/dev/null"));
        builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        Process process = builder.start();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            String line = out.readLine();
            if (line != null) {
                return line;
            }
        }
        int code = awaited(process);
        String said = said(before).strip();
        err.println(said);
        throw new CommandFailure(
                code == ExitCode.DONE ? ExitCode.FAILED : code,
                "nothing is mounted" + (said.isEmpty() ? "" : ", see above"));
    }

    /** Returns the command line of this process, with an option behind its command. */
    private static List<String> commandLine(String command, String option) throws IOException {
        String[] own =
                new String(Files.readAllBytes(Path.of("/proc/self/cmdline")), StandardCharsets.UTF_8).split("\0");
        List<String> line = new ArrayList<>();
        if (Files.isExecutable(SETSID)) {
            line.add(SETSID.toString());
        }
        boolean isProgram = false;
        boolean found = false;
        for (String argument : own) {
            if (found && argument.equals(OutputOptions.QUIET)) {
                continue; // its first line is for this process
            }
            line.add(argument);
            if (isProgram && !found && argument.equals(command)) {
                line.add(option);
                found = true;
            }
            isProgram |= argument.endsWith(CommandContext.PROGRAM);
        }
        if (!found) {
            throw new CommandFailure(ExitCode.FAILED, "this process cannot start another one like it; use " + option);
        }
        return line;
    }

    private static int awaited(Process process) {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.FAILED;
        }
    }

    private String said(long from) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            byte[] bytes = new byte[Math.clamp(file.length() - from, 0, 1 << 16)];
            file.seek(from);
            file.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }
}
