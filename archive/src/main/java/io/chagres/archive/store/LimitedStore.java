package io.chagres.archive.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;

/**
 * Stands before a store and spreads puts over time. A put waits until those before it would have ended at the rate that
 * is allowed, and then goes at once. Reads are not limited. Safe for any thread.
 */
public final class LimitedStore extends ForwardingStore {
    /** A smaller put counts and does not wait, or a heartbeat would be late behind what is large. */
    private static final int SMALL_BYTES = 4096;

    /** After this time at the latest a put that waits asks again how much is allowed. */
    private static final long ASK_MS = 1000;

    private final LongSupplier bytesPerSecond;
    private final LongSupplier clockMs;
    /** Bytes that were put and would not have ended yet. */
    private double owedBytes;

    private long paidMs;
    private long liftedUntilMs = Long.MIN_VALUE;

    /**
     * Stands before a store.
     *
     * @param store is closed with it
     * @param bytesPerSecond what is allowed now; 0 for any rate
     * @param clockMs a clock that never goes back, in milliseconds
     */
    public LimitedStore(BlobStore store, LongSupplier bytesPerSecond, LongSupplier clockMs) {
        super(store);
        this.bytesPerSecond = bytesPerSecond;
        this.clockMs = clockMs;
        paidMs = clockMs.getAsLong();
    }

    /** Lifts the limit for some milliseconds: what waits is put at once. */
    public synchronized void lift(long ms) {
        long nowMs = clockMs.getAsLong();
        liftedUntilMs = Math.max(liftedUntilMs, nowMs + Math.min(ms, Long.MAX_VALUE - nowMs));
        notifyAll();
    }

    private synchronized void await(long bytes) throws IOException {
        long leftMs = leftMs();
        while (leftMs > 0 && bytes > SMALL_BYTES) {
            try {
                wait(Math.min(leftMs, ASK_MS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
            leftMs = leftMs();
        }
        owedBytes += bytes;
    }

    /** Returns the milliseconds until all before has ended, at the rate that is allowed now. */
    private long leftMs() {
        long nowMs = clockMs.getAsLong();
        long rate = bytesPerSecond.getAsLong();
        owedBytes = rate == 0 ? 0 : Math.max(0, owedBytes - (nowMs - paidMs) * (double) rate / 1000);
        paidMs = nowMs;
        return nowMs < liftedUntilMs || rate == 0 ? 0 : (long) Math.ceil(owedBytes * 1000 / rate);
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
