package io.chagres.archive.store;

import io.chagres.linux.MonotonicClock;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a store in a cloud, and alone decides how long and how often it is asked: vendors' clients ask once. If
 * the store is too busy for a question, or nobody answers it, it asks again, later and later and no sooner than the
 * store says, as long as any question was answered within the {@link AnswerTimeout}. No call waits longer than that if
 * there are threads: then the caller is free, and the thread that still waits for the answer is interrupted. Other
 * refusals are answers, and passed on. Safe for any thread.
 */
public final class PatientStore extends ForwardingStore implements ArchiveTier {
    private static final long FIRST_DELAY_MS = 100;
    private static final long MAX_DELAY_MS = 20_000;

    /** Trouble that is over sooner is not worth a word. */
    private static final long QUIET_MS = 2_000;

    private static final long TELL_MS = 30_000;

    /** So long after it was given up a caller hears so at once: work beside each other ends together. */
    private static final long GIVEN_UP_MS = 1_000;

    /** A slower put is taken for one that hangs. */
    private static final long SLOWEST_BYTES_PER_MS = 256;

    /** The most bytes of one answer, on the heap. */
    private static final int MAX_GET_BYTES = 8 << 20;

    private static final long NEVER = Long.MIN_VALUE;

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

    private final ArchiveTier tier;
    private final AnswerTimeout patience;
    /** Wait for answers; null where the caller waits by itself. */
    private final @Nullable Executor threads;

    private final Time time;
    private final Consumer<String> notes;
    private boolean everAnswered;
    private long silentSinceMs;
    private long givenUpMs = NEVER;
    private long toldMs = NEVER;
    private @Nullable StoreException lastFailure;

    PatientStore(
            BlobStore store, AnswerTimeout patience, @Nullable Executor threads, Consumer<String> notes, Time time) {
        super(store);
        tier = ArchiveTier.of(store);
        this.patience = patience;
        this.threads = threads;
        this.notes = notes;
        this.time = time;
        silentSinceMs = patience.spentMs() == 0 ? NEVER : time.nowMs() - patience.spentMs();
    }

    /**
     * Returns a patient store; a directory, which the kernel answers for, as it is.
     *
     * @param store is closed with it
     * @param threads wait for answers, one for each question, so that a call ends in time whatever the vendor's client
     *     does; null where the caller may wait as long as that
     * @param notes hears of waits, on any thread
     */
    public static BlobStore of(
            BlobStore store, AnswerTimeout patience, @Nullable Executor threads, Consumer<String> notes) {
        return store instanceof DirectoryStore ? store : new PatientStore(store, patience, threads, notes, REAL);
    }

    private <T> T ask(long bytes, Question<T> question) throws IOException {
        long allowedMs = bytes / SLOWEST_BYTES_PER_MS;
        long delayMs = FIRST_DELAY_MS;
        StoreException before = null;
        while (true) {
            long beganMs = begin();
            try {
                T answer = threads == null ? question.ask() : bounded(threads, leftMs(beganMs) + allowedMs, question);
                answered();
                return answer;
            } catch (StoreException e) {
                if (!e.isAway()) {
                    answered();
                    throw e;
                }
                if (before == null || !(e.getCause() instanceof TimeoutException)) {
                    before = e; // else it is the last question, which has a moment: that says nothing
                }
                pause(refused(before, beganMs, delayMs));
            } catch (NoSuchBlobException e) {
                answered();
                throw e;
            }
            delayMs = Math.min(MAX_DELAY_MS, 2 * delayMs);
        }
    }

    /** Returns the time, unless it was just given up. */
    private synchronized long begin() throws StoreException {
        long nowMs = time.nowMs();
        if (givenUpMs != NEVER && lastFailure != null) {
            if (nowMs - givenUpMs < GIVEN_UP_MS) {
                throw lastFailure;
            }
            givenUpMs = NEVER;
            silentSinceMs = NEVER;
        }
        return nowMs;
    }

    /** Returns how long a question may take that begins now. */
    private synchronized long leftMs(long beganMs) {
        long sinceMs = silentSinceMs == NEVER ? beganMs : silentSinceMs;
        return Math.max(1, sinceMs + patience.timeoutMs() - beganMs);
    }

    private synchronized void answered() {
        everAnswered = true;
        silentSinceMs = NEVER;
        givenUpMs = NEVER;
        if (toldMs != NEVER) {
            toldMs = NEVER;
            notes.accept(name() + " answers again");
        }
    }

