package io.chagres.ship.follow;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.state.SpanTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.ship.commit.CommitPipeline;
import io.chagres.ship.commit.RecentCommits;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes tables of the host's commits beside the loop that ships, so that nobody has to read many commits: of
 * every 4 MiB of their records, and after a thousand commits at the latest. A store that refuses one harms nothing: it
 * is tried again. Confined to the shipper's thread; only the writing runs on the executor.
 */
public final class CheckpointStep {
    private static final long RETRY_MS = 60_000;

    private final RecentCommits recent;
    private final CommitPipeline pipeline;
    private final Offload offload;
    private final BlobStore store;
    private final String hostId;
    private final Consumer<String> problems;
    private long retryAtMs = Long.MIN_VALUE;
    private boolean told;

    /** Prepares; {@code offload} runs nothing else, so that no drain waits for a table. */
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

    /** Takes the acknowledged commits, and starts to write a table when it is due; returns whether anything moved. */
    public boolean step(long nowMs) {
        for (CommitHeader next = pipeline.takeAcknowledged(); next != null; next = pipeline.takeAcknowledged()) {
            recent.applied(next);
        }
        boolean answered = offload.step();
        boolean due = recent.count() >= SpanTables.MAX_COMMITS || recent.recordBytes() >= SpanTables.RECORD_BYTES;
        if (!due || !offload.isIdle() || nowMs < retryAtMs) {
            return answered;
        }
        retryAtMs = nowMs + RETRY_MS;
        long seq = recent.lastSeq();
        long commits = recent.count();
        long recordBytes = recent.recordBytes();
        Map<Long, CommitHeader> headers = recent.copy();
        offload.start(
                () -> Optional.ofNullable(SpanTables.write(store, hostId, seq, headers)),
                fault -> {
                    fault.ifPresent(this::tell);
                    retryAtMs = Long.MIN_VALUE;
                    recent.forget(seq, commits, recordBytes);
                },
                this::refused);
        return true;
    }

    private void refused(IOException cause) {
        boolean lasts = cause instanceof CorruptArchiveException
                || (cause instanceof StoreException refusal && refusal.isLasting());
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
