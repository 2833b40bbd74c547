package io.chagres.archive.query;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * The output of one of several tasks that run beside each other. It is kept until the task's turn, and printed at once
 * from then on, or once it is much. A task that prints much waits for its turn. Printed by the thread that calls
 * {@link #finish}, or by the task's while that one waits.
 */
public final class OrderedOutput extends OutputStream {
    private static final int MAX_KEPT_BYTES = 1 << 20;

    /** What is printed on by one task after the other. */
    public interface Target {
        /** Prints bytes. */
        void write(byte[] bytes, int offset, int length) throws IOException;

        /** Says whether nothing was printed yet. */
        boolean isEmpty();
    }

    private final Target out;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private boolean written;

    /** Goes before the first bytes, if another task printed any. */
    private byte @Nullable [] head;

    /** Goes before the next bytes. */
    private byte @Nullable [] separator;

    private final CountDownLatch turn = new CountDownLatch(1);
    private final FutureTask<Void> task;

    /** A task that prints. */
    @FunctionalInterface
    public interface Task {
        /** Does its work. */
        void run(OrderedOutput out) throws IOException;
    }

    /** Begins a task; tasks must be finished in the order in which they were begun. */
    public OrderedOutput(Target out, Executor threads, Task task) {
        this.out = out;
        this.task = new FutureTask<>(() -> {
            task.run(this);
            return null;
        });
        threads.execute(this.task);
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    /** Separates what is written next, if anything is, from all that is printed before it, if anything is. */
    public void separate(byte[] by) {
        if (written) {
            separator = by;
        } else {
            head = by;
        }
    }

    /** Prints bytes. */
    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        byte[] between = separator;
        if (between != null && length > 0) {
            separator = null;
            write(between, 0, between.length);
        }
        written |= length > 0;
        if (kept.size() + length <= MAX_KEPT_BYTES && turn.getCount() > 0) {
            kept.write(bytes, offset, length);
            return;
        }
        try {
            turn.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        printKept();
        print(bytes, offset, length);
    }

    /** Prints all of them. */
    @Override
    public void write(byte[] bytes) throws IOException {
        write(bytes, 0, bytes.length);
    }

    /** Gives the task its turn and waits for its end; runs it here when no thread has begun it. */
    public void finish() throws IOException {
        turn.countDown();
        task.run();
        try {
            task.get();
        } catch (ExecutionException e) {
            rethrow(Objects.requireNonNull(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        printKept();
    }

    private void printKept() throws IOException {
        if (kept.size() > 0) {
            byte[] bytes = kept.toByteArray();
            kept.reset();
            print(bytes, 0, bytes.length);
        }
    }

    private void print(byte[] bytes, int offset, int length) throws IOException {
        byte[] before = head;
        head = null;
        if (before != null && !out.isEmpty()) {
            out.write(before, 0, before.length);
        }
        out.write(bytes, offset, length);
    }

    private static void rethrow(Throwable cause) throws IOException {
        switch (cause) {
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(cause);
        }
    }
}
