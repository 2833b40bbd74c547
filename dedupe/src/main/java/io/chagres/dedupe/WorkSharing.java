package io.chagres.dedupe;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The workers of one plan. A worker that finds nothing left to claim helps others with their large sets, and ends when
 * the last of them has ended; one worker alone never waits. Safe for any thread.
 */
final class WorkSharing {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Sets in work, with the number of their helpers. */
    private final Map<ShareSet, Integer> sets = new HashMap<>();

    private int busy;

    /** Tells that the caller may find work, which others could help with. */
    void begin() {
        lock.lock();
        try {
            busy++;
        } finally {
            lock.unlock();
        }
    }

    /** Tells that the caller has no work that others could help with. */
    void end() {
        lock.lock();
        try {
            busy--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a set to help with, until {@link #leave}; null if all have ended. */
    @Nullable
    ShareSet join() {
        lock.lock();
        try {
            for (; ; ) {
                for (Map.Entry<ShareSet, Integer> each : sets.entrySet()) {
                    if (each.getKey().isWorthHelp()) {
                        each.setValue(each.getValue() + 1);
                        return each.getKey();
                    }
                }
                if (busy == 0) {
                    return null;
                }
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    void leave(ShareSet set) {
        lock.lock();
        try {
            sets.computeIfPresent(set, (key, helpers) -> helpers - 1);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets others help with a set of the caller's. */
    void open(ShareSet set) {
        if (set.isWorthHelp()) {
            lock.lock();
            try {
                sets.put(set, 0);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Waits until all helpers of a set have left. */
    void close(ShareSet set) {
        lock.lock();
        try {
            while (sets.getOrDefault(set, 0) > 0) {
                changed.awaitUninterruptibly();
            }
            sets.remove(set);
        } finally {
            lock.unlock();
        }
    }
}
