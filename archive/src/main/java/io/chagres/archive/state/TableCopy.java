package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.RecordReader;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;

/**
 * Copies a table into another, with what has changed since: blocks in which nothing did as they are, so that a table is
 * written again for little more than its bytes. Confined to one thread.
 */
final class TableCopy {
    private final StateTable table;
    private final TableBlocks blocks;

    TableCopy(StateTable table) {
        this.table = table;
        blocks = table.blocks();
    }

    /** Takes what {@link #versions} copies. */
    interface Versions {
        /** Takes the next version. */
        void version(FileVersion version) throws IOException;

        /** Takes a frame that is a block of versions; false if they are to come one by one. */
        boolean block(byte[] content, byte[] stored, TableBlocks.First first, int records, int crc, long lastId)
                throws IOException;
    }

    /** Copies all versions but those that others take the place of: blocks of which none was replaced as they are. */
    void versions(NavigableMap<Long, FileVersion> others, NameTree tree, Versions to) throws IOException {
        long from = 0;
        for (int block = blocks.versionsStart(); block < blocks.versionsEnd(); ) {
            int end = blocks.opening(block + 1);
            long next = end < blocks.versionsEnd() ? blocks.first(end).id() : table.lastId() + 1;
            for (FileVersion other :
                    others.subMap(from, blocks.first(block).id()).values()) {
                to.version(other);
            }
            from = blocks.first(block).id();
            boolean whole = end == block + 1 && others.subMap(from, next).isEmpty();
            if (!whole || !copyBlock(block, next - 1, to)) {
                Iterator<FileVersion> merged = TableVersions.merged(
                        table.versions(block, next, tree),
                        others.subMap(from, next).values().iterator());
                while (merged.hasNext()) {
                    to.version(merged.next());
                }
            }
            from = next;
            block = end;
        }
        for (FileVersion other : others.tailMap(from).values()) {
            to.version(other);
        }
    }

    /** Takes what {@link #names} copies. */
    interface Names {
        /** Takes the next name, which is not the table's. */
        void changed(Pathname path, NameTree.Entry entry) throws IOException;

        /** Takes the next name, of the table. */
        void name(LogRecord.NameAdded name) throws IOException;

        /** Takes a frame that is a block of names; false if they are to come one by one. */
        boolean block(byte[] content, byte[] stored, Pathname first, int records, int crc) throws IOException;
    }

    /**
     * Copies all names in their order but those that others take the place of: blocks of which none was replaced as
     * they are.
     *
     * @param others in the order of {@link TableIndex#order}; where there is no name any more, empty
     */
    void names(NavigableMap<Pathname, Optional<NameTree.Entry>> others, Names to) throws IOException {
        NavigableMap<Pathname, Optional<NameTree.Entry>> left = others;
        for (int number = blocks.namesStart(); number < blocks.namesEnd(); number++) {
            Pathname first = blocks.firstName(number);
            give(left.headMap(first, false), to);
            left = left.tailMap(first, true);
            boolean isLast = number + 1 == blocks.namesEnd();
            NavigableMap<Pathname, Optional<NameTree.Entry>> within =
                    isLast ? left : left.headMap(blocks.firstName(number + 1), false);
            if (!within.isEmpty() || !copyBlock(number, first, to)) {
                merge(number, within, to);
            }
            left = isLast ? Collections.emptyNavigableMap() : left.tailMap(blocks.firstName(number + 1), true);
        }
        give(left, to);
    }

    private static void give(Map<Pathname, Optional<NameTree.Entry>> names, Names to) throws IOException {
        for (Map.Entry<Pathname, Optional<NameTree.Entry>> name : names.entrySet()) {
            if (name.getValue().isPresent()) {
                to.changed(name.getKey(), name.getValue().get());
            }
        }
    }

    private boolean copyBlock(int block, Pathname first, Names to) throws IOException {
        byte[] content = table.frames().content(block, StateTable.AHEAD_BYTES);
        table.records(block, content);
        return block > 0
                && to.block(content, table.frames().stored(block), first, blocks.records(block), blocks.crc(block));
    }

    private void merge(int block, NavigableMap<Pathname, Optional<NameTree.Entry>> others, Names to)
            throws IOException {
        RecordReader reader =
                table.reader(table.records(block, table.frames().content(block, StateTable.AHEAD_BYTES)), 0);
        NavigableMap<Pathname, Optional<NameTree.Entry>> left = others;
        while (reader.hasNext()) {
            if (!(reader.next() instanceof LogRecord.NameAdded name)) {
                throw new CorruptArchiveException(table.key(), "a block of names holds something else");
            }
            give(left.headMap(name.path(), false), to);
            left = left.tailMap(name.path(), true);
            if (!left.containsKey(name.path())) {
                to.name(name);
            }
        }
        give(left, to);
    }

    private boolean copyBlock(int block, long lastId, Versions to) throws IOException {
        byte[] content = table.frames().content(block, StateTable.AHEAD_BYTES);
        table.records(block, content);
        return block > 0
                && to.block(
                        content,
                        table.frames().stored(block),
                        blocks.first(block),
                        blocks.records(block),
                        blocks.crc(block),
                        lastId);
    }
}
