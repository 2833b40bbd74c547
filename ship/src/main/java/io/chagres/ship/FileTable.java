package io.chagres.ship;

import io.chagres.watch.FileIdentity;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tail of a file by its kernel identity. Two mounted copies of one file-system image have equal identities;
 * in memory the device tells them apart. Confined to the shipper's thread.
 */
final class FileTable {
    private record Key(FileIdentity identity, long device) {}

    private final Map<Key, Tail> tails = new HashMap<>();

    @Nullable
    Tail find(FileIdentity identity, long device) {
        return tails.get(new Key(identity, device));
    }

    /** Makes a tail the current version of its file. */
    void put(Tail tail) {
        tails.put(new Key(tail.identity, tail.device), tail);
    }

    /** Forgets a file, if this tail still is its current version. */
    void remove(Tail tail) {
        tails.remove(new Key(tail.identity, tail.device), tail);
    }

    /** Returns the current version of every file followed. */
    Collection<Tail> all() {
        return tails.values();
    }

    int size() {
        return tails.size();
    }
}
