package io.chagres.watch;

import org.jspecify.annotations.Nullable;

/** Maps watch descriptors, which are positive, to directories: open addressing, nothing allocated by look-ups. */
final class WatchTable {
    private int[] keys = new int[16];
    private @Nullable WatchedDirectory[] values = new WatchedDirectory[16];
    private int size;

    @Nullable
    WatchedDirectory get(int watchDescriptor) {
        return values[find(watchDescriptor)];
    }

    private int find(int key) {
        int mask = keys.length - 1;
        int slot = home(key, mask);
        while (values[slot] != null && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private static int home(int key, int mask) {
        return ((key * 0x9E3779B9) >>> 7) & mask;
    }

    void put(int watchDescriptor, WatchedDirectory directory) {
        if ((size + 1) * 2 > keys.length) {
            grow();
        }
        int slot = find(watchDescriptor);
        if (values[slot] == null) {
            size++;
        }
        keys[slot] = watchDescriptor;
        values[slot] = directory;
    }

    private void grow() {
        int[] oldKeys = keys;
        @Nullable WatchedDirectory[] oldValues = values;
        keys = new int[oldKeys.length * 2];
        values = new WatchedDirectory[keys.length];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldValues[i] != null) {
                int slot = find(oldKeys[i]);
                keys[slot] = oldKeys[i];
                values[slot] = oldValues[i];
            }
        }
    }

    @Nullable
    WatchedDirectory remove(int watchDescriptor) {
        int gap = find(watchDescriptor);
        WatchedDirectory removed = values[gap];
        if (removed == null) {
            return null;
        }
        size--;
        int mask = keys.length - 1;
        int slot = (gap + 1) & mask;
        while (values[slot] != null) {
            if (((slot - home(keys[slot], mask)) & mask) >= ((slot - gap) & mask)) {
                keys[gap] = keys[slot];
                values[gap] = values[slot];
                gap = slot;
            }
            slot = (slot + 1) & mask;
        }
        values[gap] = null;
        return removed;
    }

    int size() {
        return size;
    }
}
