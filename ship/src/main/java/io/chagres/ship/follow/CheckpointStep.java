package io.chagres.ship.follow;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.state.Outlines;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.ship.commit.CommitPipeline;
import io.chagres.ship.commit.RecentCommits;
import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes tables of the host beside the loop that ships, so that nobody has to read many commits: when the records
 * since the last one outweigh it, and after a thousand commits at the latest. A store that refuses one harms nothing:
 * it is tried again. Confined to the shipper's thread; only the writing runs on the executor.
 */
public final class CheckpointStep {
    /** With fewer bytes of records only commits are counted: an outline costs requests. */
    private static final long MIN_BYTES = 1 << 20;

    private static final long RETRY_MS = 60_000;

    /** What a file takes in the state that a table is written from. */
    private static final long FILE_BYTES = 1000;

    /** What the records of a new file have at least. */
    private static final long RECORD_BYTES = 64;

    private final RecentCommits recent;
    private final CommitPipeline pipeline;
    private final Offload offload;
    private final BlobStore store;
    private final String hostId;
    private final Consumer<String> problems;
    private long outlineBytes;
    private long retryAtMs = Long.MIN_VALUE;
    private boolean told;

    /** Prepares; {@code offload} runs nothing else, so that no drain waits for an outline. */
    public CheckpointStep(
            RecentCommits recent,
            CommitPipeline pipeline,
            Offload offload,
            BlobStore store,
            String hostId,
            Consumer<String> problems) {
        this.recent = recent;
        this.pipeline = pipeline;
        this.offload = offload;
        this.store = store;
        this.hostId = hostId;
        this.problems = problems;
    }

    /** Says whether none is being written. */
    public boolean isIdle() {
        return offload.isIdle();
    }

    /** Takes what was acknowledged, and starts to write an outline when it is due; returns whether anything moved. */
    public boolean step(long nowMs) {
        for (CommitHeader next = pipeline.takeAcknowledged(); next != null; next = pipeline.takeAcknowledged()) {
            recent.applied(next);
        }
        boolean answered = offload.step();
        boolean due =
                recent.count() >= Outlines.MAX_COMMITS || recent.recordBytes() >= Math.max(MIN_BYTES, outlineBytes);
        if (!due || !offload.isIdle() || nowMs < retryAtMs) {
            return answered;
        }
        retryAtMs = nowMs + RETRY_MS;
        long files = outlineBytes / Outlines.OUTLINE_BYTES + recent.recordBytes() / RECORD_BYTES;
        if (!hasRoom(files * FILE_BYTES)) {
            tell("it would take more memory than there is (--memory)");
            return answered;
        }
        long seq = recent.lastSeq();
        long commits = recent.count();
        long recordBytes = recent.recordBytes();
        Map<Long, CommitHeader> headers = recent.copy();
        offload.start(
                () -> Outlines.write(store, hostId, seq, headers),
                bytes -> {
                    outlineBytes = bytes;
                    retryAtMs = Long.MIN_VALUE;
                    recent.forget(seq, commits, recordBytes);
                },
                this::refused);
        return true;
    }

    /** Says whether the heap has room for more bytes; collects garbage where that may make room. */
    static boolean hasRoom(long bytes) {
        Runtime runtime = Runtime.getRuntime();
        if (runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory() < bytes) {
            System.gc();
        }
        return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory() >= bytes;
    }

    private void refused(IOException cause) {
        boolean lasts = cause instanceof CorruptArchiveException
                || cause instanceof StoreException refusal && refusal.isLasting();
        if (lasts) {
            tell(cause.getMessage());
        }
    }

    private void tell(@Nullable String cause) {
        if (!told) {
            told = true;
            problems.accept("the state of this host is not written beside its log (" + cause
                    + "); nothing is lost, but the next start reads more commits");
        }
    }
}
