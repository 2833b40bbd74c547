package io.chagres.fuse.loopback;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;

/** Lends what requests need, as many as there are at once, so that none makes its own. Safe for any thread. */
final class ScratchPool implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final Deque<Scratch> idle = new ArrayDeque<>();

    /** Lends one; the taker closes it. */
    synchronized Scratch take() {
        Scratch found = idle.poll();
        return found == null ? new Scratch(this::give, arena) : found;
    }

    private synchronized void give(Scratch scratch) {
        idle.push(scratch);
    }

    /** Frees the memory; nothing is lent after it. */
    @Override
    public void close() {
        arena.close();
    }
}
