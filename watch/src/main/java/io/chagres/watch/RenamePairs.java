package io.chagres.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings the two halves of a rename together by their cookie. The first half waits here for the second, which may come
 * with the next read or, when the file left the tree, never.
 */
final class RenamePairs {
    /** Is the first half of a rename: a dentry taken out of its directory. */
    record Half(int cookie, Dentry dentry, long readNumber, long sinceMs) {}

    private final List<Half> waiting = new ArrayList<>();

    void add(Half half) {
        waiting.add(half);
    }

    /** Returns the dentry a cookie belongs to and forgets it; null when there is none. */
    @Nullable
    Dentry take(int cookie) {
        for (int i = waiting.size() - 1; i >= 0; i--) {
            if (waiting.get(i).cookie == cookie) {
                return waiting.remove(i).dentry;
            }
        }
        return null;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Gives up halves of reads before one: their other halves would have come with it. */
    void expireReadsBefore(long readNumber, Consumer<Dentry> movedOut) {
        while (!waiting.isEmpty() && waiting.getFirst().readNumber < readNumber) {
            movedOut.accept(waiting.removeFirst().dentry);
        }
    }

    /** Gives up halves that have waited since before a time; a clock that was set back gives up all. */
    void expireSince(long beforeMs, long nowMs, Consumer<Dentry> movedOut) {
        while (!waiting.isEmpty() && (waiting.getFirst().sinceMs <= beforeMs || waiting.getFirst().sinceMs > nowMs)) {
            movedOut.accept(waiting.removeFirst().dentry);
        }
    }
}