    /**
     * Notes that a question had no answer, and returns when to ask again, in milliseconds from now.
     *
     * @throws StoreException when the patience has ended
     */
    private synchronized long refused(StoreException cause, long beganMs, long delayMs) throws StoreException {
        long nowMs = time.nowMs();
        if (silentSinceMs == NEVER) {
            silentSinceMs = beganMs;
        }
        long silentMs = nowMs - silentSinceMs;
        boolean isBusy = cause.kind() == StoreException.Kind.BUSY;
        long limitMs = everAnswered || isBusy ? patience.timeoutMs() : patience.firstMs();
        long drawnMs = delayMs / 2 + ThreadLocalRandom.current().nextLong(delayMs / 2 + 1);
        if (silentMs >= limitMs) {
            givenUpMs = threads != null ? nowMs : NEVER;
            silentSinceMs = threads != null ? silentSinceMs : NEVER;
            lastFailure = cause;
            throw cause;
        }
        boolean due = toldMs == NEVER ? silentMs >= QUIET_MS : nowMs - toldMs >= TELL_MS;
        if (due && threads != null) {
            toldMs = nowMs;
            notes.accept(cause.getMessage() + "; asking again, for " + silentMs / 1000 + " s now and " + limitMs / 1000
                    + " s at most (--timeout)");
        }
        return Math.min(Math.max(drawnMs, cause.retryAfterMs()), limitMs - silentMs);
    }

    private void pause(long ms) throws StoreException {
        time.pause(ms);
        if (Thread.currentThread().isInterrupted()) {
            throw new StoreException(name() + ": interrupted", new InterruptedException(), StoreException.Kind.SILENT);
        }
    }

    /** Asks on a thread of its own, so that the caller is free when the time is over, whatever the client does. */
    private <T> T bounded(Executor on, long ms, Question<T> question) throws IOException {
        FutureTask<T> answer = new FutureTask<>(question::ask);
        on.execute(answer);
        try {
            return answer.get(ms, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new StoreException(
                    name() + ": no answer within " + ms / 1000.0 + " s", e, StoreException.Kind.SILENT);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new StoreException(name() + ": interrupted", e, StoreException.Kind.SILENT);
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
    }

    private static IOException failure(@Nullable Throwable cause) {
        return switch (cause) {
            case IOException refusal -> refusal;
            case RuntimeException defect -> throw defect;
            case Error error -> throw error;
            case null, default -> new IOException(cause);
        };
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        if (threads == null) {
            return ask(0, () -> store.putIfAbsent(key, content));
        }
        MemorySegment copy = MemorySegment.ofArray(content.toArray(ValueLayout.JAVA_BYTE)); // outlives this call
        return ask(copy.byteSize(), () -> store.putIfAbsent(key, copy));
    }

    @Override
    public BlobWriter create(String key) throws IOException {
        return new Writer(ask(0, () -> store.create(key)));
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        if (threads == null) {
            return ask(0, () -> store.get(key, offset, target));
        }
        MemorySegment read = ask(0, () -> {
            MemorySegment own = MemorySegment.ofArray(new byte[(int) Math.min(target.byteSize(), MAX_GET_BYTES)]);
            return own.asSlice(0, store.get(key, offset, own));
        });
        MemorySegment.copy(read, 0, target, 0, read.byteSize());
        int got = (int) read.byteSize();
        boolean isWhole = got < MAX_GET_BYTES || target.byteSize() == got;
        return isWhole ? got : got + get(key, offset + got, target.asSlice(got));
    }

    @Override
    public long size(String key) throws IOException {
        return ask(0, () -> store.size(key));
    }

    @Override
    public boolean exists(String key) throws IOException {
        return ask(0, () -> store.exists(key));
    }

    @Override
    public @Nullable ArchivedBlob find(String key) throws IOException {
        return ask(0, () -> Optional.ofNullable(tier.find(key))).orElse(null);
    }

    @Override
    public void thaw(ArchivedBlob blob, ThawClass thawClass, int days) throws IOException {
        ask(0, () -> {
            tier.thaw(blob, thawClass, days);
            return blob;
        });
    }

    @Override
    public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException {
        return ask(0, () -> store.page(prefix, afterKey, maxObjects));
    }

    @Override
    public List<String> children(String prefix) throws IOException {
        return ask(0, () -> store.children(prefix));
    }

    @Override
    public long nowMs() throws IOException {
        return ask(0, store::nowMs);
    }

    /** Moves by calls of this store, which are patient. */
    @Override
    public void move(String key, String target, long maxBytes) throws IOException {
        BlobStore.moveByCopy(this, key, target, maxBytes);
    }

    @Override
    public void delete(String key) throws IOException {
        ask(0, () -> {
            store.delete(key);
            return key;
        });
    }

    /** Commits as patiently as an object is put. */
    private final class Writer extends ForwardingWriter {
        private boolean abandoned;

        Writer(BlobWriter behind) {
            super(behind);
        }

        @Override
        public void commit() throws IOException {
            abandoned = true;
            ask(bytes(), () -> {
                behind.commit();
                return behind;
            });
            abandoned = false;
        }

        /** Leaves the memory to a commit that may still read it: the command ends without it. */
        @Override
        public void close() {
            if (!abandoned) {
                super.close();
            }
        }
    }
}
