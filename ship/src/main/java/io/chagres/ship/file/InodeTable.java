package io.chagres.ship.file;

/**
 * Finds the number of a file by its inode and generation: open addressing, at most half full, so that a file costs two
 * numbers, or four, and a byte of its hash for each, so that hardly any other file is looked at on the way. The files
 * of a directory have inodes near each other, and places near each other here: those of a million files are on
 * thousands of pages, and one that nobody has touched for long costs more than all else that is done about a file.
 * Confined to one thread.
 */
final class InodeTable {
    private static final int FEWEST = 16;
    private static final int GROUP_BITS = 3; // of two groups in one place the second is behind all of the first
    private static final long SPREAD = 0x9E3779B97F4A7C15L;
    /** A probe continues behind it. */
    private static final byte GONE = 2;

    private final Inodes inodes;
    /** One more than the number of a file; 0 for a free slot. */
    private int[] slots = new int[FEWEST];

    /** A part of the hash of each slot's file, odd; 0 for a slot that was never full, else {@link #GONE}. */
    private byte[] marks = new byte[FEWEST];

    private int size;
    /** The slots that are full or were. */
    private int marked;

    /** Knows which file has a number. */
    interface Inodes {
        /** Returns the inode number. */
        long inode(int number);

        /** Returns the generation, which tells apart files that had this inode number in turn. */
        long generation(int number);
    }

    InodeTable(Inodes inodes) {
        this.inodes = inodes;
    }

    /** Returns the slot of a file, or the free one where it belongs. */
    private int slot(long inode, long generation) {
        byte mark = mark(inode, generation);
        int at = home(inode);
        for (; marks[at] != 0; at = at + 1 & slots.length - 1) {
            int each = slots[at] - 1;
            if (marks[at] == mark && inodes.inode(each) == inode && inodes.generation(each) == generation) {
                break;
            }
        }
        return at;
    }

    private int slotOf(int number) {
        return slot(inodes.inode(number), inodes.generation(number));
    }

    private static byte mark(long inode, long generation) {
        return (byte) ((((inode * 31 + generation) * SPREAD) >>> 32) | 1);
    }

    /** Returns where a file should be: inodes that differ in their last bits only are side by side. */
    private int home(long inode) {
        int group = (int) (((inode >>> GROUP_BITS) * SPREAD) >>> 32) << GROUP_BITS;
        return (group | ((int) inode & ((1 << GROUP_BITS) - 1))) & (slots.length - 1);
    }

    /** Returns the number in a slot, or -1. */
    int at(int slot) {
        return slots[slot] - 1;
    }

    /** Returns how many slots there are, full or not. */
    int slots() {
        return slots.length;
    }

    int size() {
        return size;
    }

    /** Returns the number of a file, or -1. */
    int find(long inode, long generation) {
        return at(slot(inode, generation));
    }

    /** Adds the number of a file, in the place of an earlier one. */
    void put(int added) {
        int at = slotOf(added);
        if (slots[at] == 0) {
            size++;
            marked++;
        }
        fill(at, added);
        if (marked * 2L > slots.length) {
            resize(size * 4L > slots.length ? slots.length * 2 : slots.length);
        }
    }

    /** Removes a number, unless its file has another one now. */
    void remove(int removed) {
        int at = slotOf(removed);
        if (at(at) == removed) {
            size--;
            slots[at] = 0;
            marks[at] = GONE;
            if (size * 8L < slots.length && slots.length > FEWEST) {
                resize(slots.length / 2);
            }
        }
    }

    private void fill(int slot, int number) {
        slots[slot] = number + 1;
        marks[slot] = mark(inodes.inode(number), inodes.generation(number));
    }

    private void resize(int length) {
        int[] before = slots;
        slots = new int[length];
        marks = new byte[length];
        marked = size;
        for (int each : before) {
            if (each != 0) {
                fill(slotOf(each - 1), each - 1);
            }
        }
    }
}
