package io.chagres.fuse;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges of a server: one for each thread that reads requests, and one for each request that is deferred or
 * handled elsewhere, up to a bound. Safe for any thread.
 */
final class ExchangePool {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition given = lock.newCondition();
    private final ArrayDeque<Exchange> idle = new ArrayDeque<>();
    private final List<Exchange> all = new CopyOnWriteArrayList<>();
    private final Supplier<Exchange> maker;
    private final int limit;

    /** Holds the memory of all exchanges once nobody reads requests any more; else null. */
    private @Nullable Arena closing;

    ExchangePool(int limit, Supplier<Exchange> maker) {
        this.limit = limit;
        this.maker = maker;
    }

    /** Takes one, waiting while as many as the bound are in use. */
    Exchange take() {
        lock.lock();
        try {
            while (idle.isEmpty() && all.size() >= limit) {
                given.awaitUninterruptibly();
            }
            Exchange exchange = idle.pollLast();
            if (exchange == null) {
                exchange = maker.get();
                all.add(exchange);
            }
            return exchange;
        } finally {
            lock.unlock();
        }
    }

    void give(Exchange exchange) {
        lock.lock();
        try {
            idle.addLast(exchange);
            given.signal();
            closeIfIdle();
        } finally {
            lock.unlock();
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

    private void closeIfIdle() {
        if (closing != null && idle.size() == all.size()) {
            closing.close();
            closing = null;
        }
    }

    /** All that were ever made, in use or not. */
    List<Exchange> all() {
        return all;
    }
}
