package io.chagres.archive.state;

import io.chagres.archive.LogRecord;
import io.chagres.archive.format.RecordReader;
import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Copies a section of a table into another table, with rows that changed since. Blocks without a change are copied as
 * they are, so that writing a table again costs little more than its bytes. Confined to one thread.
 */
final class TableCopy {
    /**
     * A row that stands in the place of the table's with the same key if it has one.
     *
     * @param records writes it; nothing where it is gone
     */
    record Change(byte[] key, Checkpoint.Records records) {}

    private final StateTable table;
    private final int section;
    private final Iterator<Change> changes;
    private final CheckpointWriter to;
    private @Nullable Change next;

    /** Whether the row that is read has a change, which is written before the next row. */
    private boolean isReplaced;

    private TableCopy(StateTable table, int section, Iterator<Change> changes, CheckpointWriter to) {
        this.table = table;
        this.section = section;
        this.changes = changes;
        this.to = to;
        advance();
    }

    /**
     * Copies.
     *
     * @param changes in the order of their keys
     * @param to has everything of earlier sections
     */
    static void copy(StateTable table, int section, Iterator<Change> changes, CheckpointWriter to) throws IOException {
        new TableCopy(table, section, changes, to).copy();
    }

    private void advance() {
        next = changes.hasNext() ? changes.next() : null;
    }

    private void copy() throws IOException {
        TableBlocks blocks = table.blocks();
        for (int block = blocks.start(section); block < blocks.end(section); ) {
            int end = blocks.opening(block + 1, section);
            boolean isLast = end == blocks.end(section);
            writeBefore(blocks.get(block).key());
            byte[] bound = isLast ? table.end(section) : blocks.get(end).key();
            boolean same = next == null || Arrays.compareUnsigned(next.key(), bound) >= 0;
            long lastId = isLast || section != TableIndex.VERSIONS
                    ? table.lastId()
                    : blocks.get(end).id() - 1;
            if (same && mayCopy(block, end)) {
                for (; block < end; block++) {
                    byte[] frame = table.frames().stored(block, StateTable.AHEAD_BYTES);
                    to.copy(blocks.get(block), frame, table.frames().contentBytes(block), lastId);
                }
            } else {
                for (; block < end; block++) {
                    merge(block);
                }
            }
        }
        while (next != null) {
            write(next);
        }
    }

    private boolean mayCopy(int block, int end) throws IOException {
        boolean may = block > 0 && to.mayCopy();
        for (int each = block; may && each < end; each++) {
            may = table.frames().storedBytes(each) <= CheckpointWriter.MAX_FRAME_BYTES;
        }
        return may;
    }

    private void writeBefore(byte[] key) throws IOException {
        while (next != null && Arrays.compareUnsigned(next.key(), key) < 0) {
            write(next);
        }
    }

    private void write(Change change) throws IOException {
        change.records().writeTo(to::write);
        advance();
    }

    /** Writes the rows of a block that did not change, and what did before them. */
    private void merge(int block) throws IOException {
        byte[] frame = table.frames().content(block, StateTable.AHEAD_BYTES);
        RecordReader reader = table.reader(table.records(block, frame), 0);
        while (reader.hasNext()) {
            LogRecord record = reader.next();
            byte[] key = TableIndex.rowKey(record);
            if (key != null) {
                writeBefore(key);
                isReplaced = next != null && Arrays.equals(next.key(), key);
            }
            if (!isReplaced) {
                to.write(record);
            }
        }
    }
}
