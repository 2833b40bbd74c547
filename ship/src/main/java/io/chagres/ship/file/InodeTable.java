package io.chagres.ship.file;

import org.jspecify.annotations.Nullable;

/**
 * Finds what is known of a file by its inode and generation: open addressing, at most half full, so that a file costs
 * two references, or four, and a byte of its hash for each, so that hardly any other file is looked at on the way. The
 * files of a directory have inodes near each other, and places near each other here: those of a million files are on
 * thousands of pages, and one that nobody has touched for long costs more than all else that is done about a file.
 * Confined to one thread.
 */
final class InodeTable<T extends InodeTable.OfInode> {
    private static final int FEWEST = 16;
    private static final int GROUP_BITS = 6;
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private @Nullable OfInode[] slots = new OfInode[FEWEST];

    /** A part of the hash of each slot's entry; 0 for a free slot. */
    private byte[] marks = new byte[FEWEST];

    private int size;

    /** An entry: the facts about one file. */
    interface OfInode {
        /** Returns the inode number. */
        long inode();

        /** Returns the generation, which tells apart files that had this inode number in turn. */
        long generation();
    }

    /** Returns the slot of a file, or the free one where it belongs. */
    private int slot(long inode, long generation) {
        byte mark = mark(inode, generation);
        int at = home(inode);
        for (; marks[at] != 0; at = at + 1 & slots.length - 1) {
            OfInode each = marks[at] == mark ? slots[at] : null;
            if (each != null && each.inode() == inode && each.generation() == generation) {
                break;
            }
        }
        return at;
    }

    private static byte mark(long inode, long generation) {
        return (byte) ((((inode * 31 + generation) * SPREAD) >>> 32) | 1);
    }

    /** Returns where a file should be: inodes that differ in their last bits only are side by side. */
    private int home(long inode) {
        int group = (int) (((inode >>> GROUP_BITS) * SPREAD) >>> 32) << GROUP_BITS;
        return (group | ((int) inode & ((1 << GROUP_BITS) - 1))) & (slots.length - 1);
    }

    /** Returns the entry in a slot, or null. */
    @SuppressWarnings("unchecked") // only put() fills it
    @Nullable
    T at(int slot) {
        return (T) slots[slot];
    }

    /** Returns how many slots there are, full or not. */
    int slots() {
        return slots.length;
    }

    int size() {
        return size;
    }

    @Nullable
    T find(long inode, long generation) {
        return at(slot(inode, generation));
    }

    /** Adds the entry of a file, in the place of an earlier one. */
    void put(T added) {
        int at = slot(added.inode(), added.generation());
        if (slots[at] == null) {
            size++;
        }
        fill(at, added);
        if (size * 2L > slots.length) {
            resize(slots.length * 2);
        }
    }

    /** Removes it, unless something else is known of the file now. */
    void remove(T removed) {
        int at = slot(removed.inode(), removed.generation());
        if (slots[at] == removed) {
            size--;
            closeGap(at);
            if (size * 8L < slots.length && slots.length > FEWEST) {
                resize(slots.length / 2);
            }
        }
    }

    private void fill(int slot, OfInode with) {
        slots[slot] = with;
        marks[slot] = mark(with.inode(), with.generation());
    }

    /** Moves entries behind a freed slot forward, so that every probe still finds them. */
    private void closeGap(int freed) {
        int mask = slots.length - 1;
        int gap = freed;
        int at = gap + 1 & mask;
        for (OfInode each = slots[at]; each != null; each = slots[at]) {
            if ((at - home(each.inode()) & mask) >= (at - gap & mask)) {
                fill(gap, each);
                gap = at;
            }
            at = at + 1 & mask;
        }
        slots[gap] = null;
        marks[gap] = 0;
    }

    private void resize(int length) {
        @Nullable OfInode[] before = slots;
        slots = new OfInode[length];
        marks = new byte[length];
        for (OfInode each : before) {
            if (each != null) {
                fill(slot(each.inode(), each.generation()), each);
            }
        }
    }
}
