package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads sorted tables as one of all, with a row of each in memory at a time: of each row the newest table that has one
 * counts. Each is read to its end, and proves to be whole. Confined to one thread.
 */
final class TableMerge implements AutoCloseable {
    /** Those of names and versions, the newest first; a checkpoint is the last. */
    private final List<Cursor> states = new ArrayList<>();

    /** Those of extents, in the order of their spans. */
    private final List<Cursor> extents = new ArrayList<>();

    /** Whether it is found out where the bytes of all versions are. */
    private boolean attaches;

    /** One table, and the next record of it. */
    private static final class Cursor {
        final String key;
        final CheckpointReader in;

        @Nullable
        LogRecord next;

        /** The version that the next record is of; 0 for none. */
        long id;

        private byte @Nullable [] name;

        Cursor(String key, CheckpointReader in) throws IOException {
            this.key = key;
            this.in = in;
            advance();
        }

        private void advance() throws IOException {
            LogRecord read = in.next();
            next = read;
            id = read == null ? 0 : TableIndex.versionOf(read);
            name = null;
        }

        boolean isCheckpoint() {
            return in.header().kind() == FixedHeader.CHECKPOINT;
        }

        boolean isIn(int section) {
            return next != null && TableIndex.sectionOf(next) == section;
        }

        /** Returns the key of the next name. */
        byte[] name() {
            byte[] known = name;
            if (known == null) {
                known = Objects.requireNonNull(TableIndex.rowKey(Objects.requireNonNull(next)));
                name = known;
            }
            return known;
        }

        LogRecord take() throws IOException {
            LogRecord taken = Objects.requireNonNull(next);
            advance();
            return taken;
        }
    }

    private TableMerge() {}

    /**
     * Begins to read a checkpoint and the tables behind it; at least one of them there is.
     *
     * @param attaches whether it is asked where bytes are
     */
    static TableMerge of(BlobStore store, String hostId, Tables of, boolean attaches) throws IOException {
        String checkpoint = of.base().seq() > 0 ? ArchiveLayout.checkpoint(hostId, of.base()) : null;
        TableMerge merge = opened(store, of.names(), attaches ? of.extents() : List.of(), checkpoint);
        merge.attaches = attaches;
        return merge;
    }

    private static TableMerge opened(
            BlobStore store, List<Tables.Stored> names, List<Tables.Stored> extents, @Nullable String checkpoint)
            throws IOException {
        TableMerge merge = new TableMerge();
        int count = names.size() + extents.size() + 1;
        boolean isOpen = false;
        try {
            for (Tables.Stored each : names.reversed()) {
                merge.states.add(cursor(store, each.key(), FixedHeader.TABLE, count));
            }
            if (checkpoint != null) {
                merge.states.add(cursor(store, checkpoint, FixedHeader.CHECKPOINT, count));
            }
            for (Tables.Stored each : extents) {
                merge.extents.add(cursor(store, each.key(), FixedHeader.TABLE, count));
            }
            isOpen = true;
            return merge;
        } finally {
            if (!isOpen) {
                merge.close();
            }
        }
    }

    private static Cursor cursor(BlobStore store, String key, int kind, int beside) throws IOException {
        CheckpointReader in = new CheckpointReader(store, key, kind, beside);
        boolean isKept = false;
        try {
            Cursor cursor = new Cursor(key, in);
            isKept = true;
            return cursor;
        } finally {
            if (!isKept) {
                in.close();
            }
        }
    }

    private Cursor newest() {
        return states.isEmpty() ? extents.getLast() : states.getFirst();
    }

    /** Returns the key of the newest. */
    String key() {
        return newest().key;
    }

    /** Returns what an object of all of them begins with. */
    FixedHeader header() {
        return newest().in.header();
    }

    /**
     * Takes over a checkpoint and the tables behind it, at least one of them, into a state before the first commit.
     *
     * @param attaches whether it is asked where bytes are
     * @throws CorruptArchiveException when one is damaged; the state is then not usable
     */
    static void restore(BlobStore store, String hostId, Tables of, boolean attaches, HostState state)
            throws IOException {
        try (TableMerge merge = of(store, hostId, of, attaches)) {
            long timeMs = merge.header().timeMs();
            merge.state(record -> state.apply(merge.key(), record, timeMs));
            state.restored(merge.header());
        }
    }

