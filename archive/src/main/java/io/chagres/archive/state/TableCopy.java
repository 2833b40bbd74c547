package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.RecordReader;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Copies a section of tables into another table, with rows that changed since: of rows with one key the newest counts.
 * Where one table alone has rows its blocks are copied as they are and not read, so that writing a table again costs
 * little more than its bytes. Confined to one thread.
 */
final class TableCopy {
    /** Fewer bytes of blocks are not copied as they are: each copy may end a block before it is full. */
    static final int MIN_COPIED_BYTES = 64 << 10;

    /** The most bytes that are fetched ahead of all tables. */
    private static final int AHEAD_BYTES = 8 << 20;

    private static final int MIN_AHEAD_BYTES = 256 << 10;

    /**
     * A row that stands in the place of the tables' with the same key if they have one.
     *
     * @param records writes it; nothing where it is gone
     */
    record Change(byte[] key, CheckpointWriter.Records records) {}

    private final int section;
    private final CheckpointWriter to;
    private final int aheadBytes;
    private final PriorityQueue<Rows> sources =
            new PriorityQueue<>(Comparator.<Rows, byte[]>comparing(Rows::firstKey, Arrays::compareUnsigned)
                    .thenComparingInt(rows -> rows.age));

    private TableCopy(int section, CheckpointWriter to, int tables) {
        this.section = section;
        this.to = to;
        aheadBytes = Math.clamp(AHEAD_BYTES / Math.max(1, tables), MIN_AHEAD_BYTES, StateTable.AHEAD_BYTES);
    }

    /**
     * Copies.
     *
     * @param tables of one kind, the newest first; they stay the caller's
     * @param changes in the order of their keys
     * @param isWhole whether they are all tables: the last has no row of a name that is gone, and none is written
     * @param to has everything of earlier sections
     * @throws CorruptArchiveException when rows that were read are damaged; blocks that are copied are not looked at
     */
    static void copy(
            List<StateTable> tables, int section, Iterator<Change> changes, boolean isWhole, CheckpointWriter to)
            throws IOException {
        TableCopy copy = new TableCopy(section, to, tables.size());
        copy.add(copy.new Changes(changes));
        for (int age = 1; age <= tables.size(); age++) {
            copy.add(copy.new Blocks(tables.get(age - 1), age, isWhole && age < tables.size()));
        }
        copy.copy();
    }

    private void add(Rows rows) {
        if (rows.key != null) {
            sources.add(rows);
        }
    }

    private void copy() throws IOException {
        for (Rows first = sources.poll(); first != null; first = sources.poll()) {
            byte[] key = first.firstKey();
            Rows next = sources.peek();
            while (next != null && Arrays.equals(next.key, key)) {
                sources.remove();
                next.take(false);
                add(next);
                next = sources.peek();
            }
            first.takeBefore(next == null ? null : next.key);
            add(first);
        }
    }

    private static boolean isBefore(byte[] key, byte @Nullable [] bound) {
        return bound == null || Arrays.compareUnsigned(key, bound) < 0;
    }

    /** Rows in the order of their keys. */
    private abstract static class Rows {
        final int age;

        /** That of the next row; null behind the last. */
        byte @Nullable [] key;

        Rows(int age) {
            this.age = age;
        }

        byte[] firstKey() {
            byte[] first = key;
            if (first == null) {
                throw new IllegalStateException("there is no row");
            }
            return first;
        }

        /** Writes the next row, or leaves it out. */
        abstract void take(boolean isWritten) throws IOException;

        /** Writes the next row, and those before a key. */
        void takeBefore(byte @Nullable [] bound) throws IOException {
            do {
                take(true);
            } while (key != null && isBefore(key, bound));
        }
    }

    private final class Changes extends Rows {
        private final Iterator<Change> changes;
        private @Nullable Change next;

        Changes(Iterator<Change> changes) {
            super(0);
            this.changes = changes;
            advance();
        }

        private void advance() {
            next = changes.hasNext() ? changes.next() : null;
            key = next == null ? null : next.key();
        }

        @Override
        void take(boolean isWritten) throws IOException {
            if (next != null && isWritten) {
                next.records().writeTo(to);
            }
            advance();
        }
    }

    /** The rows of a table, of one block in memory at a time. */
    private final class Blocks extends Rows {
        private final StateTable table;
        private final TableBlocks blocks;
        private final int end;

        /** Whether it has rows that are not written. */
        private final boolean isThinned;

        /** The block behind the one that is read. */
        private int block;

        private RecordReader records;

        /** What the next row begins with, as far as the block was read; null at the start of a block. */
        private @Nullable LogRecord first;

        Blocks(StateTable table, int age, boolean isThinned) {
            super(age);
            this.table = table;
            this.isThinned = isThinned;
            blocks = table.blocks();
            block = blocks.start(section);
            end = blocks.end(section);
            records = table.reader(new byte[0], 0);
            atBlock();
        }

        private void atBlock() {
            first = null;
            key = block < end ? blocks.get(block).key() : null;
        }

        @Override
        void take(boolean isWritten) throws IOException {
            LogRecord record = first;
            if (record == null) {
                read();
                record = records.hasNext() ? records.next() : null;
            }
            do {
                boolean isLeft = isThinned && record instanceof LogRecord.NameRemoved;
                if (record == null || (isWritten && !isLeft && !to.add(record))) {
                    throw new CorruptArchiveException(table.key(), "its records are not in their order");
                }
                record = following();
                first = record;
                key = record == null ? null : table.keyOf(record);
            } while (record != null && key == null);
            if (record == null) {
                atBlock();
            }
        }

        private void read() throws IOException {
            byte[] frame = table.frames().content(block, aheadBytes);
            records = table.reader(table.records(block, frame), 0);
            block++;
        }

        /** Returns the next record; null at a block that begins with a row, and behind the last. */
        private @Nullable LogRecord following() throws IOException {
            while (!records.hasNext()) {
                if (block == end || table.beginsRow(block)) {
                    return null;
                }
                read();
            }
            return records.next();
        }

        @Override
        void takeBefore(byte @Nullable [] bound) throws IOException {
            do {
                int copied = first == null && !isThinned ? copiedBefore(bound) : block;
                if (copied == block) {
                    take(true);
                } else {
                    copy(copied);
                }
            } while (key != null && isBefore(key, bound));
        }

        /** Returns the end of the blocks from the next one on that are copied as they are. */
        private int copiedBefore(byte @Nullable [] bound) throws IOException {
            long bytes = 0;
            int until = block;
            for (int next = block; next > 0 && next < end && fits(next); ) {
                bytes += table.frames().contentBytes(next++);
                if (next == end || table.beginsRow(next)) {
                    byte[] limit =
                            next == end ? table.end(section) : blocks.get(next).key();
                    if (bound != null && Arrays.compareUnsigned(bound, limit) < 0) {
                        break;
                    }
                    until = next;
                }
            }
            return bytes >= MIN_COPIED_BYTES && until > block && to.mayCopy() ? until : block;
        }

        private boolean fits(int each) {
            return table.frames().storedBytes(each) <= CheckpointWriter.MAX_FRAME_BYTES;
        }

        private void copy(int until) throws IOException {
            for (; block < until; block++) {
                byte[] frame = table.frames().stored(block, aheadBytes);
                boolean isLast = block + 1 == end || section != TableIndex.VERSIONS;
                long lastId = isLast ? table.lastId() : blocks.get(block + 1).id() - 1;
                to.copy(blocks.get(block), frame, table.frames().contentBytes(block), lastId);
            }
            atBlock();
        }
    }
}
