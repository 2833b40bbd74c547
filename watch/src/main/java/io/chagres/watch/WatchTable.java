package io.chagres.watch;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds the directory of a watch descriptor: open addressing, no allocation per lookup. */
final class WatchTable {
    private static final int FIRST_SLOTS = 16;

    private int[] keys = new int[FIRST_SLOTS];
    private @Nullable WatchedDirectory[] directories = new WatchedDirectory[FIRST_SLOTS];
    private int size;

    int size() {
        return size;
    }

    @Nullable WatchedDirectory get(int wd) {
        int mask = keys.length - 1;
        for (int at = spread(wd) & mask; directories[at] != null; at = (at + 1) & mask) {
            if (keys[at] == wd) {
                return directories[at];
            }
        }
        return null;
    }

    void put(int wd, WatchedDirectory directory) {
        remove(wd);
        if ((size + 1) * 4 > keys.length * 3) {
            grow();
        }
        place(wd, directory);
        size++;
    }

    private void grow() {
        int[] oldKeys = keys;
        @Nullable WatchedDirectory[] old = directories;
        keys = new int[oldKeys.length * 2];
        directories = new WatchedDirectory[keys.length];
        for (int i = 0; i < old.length; i++) {
            WatchedDirectory each = old[i];
            if (each != null) {
                place(oldKeys[i], each);
            }
        }
    }

    private void place(int wd, WatchedDirectory directory) {
        int mask = keys.length - 1;
        int at = spread(wd) & mask;
        while (directories[at] != null) {
            at = (at + 1) & mask;
        }
        keys[at] = wd;
        directories[at] = directory;
    }

    void remove(int wd) {
        int mask = keys.length - 1;
        int at = spread(wd) & mask;
        while (directories[at] != null && keys[at] != wd) {
            at = (at + 1) & mask;
        }
        if (directories[at] == null) {
            return;
        }
        directories[at] = null;
        size--;
        for (int next = (at + 1) & mask; directories[next] != null; next = (next + 1) & mask) {
            WatchedDirectory moved = directories[next];
            directories[next] = null;
            if (moved != null) {
                place(keys[next], moved);
            }
        }
    }

    void forEach(Consumer<WatchedDirectory> action) {
        for (WatchedDirectory each : directories.clone()) {
            if (each != null) {
                action.accept(each);
            }
        }
    }

    private static int spread(int wd) {
        return wd * 0x9E3779B9 >>> 8;
    }
}
