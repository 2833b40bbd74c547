package io.chagres.cli.command;

import io.chagres.archive.store.AnswerTimeout;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --timeout} of what reads and maintains archives: how long the store may be away. */
public final class TimeoutOption {
    /** One for each question: it costs next to nothing, and its wait ends by an interrupt. */
    public static final Executor WAITING = Thread::startVirtualThread;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            description = "Give up when the store has answered nothing for this long; until then it is asked again,"
                    + " later and later (default: 5m, or 5s while it has never answered this command).")
    @Nullable
    Duration timeout;

    /**
     * Opens a store to read it, which must exist; what it has to say goes to standard error.
     *
     * @throws CommandFailure when the text is no time
     */
    public BlobStore open(String store, CommandContext context) throws IOException {
        return BlobStores.open(
                store, patience(context.clock()), WAITING, note -> context.err().println("chagres: " + note));
    }

    /**
     * Runs what asks a store and has no patience of its own, for as long as there is time.
     *
     * @throws IOException what it throws, or that the time is over; then it is left to itself
     */
    public <T> T within(CommandContext context, Callable<T> asking) throws IOException {
        long leftMs = leftMs(context.clock());
        FutureTask<T> task = new FutureTask<>(asking);
        WAITING.execute(task);
        try {
            return task.get(leftMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            task.cancel(true);
            throw new IOException("no answer within --timeout", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failed) {
                throw failed;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Returns how much of the time is left, in milliseconds, at least 1. */
    public long leftMs(InstantSource clock) throws CommandFailure {
        AnswerTimeout patience = patience(clock);
        return Math.max(1, patience.timeoutMs() - patience.spentMs());
    }

    private AnswerTimeout patience(InstantSource clock) throws CommandFailure {
        if (timeout == null) {
            return AnswerTimeout.USUAL;
        }
        if (timeout.toMillis() < 1) {
            throw new CommandFailure(ExitCode.USAGE, "--timeout is at least 1ms");
        }
        return AnswerTimeout.of(timeout.toMillis()).after(sinceStartMs(clock));
    }

    /** Returns how long ago this process started, in milliseconds; 0 if the system does not say. */
    private static long sinceStartMs(InstantSource clock) {
        return ProcessHandle.current()
                .info()
                .startInstant()
                .map(start -> Duration.between(start, clock.instant()).toMillis())
                .orElse(0L);
    }
}
