package io.chagres.dedupe;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The workers of one plan. Who finds nothing left to claim helps others with what is large, and ends when the last
 * of them has ended; one worker alone never waits. Safe for any thread.
 */
final class Crew {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** What others can help with, with the number of their helpers. */
    private final Map<TeamWork, Integer> offered = new HashMap<>();

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

    /** Waits for work to help with, until {@link #leave}; null if nobody works any more. */
    @Nullable
    TeamWork join() {
        lock.lock();
        try {
            for (; ; ) {
                for (Map.Entry<TeamWork, Integer> each : offered.entrySet()) {
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

    void leave(TeamWork work) {
        lock.lock();
        try {
            offered.computeIfPresent(work, (key, helpers) -> helpers - 1);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets others help with work of the caller's. */
    void open(TeamWork work) {
        if (work.isWorthHelp()) {
            lock.lock();
            try {
                offered.put(work, 0);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Waits until all helpers have left. */
    void close(TeamWork work) {
        lock.lock();
        try {
            while (offered.getOrDefault(work, 0) > 0) {
                changed.awaitUninterruptibly();
            }
            offered.remove(work);
        } finally {
            lock.unlock();
        }
    }
}
