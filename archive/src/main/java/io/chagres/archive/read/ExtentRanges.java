package io.chagres.archive.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.LazyIterator;
import io.chagres.archive.store.BlobRange;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Says for extents that are read whole which parts of objects are read, one after the other. It says nothing
 * about copies. Confined to one thread at a time.
 */
public final class ExtentRanges extends LazyIterator<BlobRange> {
    /** Most commits are smaller; the rest of a larger one is fetched when it is read. */
    public static final int COMMIT_BYTES = 512 * 1024;

    private static final int WINDOW_BYTES = 1 << 20;
    /** Holds a pack as compaction makes them, if its bytes do not compress. */
    private static final int PACK_BYTES = 9 << 20;

    /** Holds the seek table of an object. */
    private static final int TABLE_BYTES = 64 * 1024;

    private final String hostId;
    private final Iterator<? extends LogRecord.Extent> extents;
    private final Queue<BlobRange> ranges = new ArrayDeque<>();
    private long seq = -1;
    private @Nullable String pack;
    private boolean packAdded;
    private LogRecord.@Nullable ObjectRun object;
    private long offset;

    ExtentRanges(String hostId, Iterator<? extends LogRecord.Extent> extents) {
        this.hostId = hostId;
        this.extents = extents;
    }

    @Override
    protected @Nullable BlobRange following() {
        while (ranges.isEmpty() && (object != null || extents.hasNext())) {
            if (object != null) {
                addWindow(object);
            } else {
                begin(extents.next());
            }
        }
        return ranges.poll();
    }

    private void begin(LogRecord.Extent extent) {
        if (extent instanceof LogRecord.Run run && run.seq() != seq) {
            seq = run.seq();
            ranges.add(new BlobRange(ArchiveLayout.commit(hostId, seq), 0, COMMIT_BYTES));
        } else if (extent instanceof LogRecord.PackedRun run) {
            addPack(ArchiveLayout.pack(hostId, run.packLength(), run.unique()));
        } else if (extent instanceof LogRecord.ObjectRun run) {
            object = run;
            offset = 0;
            long table = run.objectLength() - TABLE_BYTES;
            if (run.codec() != Codec.NONE && table > 0) {
                ranges.add(new BlobRange(ArchiveLayout.object(hostId, run), table, TABLE_BYTES));
            }
        }
    }

    /** One piece alone is fetched when it is read; a reader that wants several pieces of a pack gets all of it. */
    private void addPack(String key) {
        boolean another = !key.equals(pack);
        if (!another && !packAdded) {
            ranges.add(new BlobRange(key, 0, PACK_BYTES));
        }
        packAdded = !another;
        pack = key;
    }

    private void addWindow(LogRecord.ObjectRun run) {
        int length = (int) Math.min(WINDOW_BYTES, run.objectLength() - offset);
        if (length > 0) {
            ranges.add(new BlobRange(ArchiveLayout.object(hostId, run), offset, length));
        }
        offset += length;
        if (length < WINDOW_BYTES) {
            object = null;
        }
    }
}
