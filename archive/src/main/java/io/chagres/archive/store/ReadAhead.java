package io.chagres.archive.store;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the starts of objects that will be asked for, several at a time: a log of a day is ten thousand objects, and
 * one after the other they would take minutes. Safe for any thread.
 */
public final class ReadAhead implements AutoCloseable {
    /** Stays below the connections that the program's start lets the JDK keep open. */
    private static final int IN_FLIGHT = 32;

    /** Fetches the first bytes of an object. */
    @FunctionalInterface
    public interface Fetch {
        /** Returns at most so many bytes from the start of an object; fewer only when it ends. Called on any thread. */
        byte[] start(String key, int bytes) throws IOException;
    }

    private final Fetch fetch;
    private final ExecutorService threads;
    private final Deque<String> waiting = new ArrayDeque<>();
    private final Map<String, Future<byte[]>> running = new HashMap<>();
    private int bytes;

    /**
     * Makes one that expects nothing.
     *
     * @param threads run the fetches, and are shut down when it is closed
     */
    public ReadAhead(Fetch fetch, ExecutorService threads) {
        this.threads = threads;
        this.fetch = fetch;
    }

    /** Begins to fetch the starts of objects, in this order, and forgets what was expected before. */
    public synchronized void expect(List<String> keys, int startBytes) {
        waiting.clear();
        running.values().forEach(each -> each.cancel(true));
        running.clear();
        waiting.addAll(keys);
        bytes = startBytes;
        fill();
    }

    private void fill() {
        while (running.size() < IN_FLIGHT && !waiting.isEmpty()) {
            String key = waiting.remove();
            int wanted = bytes;
            running.put(key, threads.submit(() -> fetch.start(key, wanted)));
        }
    }

    /** Returns the first bytes of an object, or null when they were not expected or are fewer than wanted. */
    public byte @Nullable [] take(String key, long wanted) throws IOException {
        Future<byte[]> answer;
        synchronized (this) {
            answer = wanted > bytes ? null : running.remove(key);
            fill();
        }
        if (answer == null) {
            return null;
        }
        try {
            return answer.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
