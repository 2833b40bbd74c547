package io.chagres.archive.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;

/**
 * Stands before a store and spreads over time what is put into it: a put waits until those before it would have ended
 * at the rate that is allowed, and goes at once then. What is read is not limited. Safe for any thread.
 */
public final class LimitedStore extends ForwardingStore {
    /** A smaller put counts and does not wait, or a heartbeat would be late behind what is large. */
    private static final int SMALL_BYTES = 4096;

    private final long bytesPerSecond;
    private final LongSupplier clockMs;
    private long freeAtMs;
    private long liftedUntilMs = Long.MIN_VALUE;

    /**
     * Stands before a store.
     *
     * @param store is closed with it
     * @param bytesPerSecond at least 1
     * @param clockMs a clock that never goes back, in milliseconds
     */
    public LimitedStore(BlobStore store, long bytesPerSecond, LongSupplier clockMs) {
        super(store);
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException("a rate is at least 1 byte a second");
        }
        this.bytesPerSecond = bytesPerSecond;
        this.clockMs = clockMs;
        freeAtMs = clockMs.getAsLong();
    }

    /** Lifts the limit for some milliseconds: what waits is put at once. */
    public synchronized void lift(long ms) {
        long nowMs = clockMs.getAsLong();
        liftedUntilMs = Math.max(liftedUntilMs, nowMs + Math.min(ms, Long.MAX_VALUE - nowMs));
        notifyAll();
    }

    private synchronized void await(long bytes) throws IOException {
        long leftMs = bytes <= SMALL_BYTES ? 0 : leftMs();
        while (leftMs > 0) {
            try {
                wait(leftMs);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
            leftMs = leftMs();
        }
        freeAtMs = Math.max(freeAtMs, clockMs.getAsLong()) + Math.ceilDiv(bytes * 1000, bytesPerSecond);
    }

    private long leftMs() {
        long nowMs = clockMs.getAsLong();
        return nowMs < liftedUntilMs ? 0 : Math.max(0, freeAtMs - nowMs);
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        await(content.byteSize());
        return super.putIfAbsent(key, content);
    }

    @Override
    public BlobWriter create(String key) throws IOException {
        return new ForwardingWriter(super.create(key)) {
            @Override
            public void commit() throws IOException {
                await(bytes());
                super.commit();
            }
        };
    }
}
