package io.chagres.ship;

import io.chagres.archive.LogRecord;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One data object on its way to the store: a range of one version, uploaded by a worker. The shipper's thread makes
 * it and takes its result; the worker only fills in the answer.
 */
final class ObjectJob {
    final Tail tail;
    final long start;
    final long length;
    long retryAtMs;
    boolean running;
    /** When its answer was first looked at; 0 before. */
    long answeredMs;

    private volatile boolean answered;
    private volatile LogRecord.@Nullable ObjectRun result;
    private volatile @Nullable Exception failure;

    ObjectJob(Tail tail, long start, long length) {
        this.tail = tail;
        this.start = start;
        this.length = length;
    }

    /** Called by the worker: the object is durable, or null when the file had no such bytes. */
    void succeed(LogRecord.@Nullable ObjectRun run) {
        result = run;
        failure = null;
        answered = true;
    }

    /** Called by the worker. */
    void fail(Exception cause) {
        failure = cause;
        answered = true;
    }

    boolean answered() {
        return answered;
    }

    LogRecord.@Nullable ObjectRun result() {
        return result;
    }

    @Nullable
    IOException failure() {
        if (failure instanceof RuntimeException defect) {
            throw defect;
        }
        return (IOException) failure;
    }

    /** Makes ready for another try. */
    void again() {
        answered = false;
        running = false;
        answeredMs = 0;
        failure = null;
        result = null;
    }
}
