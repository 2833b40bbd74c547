package io.chagres.watch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings the two halves of a rename together by their cookie. The first half waits here for the second, which may come
 * with the next read or, when the file left the tree, never. Until then the old name belongs to the waiting dentry.
 */
final class RenamePairs {
    /** The first half of a rename: a dentry taken out of its directory. */
    static final class Half {
        private final int cookie;
        private final Dentry dentry;
        private final long readNumber;
        private final long sinceMs;
        private boolean contested;

        Half(int cookie, Dentry dentry, long readNumber, long sinceMs) {
            this.cookie = cookie;
            this.dentry = dentry;
            this.readNumber = readNumber;
            this.sinceMs = sinceMs;
        }

        int cookie() {
            return cookie;
        }

        Dentry dentry() {
            return dentry;
        }

        /** Says whether something else was found under the old name meanwhile. */
        boolean isContested() {
            return contested;
        }

        private boolean holds(WatchedDirectory directory, byte[] name) {
            return dentry.parent() == directory && Arrays.equals(dentry.nameBytes(), name);
        }
    }

    private final List<Half> waiting = new ArrayList<>();

    void add(Half half) {
        waiting.add(half);
    }

    /** Returns the first half with a cookie and forgets it; null when there is none. */
    @Nullable
    Half take(int cookie) {
        for (int i = waiting.size() - 1; i >= 0; i--) {
            if (waiting.get(i).cookie == cookie) {
                return waiting.remove(i);
            }
        }
        return null;
    }

    /** Returns the first half that holds a name and forgets it; null when there is none. */
    @Nullable
    Half take(WatchedDirectory directory, byte[] name) {
        for (int i = waiting.size() - 1; i >= 0; i--) {
            if (waiting.get(i).holds(directory, name)) {
                return waiting.remove(i);
            }
        }
        return null;
    }

    /** Returns a dentry taken out of a directory and forgets its half; null when there is none. */
    @Nullable
    Dentry takeChild(WatchedDirectory directory) {
        for (int i = 0; i < waiting.size(); i++) {
            if (waiting.get(i).dentry.parent() == directory) {
                return waiting.remove(i).dentry;
            }
        }
        return null;
    }

    /** Says whether a name still belongs to a first half, which then learns that the name is found again. */
    boolean contest(WatchedDirectory directory, byte[] name) {
        boolean held = false;
        for (int i = 0; i < waiting.size(); i++) {
            Half each = waiting.get(i);
            if (each.holds(directory, name)) {
                each.contested = true;
                held = true;
            }
        }
        return held;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Gives up halves of reads before one: their other halves would have come with it. */
    void expireReadsBefore(long readNumber, Consumer<Half> movedOut) {
        while (!waiting.isEmpty() && waiting.getFirst().readNumber < readNumber) {
            movedOut.accept(waiting.removeFirst());
        }
    }

    /** Gives up halves that have waited since before a time; a clock that was set back gives up all. */
    void expireSince(long beforeMs, long nowMs, Consumer<Half> movedOut) {
        while (!waiting.isEmpty() && (waiting.getFirst().sinceMs <= beforeMs || waiting.getFirst().sinceMs > nowMs)) {
            movedOut.accept(waiting.removeFirst());
        }
    }
}