    /** Gives all rows of the state that they add up to, as a checkpoint has them; lengths where bytes are elsewhere. */
    void state(RecordSink out) throws IOException {
        for (Cursor each : states) {
            while (each.isIn(TableIndex.HOST)) {
                LogRecord fact = each.take();
                if (each == states.getFirst()) {
                    out.write(fact);
                }
            }
        }
        for (long id = nextId(); id > 0; id = nextId()) {
            version(id, out);
        }
        for (Cursor first = nextName(); first != null; first = nextName()) {
            byte[] key = first.name();
            for (Cursor each : states) {
                if (each != first && each.next != null && Arrays.equals(each.name(), key)) {
                    each.take();
                }
            }
            LogRecord row = first.take();
            if (row instanceof LogRecord.NameAdded) {
                out.write(row);
            }
        }
    }

    private static long least(long id, List<Cursor> cursors) {
        long least = id;
        for (Cursor each : cursors) {
            least = least == 0 || (each.id > 0 && each.id < least) ? each.id : least;
        }
        return least;
    }

    /** Returns the next version that any of them is about; 0 behind the last. */
    private long nextId() {
        return least(least(0, states), extents);
    }

    /** Returns the newest that has the next name; null behind the last. */
    private @Nullable Cursor nextName() {
        Cursor first = null;
        for (Cursor each : states) {
            if (each.next != null && (first == null || Arrays.compareUnsigned(each.name(), first.name()) < 0)) {
                first = each;
            }
        }
        return first;
    }

    private void version(long id, RecordSink out) throws IOException {
        Cursor from = null;
        for (Cursor each : states) {
            from = from == null && each.id == id ? each : from;
        }
        if (from != null && from.isCheckpoint()) {
            while (from.id == id) {
                out.write(from.take());
            }
        } else if (from != null) {
            changed(id, from, out);
        }
        for (Cursor each : states) {
            while (each.id == id) {
                each.take();
            }
        }
        for (Cursor each : extents) {
            while (each.id == id) {
                each.take();
            }
        }
    }

    /** Gives a version that a table changed: its extents follow its opening, as in a checkpoint. */
    private void changed(long id, Cursor from, RecordSink out) throws IOException {
        List<LogRecord> rest = new ArrayList<>();
        long length = 0;
        long end = 0;
        while (from.id == id) {
            LogRecord record = from.take();
            if (record instanceof LogRecord.VersionOpened opened) {
                end = opened.startPosition();
                length = end;
                out.write(record);
            } else if (record instanceof LogRecord.VersionNames) {
                out.write(record);
            } else {
                boolean isLength = record instanceof LogRecord.VersionLength;
                length = record instanceof LogRecord.VersionLength told ? told.length() : length;
                if (!isLength || !attaches) {
                    rest.add(record);
                }
            }
        }
        Cursor last = states.getLast();
        if (last.isCheckpoint()) {
            end = attach(id, last, end, length, out);
        }
        for (Cursor each : extents) {
            end = attach(id, each, end, length, out);
        }
        if (attaches && end != length) {
            throw new CorruptArchiveException(key(), "nothing says where byte " + end + " of version " + id + " is");
        }
        for (LogRecord record : rest) {
            out.write(record);
        }
    }

    /** Gives the extents behind a position that one has of a version, up to its length; returns where they end. */
    private static long attach(long id, Cursor from, long start, long length, RecordSink out) throws IOException {
        long end = start;
        while (from.id == id) {
            if (from.take() instanceof LogRecord.Extent extent && extent.start() == end && end < length) {
                out.write(extent);
                end = extent.end();
            }
        }
        return end;
    }

    @Override
    public void close() {
        for (List<Cursor> cursors : List.of(states, extents)) {
            for (Cursor each : cursors) {
                try {
                    each.in.close();
                } catch (IOException e) {
                    // it was only read
                }
            }
        }
    }
}
