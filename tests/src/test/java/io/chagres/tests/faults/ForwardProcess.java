package io.chagres.tests.faults;

import io.chagres.testkit.Patience;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A running {@code chagres forward}. */
final class ForwardProcess implements AutoCloseable {
    private static final long END_SECONDS = 120;

    private final Process process;
    private final Path log;

    private ForwardProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    static ForwardProcess start(Path log, String... arguments) {
        List<String> command = Chagres.command();
        command.add("forward");
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(Chagres.ONE_COMPILER);
        try {
            return new ForwardProcess(builder.start(), log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for its end and returns the exit code. */
    int awaitExit() {
        try {
            if (!Patience.ends(process, END_SECONDS)) {
                throw new AssertionError("forward did not end: " + said());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    boolean hasEnded() {
        return !process.isAlive();
    }

    /** Sends SIGTERM and returns the exit code. */
    int terminate() {
        process.toHandle().destroy();
        return awaitExit();
    }

    /** Sends a signal by name, such as STOP and CONT. */
    void signal(String name) {
        Program.ok("kill", "-" + name, Long.toString(process.pid()));
    }

    /** Sends SIGKILL and waits for the end. */
    void kill() {
        process.toHandle().destroyForcibly();
        awaitExit();
    }

    /** Returns what all forwarders with this log have said. */
    String said() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.toHandle().destroyForcibly();
    }
}
