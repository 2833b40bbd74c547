package io.chagres.fuse;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges over the device: one for each thread that reads requests, and one for each request that is deferred or
 * handled elsewhere, up to a bound. Safe for any thread.
 */
final class ExchangePool {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition given = lock.newCondition();
    private final ArrayDeque<HandledExchange> idle = new ArrayDeque<>();
    private final Supplier<HandledExchange> maker;
    private final int limit;
    private int made;

    /** Holds the memory of all exchanges once nobody reads requests; until then null. */
    private @Nullable Arena closing;

    ExchangePool(int limit, Supplier<HandledExchange> maker) {
        this.limit = limit;
        this.maker = maker;
    }

    /** Takes one, waiting while as many as the bound are in use. */
    HandledExchange take() {
        lock.lock();
        try {
            while (idle.isEmpty() && made >= limit) {
                given.awaitUninterruptibly();
            }
            HandledExchange exchange = idle.pollLast();
            if (exchange == null) {
                exchange = maker.get();
                made++;
            }
            return exchange;
        } finally {
            lock.unlock();
        }
    }

    void give(HandledExchange exchange) {
        lock.lock();
        try {
            idle.addLast(exchange);
            given.signal();
            closeIfIdle();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until none is in use, at most so long. Returns whether none is. */
    boolean awaitIdle(long timeoutNs) {
        boolean interrupted = false;
        lock.lock();
        try {
            long leftNs = timeoutNs;
            while (idle.size() < made && leftNs > 0) {
                try {
                    leftNs = given.awaitNanos(leftNs);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return idle.size() == made;
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Frees the memory as soon as the last exchange is given back: an answer may still be built in it. */
    void closeWhenIdle(Arena arena) {
        lock.lock();
        try {
            closing = arena;
            closeIfIdle();
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many were ever made, in use or not. */
    int made() {
        lock.lock();
        try {
            return made;
        } finally {
            lock.unlock();
        }
    }

    private void closeIfIdle() {
        if (closing != null && idle.size() == made) {
            closing.close();
            closing = null;
        }
    }
}
