package io.chagres.tests.faults;

import io.chagres.cli.Main;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A command that a thread of this JVM runs. It looks like a process, and starts sooner by half a second of a core. It
 * hears of the end as of SIGTERM; it can neither be killed nor get another signal.
 */
final class CommandHere extends Process {
    private static final long LEAVE_SECONDS = 10;

    private final InputStream said;
    private final CompletableFuture<Runnable> stops = new CompletableFuture<>();
    private final CompletableFuture<Void> asked = new CompletableFuture<>();
    private final CompletableFuture<Integer> code;

    private CommandHere(List<String> arguments, Path errors) throws IOException {
        Pipe pipe = Pipe.open();
        said = Channels.newInputStream(pipe.source());
        var _ = stops.thenAcceptBoth(asked, (stop, _) -> stop.run());
        code = CompletableFuture.supplyAsync(
                () -> run(arguments, Channels.newOutputStream(pipe.sink()), errors), task -> Thread.ofPlatform()
                        .name(arguments.getFirst() + " here")
                        .daemon()
                        .start(task));
    }

    /** Starts one, whose standard error goes to a file. */
    static CommandHere start(List<String> arguments, Path errors) throws IOException {
        Files.createFile(errors); // as a process has it before it begins
        return new CommandHere(arguments, errors);
    }

    private int run(List<String> arguments, OutputStream pipe, Path errors) {
        try (OutputStream out = pipe;
                OutputStream err = Files.newOutputStream(errors)) {
            return Main.run(arguments.toArray(String[]::new), out, err, stops::complete);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public InputStream getInputStream() {
        return said;
    }

    @Override
    public InputStream getErrorStream() {
        return InputStream.nullInputStream();
    }

    @Override
    public OutputStream getOutputStream() {
        return OutputStream.nullOutputStream();
    }

    @Override
    public int waitFor() {
        return code.join();
    }

    @Override
    public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
        try {
            code.handle((_, _) -> true).get(timeout, unit);
            return true;
        } catch (TimeoutException _) {
            return false;
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public int exitValue() {
        if (!code.isDone()) {
            throw new IllegalThreadStateException();
        }
        return code.join();
    }

    @Override
    public boolean isAlive() {
        return !code.isDone();
    }

    @Override
    public void destroy() {
        asked.complete(null);
    }

    /** Ends it too, but does not wait for one that can no longer drain. */
    @Override
    public Process destroyForcibly() {
        destroy();
        try {
            waitFor(LEAVE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return this;
    }

    @Override
    public Stream<ProcessHandle> descendants() {
        return Stream.empty();
    }

    @Override
    public ProcessHandle toHandle() {
        throw new UnsupportedOperationException("no process: the scenario has to start one");
    }
}
