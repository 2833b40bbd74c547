package io.chagres.mount;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Loads blocks from the archive, each once however many wait for it. Bytes that cannot be had become a damage of their
 * block, said once; a store that does not answer is asked again until the reader's time is over. Safe for any thread.
 */
final class BlockLoads {
    private static final int MAX_AHEAD = 16;
    private static final int MAX_REPORTS = 10_000;
    private static final long RETRY_MS = 5_000;

    /** Identifies what was said. */
    private record Report(HostTree host, long version, long position) {}

    private final MountContext context;
    private final ReadRetries patience;
    private final BlockCache cache;
    private final ReaderPool readers;
    private final HostReload reload;
    private final Map<BlockCache.Key, CompletableFuture<Void>> loading = new HashMap<>();
    private final Set<Report> reported = new HashSet<>();
    private final AtomicInteger ahead = new AtomicInteger();
    private final AtomicLong loaded = new AtomicLong();

    /** Loads a host again after a compaction. */
    @FunctionalInterface
    interface HostReload {
        /** Returns whether there was something new. */
        boolean ifCompacted(HostTree host) throws IOException;
    }

    BlockLoads(MountContext context, ReadRetries patience, BlockCache cache, ReaderPool readers, HostReload reload) {
        this.context = context;
        this.patience = patience;
        this.cache = cache;
        this.readers = readers;
        this.reload = reload;
    }

    /** Loads what there is of a block, or joins who does already; that may miss what was appended meanwhile. */
    CompletableFuture<Void> load(BlockCache.Key key, long deadlineMs) {
        return load(key, deadlineMs, () -> {});
    }

    /** Loads a block that nobody waits for, unless many are being loaded. */
    void tryAhead(BlockCache.Key key, long deadlineMs) {
        if (ahead.get() < MAX_AHEAD) {
            ahead.incrementAndGet();
            var _ = load(key, deadlineMs, ahead::decrementAndGet);
        }
    }

    /** Returns how many blocks were loaded. */
    long loaded() {
        return loaded.get();
    }

    private CompletableFuture<Void> load(BlockCache.Key key, long deadlineMs, Runnable atEnd) {
        CompletableFuture<Void> made = new CompletableFuture<>();
        synchronized (loading) {
            CompletableFuture<Void> there = loading.putIfAbsent(key, made);
            if (there != null) {
                atEnd.run();
                return there;
            }
        }
        try {
            context.threads().execute(() -> run(key, deadlineMs, made, atEnd));
        } catch (RejectedExecutionException e) {
            end(key, made, e, atEnd);
        }
        return made;
    }

    private void run(BlockCache.Key key, long deadlineMs, CompletableFuture<Void> made, Runnable atEnd) {
        Throwable failure = new IllegalStateException("a block could not be loaded");
        try {
            fill(key, deadlineMs);
            failure = null;
        } catch (IOException e) {
            failure = e;
        } finally {
            end(key, made, failure, atEnd);
        }
    }

    private void end(BlockCache.Key key, CompletableFuture<Void> made, @Nullable Throwable failure, Runnable atEnd) {
        synchronized (loading) {
            loading.remove(key);
        }
        atEnd.run();
        if (failure == null) {
            made.complete(null);
        } else {
            made.completeExceptionally(failure);
        }
    }

    private void fill(BlockCache.Key key, long deadlineMs) throws IOException {
        HostTree.VersionRange span = key.host().span(key.version());
        if (span == null) {
            throw new IOException("version " + key.version() + " is gone");
        }
        long end = key.start() + Math.min(span.end() - key.start(), BlockCache.BLOCK_BYTES); // never beyond 2^63
        BlockCache.Block block = cache.pinToFill(key);
        try {
            List<BlockCache.Damage> damages = new ArrayList<>();
            long at = Math.max(span.start(), key.start() + block.filled());
            loaded.addAndGet(at < end ? 1 : 0);
            while (at < end) {
                long from = at;
                HostState seen = key.host().state();
                MemorySegment target = block.memory().asSlice(at - key.start(), end - at);
                try {
                    at += patience.ask(deadlineMs, () -> read(key, from, target));
                } catch (CorruptArchiveException | ObjectRefusedException e) {
                    boolean reloaded = patience.ask(deadlineMs, () -> reload.ifCompacted(key.host()));
                    if (reloaded || key.host().state() != seen) {
                        continue; // another reader may have found the compaction first
                    }
                    HostTree.VersionRange piece = key.host().pieceAt(key.version(), at);
                    at = Math.min(end, piece.end());
                    damages.add(new BlockCache.Damage((int) (from - key.start()), (int) (at - key.start())));
                    report(key, piece, e);
                }
            }
            long retryMs = context.clockMs().getAsLong() + RETRY_MS;
            cache.filled(block, (int) (end - key.start()), damages, retryMs);
        } finally {
            cache.unpin(block);
        }
    }

    /** Reads from a position on; where damaged bytes follow it returns how many good ones there are. */
    private int read(BlockCache.Key key, long position, MemorySegment target) throws IOException {
        FileVersion version = key.host().version(key.version());
        if (version == null || position < version.startPosition()) {
            throw new CorruptArchiveException(
                    "the log", version == null ? "the version is gone" : "bytes before were expired since");
        }
        ReaderPool.Loan loan = readers.take(key.host());
        try {
            int got = loan.reader().read(version, position, target);
            if (got <= 0) {
                throw new CorruptArchiveException("the log", "the version ends before");
            }
            return got;
        } finally {
            readers.give(loan);
        }
    }

    private void report(BlockCache.Key key, HostTree.VersionRange piece, IOException cause) {
        synchronized (reported) {
            boolean first =
                    reported.size() < MAX_REPORTS && reported.add(new Report(key.host(), key.version(), piece.start()));
            if (!first) {
                return;
            }
        }
        Pathname path = key.host().pathOf(key.version());
        context.listener()
                .message(key.host().name() + ":" + path + ": bytes " + piece.start() + " to " + piece.end()
                        + " cannot be read, who asks for them gets an I/O error: " + cause.getMessage());
    }
}
