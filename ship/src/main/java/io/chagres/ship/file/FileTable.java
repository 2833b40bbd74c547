package io.chagres.ship.file;

import io.chagres.watch.FileIdentity;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tail of a file by its kernel identity. Two mounted copies of one file-system image have equal identities;
 * in memory the device tells them apart. Confined to the shipper's thread.
 */
public final class FileTable {
    private final Map<Long, Map<FileIdentity, Tail>> devices = new HashMap<>();
    private final FileQueue fresh = new FileQueue(FileQueue.For.FIRST_LOOK);

    /** Returns the current version of a file, or null. */
    @Nullable
    public Tail find(FileIdentity identity, long device) {
        Map<FileIdentity, Tail> tails = devices.get(device);
        return tails == null ? null : tails.get(identity);
    }

    /** Makes a tail the current version of its file. */
    public void put(Tail tail) {
        devices.computeIfAbsent(tail.device, each -> new HashMap<>()).put(tail.identity, tail);
        fresh.add(tail);
    }

    /** Takes a tail that was put since; null when there is none. */
    public @Nullable Tail pollFresh() {
        return fresh.poll();
    }

    /** Forgets a file, if this tail still is its current version. */
    public void remove(Tail tail) {
        Map<FileIdentity, Tail> tails = devices.get(tail.device);
        if (tails != null) {
            tails.remove(tail.identity, tail);
        }
    }

    /** Returns the current version of every file followed. */
    public Collection<Tail> all() {
        if (devices.size() == 1) {
            return devices.values().iterator().next().values();
        }
        List<Tail> all = new ArrayList<>(size());
        devices.values().forEach(tails -> all.addAll(tails.values()));
        return all;
    }

    /** Returns how many files are followed. */
    public int size() {
        int size = 0;
        for (Map<FileIdentity, Tail> tails : devices.values()) {
            size += tails.size();
        }
        return size;
    }
}
