package io.chagres.tests.faults;

import io.chagres.testkit.Await;
import io.chagres.testkit.Patience;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * A running {@code chagres ship --json}: what it says, and what can be done to it from outside. Where that is no more
 * than its end, it runs in this JVM.
 */
final class ShipProcess implements AutoCloseable {
    private static final long END_SECONDS = 330; // longer than it drains

    /** This number of statuses after an event it was collected and read. */
    private static final int UNTIL_SEEN = 3;

    private final Process process;
    private final Runnable end;
    private final Path errors;
    private final List<ShipStatusLine> statuses = new ArrayList<>();
    private final StringBuffer noise = new StringBuffer();
    private final Thread reader;

    private ShipProcess(Process process, Runnable end, Path errors) {
        this.process = process;
        this.end = end;
        this.errors = errors;
        reader = Thread.ofPlatform().daemon().start(this::readStatuses);
    }

    static ShipProcess start(List<String> command, Map<String, String> environment, Path errors) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        try {
            Process process = builder.redirectError(errors.toFile()).start();
            // Process.destroy would close our end of its output
            return new ShipProcess(process, () -> process.toHandle().destroy(), errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs it in this JVM, for a scenario that does nothing to the process. */
    static ShipProcess here(List<String> arguments, Path errors) {
        try {
            CommandHere command = CommandHere.start(arguments, errors);
            return new ShipProcess(command, command::destroy, errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readStatuses() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("{")) {
                    noise.append(line).append('\n');
                    continue;
                }
                synchronized (statuses) {
                    statuses.add(new ShipStatusLine(line));
                }
            }
        } catch (IOException e) {
            noise.append(e);
        }
    }

    /** Waits until it has scanned everything for the first time: from here on it follows events. */
    ShipProcess awaitScanned() {
        return awaitStatus("the first scan is done", status -> !status.scanning());
    }

    /**
     * Waits until everything written before this call is acknowledged: two statuses in a row say so, the first of
     * them after events of before the call have surely been seen and collected.
     */
    ShipProcess awaitSettled() {
        return awaitTwice("nothing is at risk", ShipStatusLine::settled);
    }

    /** Waits until all that is at risk is zeros that may not be data yet. */
    ShipProcess awaitHeldBackOnly() {
        return awaitTwice(
                "only zeros are at risk",
                status -> status.riskBytes() > 0 && status.riskBytes() == status.number("heldBackBytes"));
    }

    private ShipProcess awaitTwice(String what, Predicate<ShipStatusLine> condition) {
        int first = statuses().size();
        return await(what, () -> {
            List<ShipStatusLine> now = statuses();
            return now.size() >= first + UNTIL_SEEN + 2
                    && condition.test(now.get(now.size() - 1))
                    && condition.test(now.get(now.size() - 2));
        });
    }

    /** Waits for a status, also one that was there already. */
    ShipProcess awaitStatus(String what, Predicate<ShipStatusLine> condition) {
        return await(what, () -> statuses().stream().anyMatch(condition));
    }

    /** Waits for a status that comes after this call. */
    ShipProcess awaitNewStatus(String what, Predicate<ShipStatusLine> condition) {
        int first = statuses().size();
        return await(what, () -> statuses().stream().skip(first).anyMatch(condition));
    }

    /** Waits until standard error holds a text. */
    ShipProcess awaitError(String text) {
        return await("standard error says " + text, () -> errors().contains(text));
    }

    private ShipProcess await(String what, java.util.function.BooleanSupplier condition) {
        try {
            Await.until(what, () -> {
                if (condition.getAsBoolean()) {
                    return true;
                }
                if (!process.isAlive()) {
                    throw new AssertionError("ship ended with " + process.exitValue() + " before: " + what);
                }
                return false;
            });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "\n" + report(), e);
        }
        return this;
    }

    List<ShipStatusLine> statuses() {
        synchronized (statuses) {
            return List.copyOf(statuses);
        }
    }

    ShipStatusLine last() {
        return statuses().getLast();
    }

    long pid() {
        return process.pid();
    }

    boolean running() {
        return process.isAlive();
    }

    /** Sends SIGTERM and returns the exit code of the drain. */
    int terminate() {
        end.run();
        return awaitExit();
    }

    /** Ends it with SIGTERM; everything must have been shipped. */
    void drain() {
        int code = terminate();
        if (code != 0) {
            throw new AssertionError("the drain ended with exit code " + code + "\n" + report());
        }
    }

    /** Sends SIGKILL and waits for the end. */
    void kill() {
        process.toHandle().destroyForcibly();
        awaitExit();
    }

    /** Sends a signal by name, such as STOP and CONT. */
    void signal(String name) {
        io.chagres.testkit.Program.ok("kill", "-" + name, Long.toString(pid()));
    }

    /** Waits for it to end by itself and returns the exit code. */
    int awaitExit() {
        try {
            if (!Patience.ends(process, END_SECONDS)) {
                dumpThreads();
                process.destroyForcibly();
                throw new AssertionError("ship did not end\n" + report());
            }
            reader.join();
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private void dumpThreads() {
        if (process instanceof CommandHere) {
            Thread.getAllStackTraces()
                    .forEach((thread, stack) ->
                            noise.append(thread).append(Arrays.toString(stack)).append('\n'));
            return;
        }
        signal("QUIT"); // the JVM writes its threads' stacks to standard output
        Await.until("a thread dump", () -> noise.indexOf("JNI global") >= 0);
    }

    String errors() {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Its messages, for a test's failure. */
    String report() {
        List<ShipStatusLine> all = statuses();
        return "status: " + (all.isEmpty() ? "none" : all.getLast().json()) + "\nstandard error:\n" + errors()
                + (noise.isEmpty() ? "" : "standard output:\n" + noise);
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
