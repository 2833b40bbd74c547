package io.chagres.tests.faults;

import io.chagres.testkit.LineWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Does to files what the programs around a shipper do. */
final class Workload {
    private static final Duration WRITE_EVERY = Duration.ofNanos(200_000);

    private Workload() {}

    /** Paces a writer; nothing is decided by how long it takes. */
    static void pause(Duration time) {
        LockSupport.parkNanos(time.toNanos());
    }

    /** Renames, replacing what has the name. */
    static void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Creates a file unless a writer was faster. */
    static void touch(Path file) throws IOException {
        Files.newByteChannel(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                .close();
    }

    /** Rotates a log by rename and create, to the name with a number. */
    static void rotate(Path log, Object number) throws IOException {
        rename(log, log.resolveSibling(log.getFileName() + "." + number));
        touch(log);
    }

    /** Writes as much as makes an object of its own. */
    static LineWriter large(LineWriter writer) {
        for (int i = 0; i < 200; i++) {
            writer.batch(200);
        }
        return writer;
    }

    /** Waits for a task and throws what it threw. */
    static <T> T join(Future<T> task) {
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /**
     * Writes a log while it is rotated, and ends when the rotations have ended.
     *
     * @param rotations how often
     * @param every time between two rotations
     * @param lingering lines that still go to the old file after each rotation, one each 0.2 ms
     */
    static void writeWhileRotating(
            FaultBench bench, LineWriter writer, Path log, int rotations, Duration every, int lingering)
            throws IOException {
        AtomicInteger rotated = new AtomicInteger();
        writer.open(log);
        Callable<Void> rotation = () -> {
            for (int i = 1; i <= rotations; i++) {
                pause(every);
                rotate(log, i);
                rotated.set(i);
            }
            return null;
        };
        Future<Void> rotator = bench.tasks().submit(rotation);
        int seen = 0;
        int left = lingering;
        while (!rotator.isDone() || seen != rotated.get()) {
            writer.lines(1);
            pause(WRITE_EVERY);
            if (seen != rotated.get() && left-- == 0) {
                seen = rotated.get();
                left = lingering;
                writer.open(log);
            }
        }
        writer.lines(lingering + 1).close();
        join(rotator);
    }
}
