package io.chagres.ship.file;

import org.jspecify.annotations.Nullable;

/**
 * Finds what is known of a file by its inode and generation: open addressing, at most three quarters full, so that a
 * file costs one reference, or two. Confined to one thread.
 */
final class InodeTable<T extends InodeTable.OfInode> {
    private static final int FEWEST = 16;

    private @Nullable OfInode[] slots = new OfInode[FEWEST];
    private int size;

    /** What is known of a file. */
    interface OfInode {
        /** Returns the inode number. */
        long inode();

        /** Returns what tells apart files that had this inode number in turn. */
        long generation();
    }

    /** Returns the slot of a file, or the free one where it belongs. */
    private int slot(long inode, long generation) {
        int at = home(inode, generation);
        for (OfInode each = slots[at]; each != null; each = slots[at]) {
            if (each.inode() == inode && each.generation() == generation) {
                break;
            }
            at = at + 1 & slots.length - 1;
        }
        return at;
    }

    private int home(long inode, long generation) {
        long mixed = (inode * 31 + generation) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32) & slots.length - 1;
    }

    /** Returns what a slot holds, or null. */
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

    /** Adds what is known of a file, in the place of what was known of it before. */
    void put(T added) {
        int at = slot(added.inode(), added.generation());
        if (slots[at] == null) {
            size++;
        }
        slots[at] = added;
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

    /** Moves entries behind a freed slot forward, so that every probe still finds them. */
    private void closeGap(int freed) {
        int mask = slots.length - 1;
        int gap = freed;
        int at = gap + 1 & mask;
        for (OfInode each = slots[at]; each != null; each = slots[at]) {
            if ((at - home(each.inode(), each.generation()) & mask) >= (at - gap & mask)) {
                slots[gap] = each;
                gap = at;
            }
            at = at + 1 & mask;
        }
        slots[gap] = null;
    }

    private void resize(int length) {
        @Nullable OfInode[] before = slots;
        slots = new OfInode[length];
        for (OfInode each : before) {
            if (each != null) {
                slots[slot(each.inode(), each.generation())] = each;
            }
        }
    }
}
