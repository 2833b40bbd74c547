package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads tables of spans that follow each other as one of all, with a record of each in memory at a time. Confined to
 * one thread.
 */
final class TableMerge implements AutoCloseable {
    private final List<Cursor> cursors = new ArrayList<>();

    /** One table, and the next record of it. */
    private static final class Cursor {
        final String key;
        final CheckpointReader in;

        @Nullable
        LogRecord next;

        private long lastId;

        Cursor(String key, CheckpointReader in) throws IOException {
            this.key = key;
            this.in = in;
            advance();
        }

        /** Returns the version that the next record is of; 0 for none. */
        long id() {
            return next == null ? 0 : VersionChange.versionOf(next);
        }

        void advance() throws IOException {
            next = in.next();
            if (id() != 0 && id() < lastId) {
                throw new CorruptArchiveException(key, "its versions are out of order");
            }
            lastId = next == null || id() == 0 ? Long.MAX_VALUE : id();
        }
    }

    /**
     * Begins to read.
     *
     * @param tables of one section, in the order of their spans
     */
    TableMerge(BlobStore store, List<Tables.Stored> tables) throws IOException {
        try {
            for (Tables.Stored table : tables) {
                CheckpointReader in = new CheckpointReader(store, table.key(), FixedHeader.TABLE);
                boolean isKept = false;
                try {
                    cursors.add(new Cursor(table.key(), in));
                    isKept = true;
                } finally {
                    if (!isKept) {
                        in.close();
                    }
                }
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** Returns what a table of all of them begins with. */
    FixedHeader header() {
        return cursors.getLast().in.header();
    }

    /** Returns the next version that any of them is about; 0 behind the last. */
    private long nextId() {
        long id = 0;
        for (Cursor each : cursors) {
            id = id == 0 || (each.id() > 0 && each.id() < id) ? each.id() : id;
        }
        return id;
    }

    /** Writes a row for each version, and behind them what is of no version, in the order of the log. */
    void names(Checkpoint.Sink out) throws IOException {
        for (long id = nextId(); id > 0; id = nextId()) {
            VersionChange whole = null;
            for (Cursor each : cursors) {
                VersionChange part = null;
                while (each.id() == id) {
                    part = part == null ? new VersionChange(id) : part;
                    part.take(each.key, next(each));
                }
                if (whole == null) {
                    whole = part;
                } else if (part != null) {
                    whole.add(each.key, part);
                }
            }
            if (whole != null) {
                whole.write(out);
            }
        }
        for (Cursor each : cursors) {
            while (each.next != null) {
                out.write(next(each));
            }
        }
    }

    /** Writes all extents, by version. */
    void extents(Checkpoint.Sink out) throws IOException {
        for (long id = nextId(); id > 0; id = nextId()) {
            extents(id, out);
        }
    }

    /** Writes the extents of a version, and leaves out those of versions before it. */
    void extents(long id, Checkpoint.Sink out) throws IOException {
        for (Cursor each : cursors) {
            while (each.next != null && each.id() <= id) {
                boolean isOfIt = each.id() == id;
                LogRecord record = next(each);
                if (isOfIt) {
                    out.write(record);
                }
            }
        }
    }

    private static LogRecord next(Cursor cursor) throws IOException {
        LogRecord record = cursor.next;
        if (record == null) {
            throw new IllegalStateException("there is no record left");
        }
        cursor.advance();
        return record;
    }

    @Override
    public void close() {
        for (Cursor each : cursors) {
            try {
                each.in.close();
            } catch (IOException e) {
                // it was only read
            }
        }
    }
}
