package io.chagres.archive.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a store whose answers take their time, and fetches several of the expected parts at once: a log of a
 * day is ten thousand objects, and one after the other they would take minutes. Holds a bounded number of bytes. Safe
 * for any thread.
 */
public final class ReadAheadStore extends CachingStore {
    /** Stays below the connections that the program's start lets the JDK keep open. */
    private static final int MAX_PARTS = 32;

    private static final long MAX_BYTES = 16L << 20;

    /** A part that was fetched or will be. */
    private record Part(BlobRange range, Future<byte[]> answer) {
        /**
         * Returns the bytes, fewer than the range has where the object ends; waits for them. Null when another thread
         * said meanwhile that it expects something else, or when they did not come: a caller that needs them asks for
         * them, and hears why.
         */
        byte @Nullable [] bytes() throws IOException {
            try {
                return answer.get();
            } catch (CancellationException e) {
                return null;
            } catch (ExecutionException e) {
                if (e.getCause() instanceof IOException) {
                    return null;
                }
                throw new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
    }

    private final ExecutorService threads;
    private final Deque<Part> parts = new ArrayDeque<>();
    private Iterator<BlobRange> expected = Collections.emptyIterator();
    private long heldBytes;

    /**
     * Stands before a store.
     *
     * @param store is closed with this one
     * @param threads fetch, as many at once as there are tasks; shut down with this store
     */
    public ReadAheadStore(BlobStore store, ExecutorService threads) {
        super(store);
        this.threads = threads;
    }

    @Override
    public synchronized void expect(Iterator<BlobRange> ranges) {
        parts.forEach(part -> part.answer.cancel(true));
        parts.clear();
        heldBytes = 0;
        expected = ranges;
        fill();
    }

    @Override
    public synchronized void forget(String key) {
        for (Iterator<Part> each = parts.iterator(); each.hasNext(); ) {
            Part part = each.next();
            if (part.range.key().equals(key)) {
                part.answer.cancel(true);
                each.remove();
                heldBytes -= part.range.lengthBytes();
            }
        }
        super.forget(key);
    }

    private void fill() {
        while (parts.size() < MAX_PARTS && heldBytes < MAX_BYTES && expected.hasNext()) {
            BlobRange range = expected.next();
            parts.add(new Part(range, threads.submit(() -> fetch(range))));
            heldBytes += range.lengthBytes();
        }
    }

    private byte[] fetch(BlobRange range) throws IOException {
        byte[] bytes = new byte[range.lengthBytes()];
        int got = store.get(range.key(), range.offset(), MemorySegment.ofArray(bytes));
        return got == bytes.length ? bytes : Arrays.copyOf(bytes, got);
    }

    /** Returns the part that holds a position, or null; what was expected to be read before it is forgotten. */
    @SuppressWarnings("ReferenceEquality") // it was found in the list
    private synchronized @Nullable Part at(String key, long position) {
        Part found = null;
        for (Part part : parts) {
            if (part.range.holds(key, position)) {
                found = part;
                break;
            }
        }
        while (found != null && parts.getFirst() != found) {
            Part passed = parts.removeFirst();
            passed.answer.cancel(true);
            heldBytes -= passed.range.lengthBytes();
        }
        if (found != null) {
            fill();
        }
        return found;
    }

    @Override
    protected @Nullable Piece piece(String key, long position) throws IOException {
        Part part = at(key, position);
        byte[] bytes = part == null ? null : part.bytes();
        return part == null || bytes == null
                ? null
                : new Piece(part.range.offset(), bytes, bytes.length < part.range.lengthBytes());
    }

    @Override
    public long size(String key) throws IOException {
        Piece first = piece(key, 0);
        return first != null && first.isLast() ? first.bytes().length : store.size(key);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        super.close();
    }
}
