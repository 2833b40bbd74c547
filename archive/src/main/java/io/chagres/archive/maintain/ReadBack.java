package io.chagres.archive.maintain;

import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.Checkpoint;
import io.chagres.archive.state.ExtentRows;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.RowSorter;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Reads data objects back from the store before anything goes that they stand for, and compares every piece with its
 * checksum. Stateless.
 */
final class ReadBack {
    private static final long CACHE_BYTES = 4L << 20;

    private ReadBack() {}

    /**
     * Reads what a checkpoint refers to that lies in data objects, in the order in which the store holds it.
     *
     * @param but objects that need not be read
     * @param tables help to sort
     * @return what is wrong with each object that does not hold what is said of it, in that order
     */
    static Map<String, CorruptArchiveException> faults(
            BlobStore store, String hostId, CheckpointId checkpoint, Set<String> but, LocalTables tables)
            throws IOException {
        try (RowSorter rows = tables.sorter()) {
            ExtentRows layout = new ExtentRows();
            Checkpoint.extents(store, hostId, checkpoint, extent -> {
                String object = VersionReader.dataObject(hostId, extent);
                if (object != null && !but.contains(object)) {
                    rows.add(layout.asStored(extent));
                }
            });
            return faults(store, hostId, ExtentRows.asStored(rows));
        }
    }

    private static Map<String, CorruptArchiveException> faults(
            BlobStore store, String hostId, Iterable<LogRecord.Extent> extents) throws IOException {
        Map<String, CorruptArchiveException> faults = new LinkedHashMap<>();
        try (VersionReader reader = new VersionReader(store, hostId, id -> null, CACHE_BYTES)) {
            reader.expect(extents.iterator());
            for (LogRecord.Extent extent : extents) {
                String object = VersionReader.dataObject(hostId, extent);
                reader.readPieces(extent, new VersionReader.PieceVisitor() {
                    @Override
                    public void good(long position, MemorySegment bytes) {}

                    @Override
                    public void damaged(long start, long end, CorruptArchiveException cause) {
                        faults.putIfAbsent(String.valueOf(object), cause);
                    }
                });
            }
        }
        return faults;
    }
}
