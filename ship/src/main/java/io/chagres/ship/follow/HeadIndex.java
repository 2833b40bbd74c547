package io.chagres.ship.follow;

import io.chagres.ship.file.Stage;
import io.chagres.ship.file.Tail;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds versions by the checksum of their first bytes, which a copy has in common with its original, whatever its name
 * is. Open addressing, since most files never have a copy and each costs a reference here. Confined to one thread.
 */
final class HeadIndex {
    private Tail[] slots = new Tail[64];
    private int used;

    /** Adds a version whose head is known. */
    void add(Tail tail) {
        if ((used + 1) * 2 > slots.length) {
            clean();
        }
        insert(tail);
    }

    /** Forgets versions that are over if they are more than the files that are followed. */
    void trim(int files) {
        if (used > 2L * files + slots.length / 64) {
            clean();
        }
    }

    /** Forgets versions that are over, and makes room for twice those that stay. */
    private void clean() {
        Tail[] before = slots;
        int stay = 0;
        for (Tail each : before) {
            stay += each != null && mayBeCopied(each) ? 1 : 0;
        }
        slots = new Tail[Math.max(64, Integer.highestOneBit(stay + 1) * 8)];
        used = 0;
        for (Tail each : before) {
            if (each != null && mayBeCopied(each)) {
                insert(each);
            }
        }
    }

    /** A version that is over stays as long as the one that follows it may be its copy. */
    private static boolean mayBeCopied(Tail tail) {
        return tail.isLive() || tail.stage() == Stage.Over.SUPERSEDED;
    }

    private void insert(Tail tail) {
        int at = slot(tail.headCrc());
        while (slots[at] != null) {
            if (slots[at] == tail) {
                return;
            }
            at = at + 1 & slots.length - 1;
        }
        slots[at] = tail;
        used++;
    }

    /** Returns versions with a head, at most some. */
    List<Tail> find(int headCrc, int most) {
        List<Tail> found = new ArrayList<>(0);
        for (int at = slot(headCrc); slots[at] != null && found.size() < most; at = at + 1 & slots.length - 1) {
            if (slots[at].headCrc() == headCrc) {
                found.add(slots[at]);
            }
        }
        return found;
    }

    private int slot(int crc) {
        return (crc ^ crc >>> 16) & slots.length - 1;
    }
}
