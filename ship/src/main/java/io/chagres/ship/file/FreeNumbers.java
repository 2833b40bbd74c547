package io.chagres.ship.file;

import java.util.BitSet;

/**
 * The numbers that nothing has. The lowest is taken first, in a time that does not grow with how many are taken.
 * Confined to one thread.
 */
final class FreeNumbers {
    private final BitSet free = new BitSet();
    /** No lower one is free. */
    private int lowest;

    boolean isEmpty() {
        return free.isEmpty();
    }

    /** Takes the lowest; there is one. */
    int take() {
        int taken = free.nextSetBit(lowest);
        free.clear(taken);
        lowest = taken + 1;
        return taken;
    }

    /** Gives those from a number on, before another one. */
    void give(int from, int end) {
        free.set(from, end);
        lowest = Math.min(lowest, from);
    }

    void give(int number) {
        give(number, number + 1);
    }

    /** Forgets those from a number on. */
    void forget(int from) {
        free.clear(from, Integer.MAX_VALUE);
    }
}
