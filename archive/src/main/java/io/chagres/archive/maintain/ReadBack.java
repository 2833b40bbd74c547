package io.chagres.archive.maintain;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads data objects back from the store before anything goes that they stand for, and compares every piece with its
 * checksum. Stateless.
 */
final class ReadBack {
    private static final long CACHE_BYTES = 4L << 20;

    private ReadBack() {}

    /**
     * Reads extents that lie in data objects.
     *
     * @param extents in the order in which the store holds them
     * @return what is wrong with each object that does not hold what is said of it, in that order
     */
    static Map<String, CorruptArchiveException> faults(BlobStore store, String hostId, List<LogRecord.Extent> extents)
            throws IOException {
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
