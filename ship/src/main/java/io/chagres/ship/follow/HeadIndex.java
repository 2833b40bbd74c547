package io.chagres.ship.follow;

import io.chagres.ship.file.FileTable;
import io.chagres.ship.file.Tail;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds versions by the checksum of their first bytes, which a copy has in common with its original, whatever its name
 * is. Open addressing, since most files never have a copy and each costs a number here. Confined to one thread.
 */
final class HeadIndex {
    private static final int FEWEST = 64;

    private final FileTable table;
    /** One more than the row of a version, by the checksum; 0 for a free slot. A row may be another version's now. */
    private int[] slots = new int[FEWEST];

    private int used;

    HeadIndex(FileTable table) {
        this.table = table;
    }

    /** Adds a version whose head is known. */
    void add(Tail tail) {
        if ((used + 1) * 2 > slots.length) {
            clean();
        }
        insert(tail.row());
    }

    /** Forgets versions that are over if they are more than the files that are followed. */
    void trim(int files) {
        if (used > 2L * files + slots.length / FEWEST) {
            clean();
        }
    }

    /** Forgets versions that are over, and makes room for twice those that stay. */
    private void clean() {
        int[] before = slots;
        int stay = 0;
        for (int each : before) {
            stay += each != 0 && table.isUsed(each - 1) ? 1 : 0;
        }
        slots = new int[Math.max(FEWEST, Integer.highestOneBit(stay + 1) * 8)];
        used = 0;
        for (int each : before) {
            if (each != 0 && table.isUsed(each - 1)) {
                insert(each - 1);
            }
        }
    }

    private void insert(int row) {
        int at = slot(table.headCrc(row));
        while (slots[at] != 0) {
            if (slots[at] == row + 1) {
                return;
            }
            at = at + 1 & slots.length - 1;
        }
        slots[at] = row + 1;
        used++;
    }

    /** Returns versions with a head, at most some. */
    List<Tail> find(int headCrc, int most) {
        List<Tail> found = new ArrayList<>(0);
        for (int at = slot(headCrc); slots[at] != 0 && found.size() < most; at = at + 1 & slots.length - 1) {
            int row = slots[at] - 1;
            if (table.isUsed(row) && table.headCrc(row) == headCrc) {
                found.add(table.tail(row));
            }
        }
        return found;
    }

    private int slot(int crc) {
        return (crc ^ crc >>> 16) & slots.length - 1;
    }
}
