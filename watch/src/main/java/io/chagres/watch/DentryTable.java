package io.chagres.watch;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds the entries of a directory by the bytes of their names: open addressing, no allocation per lookup. */
final class DentryTable {
    private static final int FIRST_SLOTS = 8;

    private @Nullable Dentry[] slots = new Dentry[FIRST_SLOTS];
    private int size;

    int size() {
        return size;
    }

    @Nullable Dentry find(MemorySegment segment, long offset, int length) {
        int mask = slots.length - 1;
        for (int at = hash(segment, offset, length) & mask; ; at = (at + 1) & mask) {
            Dentry each = slots[at];
            if (each == null || equal(each.nameBytes(), segment, offset, length)) {
                return each;
            }
        }
    }

    /** Adds an entry whose name is not in the table. */
    void add(Dentry added) {
        if ((size + 1) * 4 > slots.length * 3) {
            Dentry[] old = Arrays.copyOf(slots, slots.length);
            slots = new Dentry[old.length * 2];
            for (Dentry each : old) {
                if (each != null) {
                    place(each);
                }
            }
        }
        place(added);
        size++;
    }

    private void place(Dentry dentry) {
        byte[] name = dentry.nameBytes();
        int mask = slots.length - 1;
        int at = hash(MemorySegment.ofArray(name), 0, name.length) & mask;
        while (slots[at] != null) {
            at = (at + 1) & mask;
        }
        slots[at] = dentry;
    }

    /** Removes an entry if it is in the table; those behind it in its chain move up. */
    void remove(Dentry removed) {
        int mask = slots.length - 1;
        byte[] name = removed.nameBytes();
        int at = hash(MemorySegment.ofArray(name), 0, name.length) & mask;
        while (slots[at] != removed) {
            if (slots[at] == null) {
                return;
            }
            at = (at + 1) & mask;
        }
        slots[at] = null;
        size--;
        for (int next = (at + 1) & mask; slots[next] != null; next = (next + 1) & mask) {
            Dentry moved = slots[next];
            slots[next] = null;
            if (moved != null) {
                place(moved);
            }
        }
    }

    void forEach(Consumer<Dentry> action) {
        for (Dentry each : slots.clone()) {
            if (each != null) {
                action.accept(each);
            }
        }
    }

    private static boolean equal(byte[] name, MemorySegment segment, long offset, int length) {
        if (name.length != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (name[i] != segment.get(ValueLayout.JAVA_BYTE, offset + i)) {
                return false;
            }
        }
        return true;
    }

    private static int hash(MemorySegment segment, long offset, int length) {
        int hash = 0;
        for (int i = 0; i < length; i++) {
            hash = hash * 31 + segment.get(ValueLayout.JAVA_BYTE, offset + i);
        }
        return hash ^ hash >>> 15;
    }
}
