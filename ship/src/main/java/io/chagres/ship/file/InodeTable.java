package io.chagres.ship.file;

import org.jspecify.annotations.Nullable;

/**
 * Finds what is known of a file by its inode and generation: open addressing, at most three quarters full, so that a
 * file costs one reference, or two, and a byte of its hash for each, so that hardly any other file is looked at on the
 * way. Confined to one thread.
 */
final class InodeTable<T extends InodeTable.OfInode> {
    private static final int FEWEST = 16;

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
        long hash = hash(inode, generation);
        byte mark = mark(hash);
        int at = home(hash);
        for (; marks[at] != 0; at = at + 1 & slots.length - 1) {
            OfInode each = marks[at] == mark ? slots[at] : null;
            if (each != null && each.inode() == inode && each.generation() == generation) {
                break;
            }
        }
        return at;
    }

    private static long hash(long inode, long generation) {
        return (inode * 31 + generation) * 0x9E3779B97F4A7C15L;
    }

    private static byte mark(long hash) {
        return (byte) (hash >>> 24 | 1);
    }

    private int home(long hash) {
        return (int) (hash >>> 32) & slots.length - 1;
    }

    private int homeOf(OfInode of) {
        return home(hash(of.inode(), of.generation()));
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
        if (size * 4L > slots.length * 3L) {
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
        marks[slot] = mark(hash(with.inode(), with.generation()));
    }

    /** Moves entries behind a freed slot forward, so that every probe still finds them. */
    private void closeGap(int freed) {
        int mask = slots.length - 1;
        int gap = freed;
        int at = gap + 1 & mask;
        for (OfInode each = slots[at]; each != null; each = slots[at]) {
            if ((at - homeOf(each) & mask) >= (at - gap & mask)) {
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
