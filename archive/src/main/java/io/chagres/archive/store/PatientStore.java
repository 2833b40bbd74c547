package io.chagres.archive.store;

import io.chagres.linux.MonotonicClock;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a store that says now and then that it has too much to do, and asks again, later and later, as long as
 * it answers anything in between: throttling says nothing of what is stored. Other refusals are passed on. Safe for any
 * thread.
 */
public final class PatientStore extends ForwardingStore {
    /** Without any answer for so long, in milliseconds, it is given up. */
    static final long PATIENCE_MS = 300_000;

    private static final long FIRST_DELAY_MS = 500;
    private static final long MAX_DELAY_MS = 20_000;

    /** Passes time. */
    interface Time {
        /** Returns a time that never goes back, in milliseconds. */
        long nowMs();

        /** Waits some milliseconds, or until the thread is interrupted. */
        void pause(long ms);
    }

    private static final Time REAL = new Time() {
        @Override
        public long nowMs() {
            return MonotonicClock.nowMs();
        }

        @Override
        public void pause(long ms) {
            LockSupport.parkNanos(ms * 1_000_000);
        }
    };

    /** Asks the store. */
    private interface Question<T> {
        T ask() throws IOException;
    }

    private final Time time;
    private final AtomicLong answeredMs;

    PatientStore(BlobStore store, Time time) {
        super(store);
        this.time = time;
        answeredMs = new AtomicLong(time.nowMs());
    }

    /**
     * Returns a patient store; a directory, which never throttles, as it is.
     *
     * @param store is closed with it
     */
    public static BlobStore of(BlobStore store) {
        return store instanceof DirectoryStore ? store : new PatientStore(store, REAL);
    }

    private <T> T ask(Question<T> question) throws IOException {
        for (long delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(MAX_DELAY_MS, 2 * delayMs)) {
            try {
                T answer = question.ask();
                answeredMs.set(time.nowMs());
                return answer;
            } catch (StoreException e) {
                if (e.kind() != StoreException.Kind.BUSY || time.nowMs() - answeredMs.get() >= PATIENCE_MS) {
                    throw e;
                }
                pause(delayMs, e);
            }
        }
    }

    private void pause(long ms, StoreException cause) throws StoreException {
        time.pause(ms);
        if (Thread.currentThread().isInterrupted()) {
            throw cause;
        }
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        return ask(() -> store.putIfAbsent(key, content));
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        return ask(() -> store.get(key, offset, target));
    }

    @Override
    public long size(String key) throws IOException {
        return ask(() -> store.size(key));
    }

    @Override
    public Iterable<BlobInfo> list(String prefix, @Nullable String afterKey) throws IOException {
        return ask(() -> store.list(prefix, afterKey));
    }

    @Override
    public @Nullable BlobPage page(String prefix, String afterKey) throws IOException {
        BlobPage[] shown = new BlobPage[1];
        ask(() -> {
            shown[0] = store.page(prefix, afterKey);
            return shown;
        });
        return shown[0];
    }

    @Override
    public @Nullable BlobInfo first(String prefix) throws IOException {
        BlobInfo[] found = new BlobInfo[1];
        ask(() -> {
            found[0] = store.first(prefix);
            return found;
        });
        return found[0];
    }

    @Override
    public List<String> children(String prefix) throws IOException {
        return ask(() -> store.children(prefix));
    }

    @Override
    public long nowMs() throws IOException {
        return ask(store::nowMs);
    }

    @Override
    public void delete(String key) throws IOException {
        ask(() -> {
            store.delete(key);
            return key;
        });
    }
}
