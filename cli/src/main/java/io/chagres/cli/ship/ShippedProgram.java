package io.chagres.cli.ship;

import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.foreign.Errno;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.NotifySocket;
import io.chagres.linux.Orphans;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The program after {@code --}: it has our terminal, its end starts the drain, its exit code becomes ours. */
final class ShippedProgram {
    /** Variables that the launcher sets for the JVM; it keeps the user's X as CHAGRES_X_ORIGINAL, empty if unset. */
    private static final List<String> OF_THE_JVM = List.of("LC_ALL", "MALLOC_ARENA_MAX");

    private static final Duration LOOK_EVERY = Duration.ofMillis(20);
    private static final Pattern ERRNO = Pattern.compile("error[:=] ?(\\d+)");

    private final Process process;

    private ShippedProgram(Process process) {
        this.process = process;
    }

    /**
     * Starts the program.
     *
     * @param onExit runs on a thread of the JDK once the program has ended; what it left behind may run still
     */
    static ShippedProgram start(List<String> command, Runnable onExit) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        restore(builder.environment());
        Orphans.adopt();
        try {
            Process process = builder.start();
            var _ = process.onExit().thenRunAsync(onExit); // it waits
            return new ShippedProgram(process);
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCode.FAILED,
                    "cannot start " + command.getFirst() + ": " + reason(e)
                            + ". What was there before is shipped up to the last acknowledgement; correct the command"
                            + " after -- and start again.");
        }
    }

    /** Puts the user's values back where the launcher replaced them, and takes out what is meant for us alone. */
    static void restore(Map<String, String> environment) {
        environment.keySet().removeAll(NotifySocket.VARIABLES);
        for (String name : OF_THE_JVM) {
            String original = environment.remove("CHAGRES_" + name + "_ORIGINAL");
            if (original != null && original.isEmpty()) {
                environment.remove(name);
            } else if (original != null) {
                environment.put(name, original);
            }
        }
    }

    /** Sends SIGTERM and waits for the program to end, but not longer than that. Safe for any thread. */
    void terminate(Duration patience) {
        process.destroy();
        try {
            process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets go of processes that the program left behind and that have ended. Safe for any thread. */
    void reap() {
        Orphans.reap(process.pid());
    }

    /** Returns what the program and its children left behind and still runs. Safe for any thread. */
    List<ProcessHandle> descendants() {
        reap();
        try (Stream<ProcessHandle> all = ProcessHandle.current().descendants()) {
            return all.filter(each -> each.pid() != process.pid()).toList();
        }
    }

    /**
     * Waits for what the program left behind, but not longer than that. Safe for any thread.
     *
     * @return what still runs
     */
    List<ProcessHandle> awaitDescendants(Duration patience) {
        long untilMs = MonotonicClock.nowMs() + patience.toMillis();
        List<ProcessHandle> left = descendants();
        while (!left.isEmpty() && MonotonicClock.nowMs() < untilMs) {
            LockSupport.parkNanos(LOOK_EVERY.toNanos());
            left = descendants();
        }
        return left;
    }

    /** Returns whether the program still runs. */
    boolean running() {
        return process.isAlive();
    }

    /** Waits for the program and returns its exit code. */
    int await() {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.FAILED;
        }
    }

    private static String reason(IOException e) {
        String message = String.valueOf(e.getMessage());
        Matcher errno = ERRNO.matcher(message); // "Exec failed, error: 2 (No such file or directory) "
        return errno.find() ? Errno.message(Integer.parseInt(errno.group(1))) : message;
    }
}
