package io.chagres.ship.file;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.HostRows;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Gives the rows of a log to others on a worker, in their order: the worker keeps some while the caller decodes those
 * that follow. An exception of the worker is thrown by a later call. Confined to one thread.
 */
public final class RelayedRows implements HostRows {
    private static final int BATCH_ROWS = 1024;

    private record Row(String object, LogRecord record, long timeMs) {}

    private final HostRows to;
    private final Executor worker;
    private final int batchRows;
    private List<Row> next = new ArrayList<>();
    private List<Row> taken = new ArrayList<>();
    private @Nullable FutureTask<Void> task;

    /** Relays to others, which the caller leaves alone from the first row until {@link #settle}. */
    public RelayedRows(HostRows to, Executor worker) {
        this(to, worker, BATCH_ROWS);
    }

    RelayedRows(HostRows to, Executor worker, int batchRows) {
        this.to = to;
        this.worker = worker;
        this.batchRows = batchRows;
    }

    @Override
    public void take(String object, LogRecord record, long timeMs) throws CorruptArchiveException {
        next.add(new Row(object, record, timeMs));
        if (next.size() == batchRows) {
            relay();
        }
    }

    private void relay() throws CorruptArchiveException {
        await();
        List<Row> batch = next;
        next = taken;
        taken = batch;
        FutureTask<Void> begun = new FutureTask<>(() -> {
            for (Row row : batch) {
                to.take(row.object, row.record, row.timeMs);
            }
            batch.clear();
            return null;
        });
        task = begun;
        worker.execute(begun);
    }

    /** Waits for the worker, or does its task where it has not begun. */
    private void await() throws CorruptArchiveException {
        FutureTask<Void> last = task;
        task = null;
        if (last != null) {
            last.run();
        }
        boolean interrupted = false;
        while (last != null) {
            try {
                last.get();
                last = null;
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException e) {
                switch (e.getCause()) {
                    case CorruptArchiveException damage -> throw damage;
                    case RuntimeException defect -> throw defect;
                    case Error error -> throw error;
                    case null, default -> throw new IllegalStateException(e);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void settle() throws CorruptArchiveException {
        if (!next.isEmpty()) {
            relay();
        }
        await();
        to.settle();
    }

    @Override
    public long lengthBytes(long versionId) {
        return to.lengthBytes(versionId);
    }

    @Override
    public long lastVersionId() {
        return to.lastVersionId();
    }

    @Override
    public long cutVersions() {
        return to.cutVersions();
    }

    @Override
    public void restart() {
        try {
            await();
        } catch (CorruptArchiveException e) {
            // it was found on the way to what counts no longer
        }
        next.clear();
        taken.clear();
        to.restart();
    }
}
