package io.chagres.dedupe;

import java.util.Arrays;

/** From a hash to a number, both primitive. Confined to one thread. */
final class LongMap {
    /** The value that {@link #get} returns where there is none. */
    static final long NONE = -1;

    private long[] keys = new long[64];
    private long[] values = new long[64];
    private int size;

    LongMap() {
        Arrays.fill(values, NONE);
    }

    /** Forgets all, and the memory of many. */
    void clear() {
        if (keys.length > 1024) {
            keys = new long[64];
            values = new long[64];
        }
        Arrays.fill(values, NONE);
        size = 0;
    }

    int size() {
        return size;
    }

    long get(long key) {
        return values[place(key)];
    }

    /** Puts a number, 0 or more. */
    void put(long key, long value) {
        int place = place(key);
        if (values[place] == NONE && ++size * 2L > keys.length) {
            grow();
            place = place(key);
        }
        keys[place] = key;
        values[place] = value;
    }

    private int place(long key) {
        int mask = keys.length - 1;
        int place = (int) BitMixer.of(key) & mask;
        while (values[place] != NONE && keys[place] != key) {
            place = place + 1 & mask;
        }
        return place;
    }

    private void grow() {
        long[] oldKeys = keys;
        long[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new long[oldKeys.length * 2];
        Arrays.fill(values, NONE);
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldValues[i] != NONE) {
                int place = place(oldKeys[i]);
                keys[place] = oldKeys[i];
                values[place] = oldValues[i];
            }
        }
    }
}
