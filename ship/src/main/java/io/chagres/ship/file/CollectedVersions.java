package io.chagres.ship.file;

import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Finds collected versions by their ids: open addressing, at most three quarters full. Confined to one thread. */
final class CollectedVersions {
    private @Nullable CollectedVersion[] slots = new CollectedVersion[16];
    private int size;

    @Nullable
    CollectedVersion get(long versionId) {
        return slots[slot(versionId)];
    }

    /** Adds a version, in the place of another with its id. */
    void put(CollectedVersion version) {
        int at = slot(version.versionId());
        if (slots[at] == null) {
            size++;
        }
        slots[at] = version;
        if (size * 4L > slots.length * 3L) {
            grow();
        }
    }

    private int slot(long versionId) {
        int at = (int) versionId & slots.length - 1; // they are given away one after the other
        for (CollectedVersion each = slots[at]; each != null && each.versionId() != versionId; each = slots[at]) {
            at = at + 1 & slots.length - 1;
        }
        return at;
    }

    int size() {
        return size;
    }

    /** Returns all in the order of their ids. */
    CollectedVersion[] sorted() {
        CollectedVersion[] all = new CollectedVersion[size];
        int count = 0;
        for (CollectedVersion each : slots) {
            if (each != null) {
                all[count++] = each;
            }
        }
        Arrays.sort(all, Comparator.comparingLong(CollectedVersion::versionId));
        return all;
    }

    private void grow() {
        @Nullable CollectedVersion[] before = slots;
        slots = new CollectedVersion[before.length * 2];
        for (CollectedVersion each : before) {
            if (each != null) {
                slots[slot(each.versionId())] = each;
            }
        }
    }
}
