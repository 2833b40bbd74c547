package io.chagres.watch;

import java.util.HashSet;
import java.util.Set;

/**
 * Lists directories again from time to time: all of them on request, otherwise those that raise no events and those
 * that may hold names nobody can see.
 */
final class Polling {
    private static final long FALLBACK_INTERVAL_MS = 1000;

    private final Set<WatchedDirectory> silent = new HashSet<>();
    private final Tree tree;
    private final ScanQueue queue;
    private final long intervalMs;
    private long lastAllMs;
    private long lastSilentMs;

    /** Makes the timers; an interval of 0 polls only what raises no events. */
    Polling(Tree tree, ScanQueue queue, long intervalMs, long nowMs) {
        this.tree = tree;
        this.queue = queue;
        this.intervalMs = intervalMs;
        lastAllMs = nowMs;
        lastSilentMs = nowMs;
    }

    /** Polls a directory until {@link #remove}. */
    void add(WatchedDirectory directory) {
        silent.add(directory);
    }

    void remove(WatchedDirectory directory) {
        silent.remove(directory);
    }

    /** Returns the time until something is due, at most a limit, in milliseconds. */
    long waitMs(long nowMs, long limitMs) {
        long wait = limitMs;
        if (intervalMs > 0) {
            wait = Math.min(wait, leftMs(nowMs, lastAllMs, intervalMs));
        }
        if (pollsSome()) {
            wait = Math.min(wait, leftMs(nowMs, lastSilentMs, FALLBACK_INTERVAL_MS));
        }
        return wait;
    }

    private boolean pollsSome() {
        return !silent.isEmpty() || !queue.unreadable().isEmpty();
    }

    /** A clock that was set back makes it due at once. */
    private static long leftMs(long nowMs, long lastMs, long intervalMs) {
        long elapsed = nowMs - lastMs;
        return elapsed < 0 ? 0 : Math.max(0, intervalMs - elapsed);
    }

    /** Queues what is due. */
    void run(long nowMs) {
        if (intervalMs > 0 && leftMs(nowMs, lastAllMs, intervalMs) == 0) {
            lastAllMs = nowMs;
            Tree.forEachDirectory(tree.root(), this::poll);
        }
        if (pollsSome() && leftMs(nowMs, lastSilentMs, FALLBACK_INTERVAL_MS) == 0) {
            lastSilentMs = nowMs;
            silent.removeIf(each -> !each.exists());
            silent.forEach(this::poll);
            queue.unreadable().forEach(this::poll);
        }
    }

    private void poll(WatchedDirectory directory) {
        directory.scan().tellsModified = true;
        queue.repeat(directory);
    }
}
