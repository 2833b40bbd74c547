package io.chagres.fuse;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Interrupts that were read before their request was begun. That can be where requests and interrupts come by
 * different ways, and there the kernel does not repeat an interrupt. There is room for one of each request that can be
 * in progress; those of requests that were answered meanwhile stay until newer ones need their place. Noting belongs
 * to one thread, the rest is safe for any. Allocates nothing.
 */
final class EarlyInterrupts {
    /** In how many places a number may be. */
    private static final int PROBES = 16;

    private static final int SLOTS_A_REQUEST = 4;
    private static final long GOLDEN_RATIO = 0x9e3779b97f4a7c15L;

    private final AtomicLongArray uniques;
    private volatile boolean any;

    /**
     * Makes one that holds none.
     *
     * @param requests how many can be in progress at once
     */
    EarlyInterrupts(int requests) {
        uniques = new AtomicLongArray(Integer.highestOneBit(Math.max(PROBES, requests) * SLOTS_A_REQUEST));
    }

    /** Keeps an interrupt, before it is known whether its request has begun. Request 0 is none. */
    void note(long unique) {
        int oldest = slot(unique, 0);
        for (int probe = 1; probe < PROBES; probe++) {
            int slot = slot(unique, probe);
            if (uniques.get(slot) < uniques.get(oldest)) {
                oldest = slot; // the numbers of requests grow, and 0 is a free place
            }
        }
        uniques.set(oldest, unique);
        any = true;
        // With the fence of take: either the request is seen to have begun, or it sees this.
        VarHandle.fullFence();
    }

    /** Returns whether a request that just began was interrupted before, and forgets that. */
    boolean take(long unique) {
        VarHandle.fullFence();
        if (!any) {
            return false;
        }
        for (int probe = 0; probe < PROBES; probe++) {
            int slot = slot(unique, probe);
            if (uniques.get(slot) == unique) {
                return uniques.compareAndSet(slot, unique, 0);
            }
        }
        return false;
    }

    private int slot(long unique, int probe) {
        int hash = (int) ((unique * GOLDEN_RATIO) >>> Integer.SIZE);
        return hash + probe & uniques.length() - 1;
    }
}
