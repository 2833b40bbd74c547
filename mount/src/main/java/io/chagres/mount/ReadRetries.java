package io.chagres.mount;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Repeats what a store refuses until it answers or the time is over, and says once that it does not answer and once
 * that it does again. A store that is away is no matter of this class: {@link
 * io.chagres.archive.store.PatientStore}, which stands before it, has waited already. Safe for any thread.
 */
final class ReadRetries {
    private static final long FIRST_DELAY_MS = 50;
    private static final long MAX_DELAY_MS = 2_000;

    /** A refusal that may pass is asked about so often before it counts as one of an object. */
    private static final int TRIES = 3;

    /** Asks the store for something. */
    @FunctionalInterface
    interface Question<T> {
        T ask() throws IOException;
    }

    private final MountContext context;
    private final long timeoutMs;
    private volatile BlobStore archive;
    private final String store;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicBoolean silent = new AtomicBoolean();

    ReadRetries(MountContext context, long timeoutMs, BlobStore archive) {
        this.context = context;
        this.timeoutMs = timeoutMs;
        this.archive = archive;
        store = archive.name();
    }

    /** Returns what the store is called. */
    String store() {
        return store;
    }

    /** Asks another store from now on, of the same name. */
    void askInstead(BlobStore other) {
        archive = other;
    }

    /** Returns until when somebody waits who begins now. */
    long deadlineMs() {
        return context.clockMs().getAsLong() + timeoutMs;
    }

    /**
     * Asks until there is an answer.
     *
     * @param deadlineMs when it is given up
     * @throws CorruptArchiveException if the archive does not hold it; it does not ask again
     * @throws ObjectRefusedException if the store refuses only this object, or no identity opens it; it does not ask
     *     again
     * @throws IOException the last refusal
     */
    <T> T ask(long deadlineMs, Question<T> question) throws IOException {
        int tries = 0;
        for (long delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(MAX_DELAY_MS, 2 * delayMs)) {
            tries++;
            try {
                T answer = question.ask();
                answered();
                return answer;
            } catch (CorruptArchiveException | CompactedHistoryException e) {
                throw e;
            } catch (EncryptedException e) { // the header of one object may be damaged where all others open
                throw new ObjectRefusedException(e);
            } catch (IOException e) {
                if (e instanceof StoreException away && away.isAway()) {
                    refused(e); // it was asked again for as long as a reader waits, below
                    throw e;
                }
                if (e instanceof StoreException refusal && isOfObject(refusal)) {
                    if (refusal.isLasting() || tries >= TRIES) {
                        throw new ObjectRefusedException(refusal);
                    }
                } else {
                    refused(e);
                }
                long leftMs = deadlineMs - context.clockMs().getAsLong();
                if (leftMs <= 0 || isClosed(Math.min(delayMs, leftMs))) {
                    throw e;
                }
            }
        }
    }

    /** Says whether a refusal is about one object: the store answers what it is asked besides. */
    private boolean isOfObject(StoreException refusal) {
        try {
            HostRegistry.requireAnswer(archive, refusal);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Notes that the store answered. */
    void answered() {
        if (silent.compareAndSet(true, false)) {
            context.listener().message(store + " answers again");
        }
    }

    /** Notes that the store did not answer. */
    void refused(IOException cause) {
        if (silent.compareAndSet(false, true)) {
            context.listener()
                    .message(store + " does not answer (" + cause.getMessage() + "); reads wait up to "
                            + timeoutMs / 1000.0 + " s for it and then fail");
        }
    }

    /** Ends all waiting, for good. */
    void close() {
        closed.countDown();
    }

    private boolean isClosed(long withinMs) {
        try {
            return closed.await(withinMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
