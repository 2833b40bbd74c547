package io.chagres.ship;

import io.chagres.linux.Fd;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the descriptors that are held open: the most recently used stay, an idle file that still has a name gives its
 * descriptor back first. A file without a name keeps its descriptor, because nothing else reaches its last bytes.
 * Confined to the shipper's thread.
 */
final class OpenFiles {
    private final int limit;
    private final ArrayDeque<Tail> candidates = new ArrayDeque<>();
    private long tick;
    private int open;

    /** @param limit descriptors to hold at most, at least 1 */
    OpenFiles(int limit) {
        this.limit = limit;
    }

    int open() {
        return open;
    }

    /** Hands a descriptor to a tail that has none; others may give theirs back. */
    void attach(Tail tail, Fd fd) {
        tail.open(fd);
        tail.used(++tick);
        open++;
        candidates.addLast(tail);
        while (open > limit && evictOne(tail)) {
            // until the bound holds or nothing idle is left
        }
    }

    /** Notes a use, which delays the moment the descriptor is given back. */
    void used(Tail tail) {
        tail.used(++tick);
    }

    /** Closes the descriptor of a tail. */
    void close(Tail tail) {
        if (tail.fd() != null) {
            tail.closeFd();
            open--;
        }
    }

    /** Moves the descriptor of a superseded version to the version that follows it. */
    void hand(Tail from, Tail to) {
        Fd fd = from.releaseFd();
        if (fd != null) {
            to.open(fd);
            to.used(++tick);
            candidates.addLast(to);
        }
    }

    /**
     * Gives one descriptor back: second chance in the order of opening, so that no list is re-ordered on every read. A
     * file that is not read to its end is opened again by its name at its turn.
     *
     * @param busy the tail that must keep its descriptor, or null
     */
    boolean evictOne(@Nullable Tail busy) {
        for (int left = candidates.size(); left >= 0; left--) {
            Tail tail = candidates.pollFirst();
            if (tail == null || tail.fd() == null) {
                continue;
            }
            boolean recent = tick - tail.lastUse() < open / 2;
            if (tail == busy || !tail.hasName() || tail.jobs != null || recent && left > 0) {
                candidates.addLast(tail);
                continue;
            }
            close(tail);
            return true;
        }
        return false;
    }
}
