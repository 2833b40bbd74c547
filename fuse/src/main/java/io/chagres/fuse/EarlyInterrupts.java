package io.chagres.fuse;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Interrupts that were read before their request was begun. That can be where requests and interrupts come by different
 * ways, and there the kernel does not repeat an interrupt. The latest are kept; those of requests that were answered
 * meanwhile are pushed out. Noting belongs to one thread, the rest is safe for any.
 */
final class EarlyInterrupts {
    private static final int KEPT = 16;

    private final AtomicLongArray uniques = new AtomicLongArray(KEPT);
    private volatile boolean any;
    private int next;

    /** Keeps an interrupt, before it is known whether its request has begun. Request 0 is none. */
    void note(long unique) {
        uniques.set(next, unique);
        next = (next + 1) % KEPT;
        any = true;
        // With the fence of take: either the request is seen to have begun, or it sees this.
        VarHandle.fullFence();
    }

    /** Tells whether a request that just began was interrupted before, and forgets that. */
    boolean take(long unique) {
        VarHandle.fullFence();
        if (!any) {
            return false;
        }
        for (int i = 0; i < KEPT; i++) {
            if (uniques.get(i) == unique) {
                return uniques.compareAndSet(i, unique, 0);
            }
        }
        return false;
    }
}
