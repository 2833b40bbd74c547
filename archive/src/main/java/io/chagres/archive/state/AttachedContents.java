package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A state that tables of names were applied to: the extents that it has, and behind them those of tables, which
 * are read once. Versions are asked for in the order of their ids, each once. Confined to one thread.
 */
final class AttachedContents implements CheckpointContents, AutoCloseable {
    private final String key;
    private final TableMerge merge;

    /** Begins to read tables of extents. */
    AttachedContents(BlobStore store, Tables tables) throws IOException {
        merge = new TableMerge(store, tables.extents());
        key = tables.names().getLast().key();
    }

    @Override
    public Iterable<LogRecord.Extent> extents(FileVersion version) {
        List<LogRecord.Extent> extents = new ArrayList<>(Extents.of(version));
        long[] end = {
            extents.isEmpty() ? version.startPosition() : extents.getLast().end()
        };
        try {
            merge.extents(version.id(), record -> {
                if (record instanceof LogRecord.Extent extent
                        && extent.start() == end[0]
                        && end[0] < version.length()) {
                    extents.add(extent);
                    end[0] = extent.end();
                }
            });
            if (end[0] != version.length()) {
                throw new CorruptArchiveException(
                        key, "nothing says where byte " + end[0] + " of version " + version.id() + " is");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return extents;
    }

    /**
     * Reads what is left.
     *
     * @throws CorruptArchiveException when one of the tables is not whole
     */
    void finish() throws IOException {
        merge.extents(record -> {});
    }

    @Override
    public void close() {
        merge.close();
    }
}
