package io.chagres.archive.read;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.format.FrameTable;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Reads the frames of an object by its seek table, as a reader of one position does. Stateless. */
public final class FrameCheck {
    private FrameCheck() {}

    /**
     * Checks that an object is frames and a seek table that says where each is.
     *
     * @throws CorruptArchiveException when it is something else
     */
    public static void check(BlobStore store, String key) throws IOException {
        try (Arena arena = Arena.ofConfined();
                FrameCache frames = new FrameCache(store, 1, arena)) {
            MemorySegment target = arena.allocate(SeekableFrames.MAX_STORED_BYTES, 8);
            FrameTable table = frames.table(key);
            if (table.storedStart(0) != 0) {
                throw new CorruptArchiveException(key, "its seek table does not cover its first bytes");
            }
            long at = 0;
            while (at < table.contentBytes()) {
                at += frames.read(key, at, target);
            }
        }
    }
}
