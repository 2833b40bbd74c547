package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.RecordReader;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * Copies a table into another, with what has changed since. Blocks without a change are copied as they are, so that
 * writing a table again costs little more than its bytes. Confined to one thread.
 */
final class TableCopy {
    private final StateTable table;
    private final TableBlocks blocks;

    TableCopy(StateTable table) {
        this.table = table;
        blocks = table.blocks();
    }

    /**
     * A block as it is stored.
     *
     * @param frame its frame
     * @param contentBytes what that holds
     * @param records how many it has
     * @param crc CRC32C of its records
     */
    record Block(byte[] frame, int contentBytes, int records, int crc) {}

    /** Takes what {@link #versions} copies. */
    interface Versions {
        /** Takes the next version. */
        void version(FileVersion version) throws IOException;

        /** Takes a frame that is a block of versions; false if they are to come one by one. */
        boolean block(Block block, TableBlocks.First first, long lastId) throws IOException;
    }

    /** Copies all versions but those that others replace: blocks without a replaced version are copied as they are. */
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
            boolean same = others.subMap(from, next).isEmpty();
            if (!same || !copy(block, end, next - 1, to)) {
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
        boolean block(Block block, Pathname first) throws IOException;
    }

    /**
     * Copies all names in their order, with others in the place of those that they replace. A block without a replaced
     * name is copied as it is.
     *
     * @param others in their order
     */
    void names(List<NameTree.Change> others, Names to) throws IOException {
        int at = 0;
        for (int number = blocks.namesStart(); number < blocks.namesEnd(); number++) {
            Pathname first = blocks.firstName(number);
            at = give(others, at, place(others, at, first), to);
            boolean isLast = number + 1 == blocks.namesEnd();
            int end = isLast ? others.size() : place(others, at, blocks.firstName(number + 1));
            Block copy = at == end ? stored(number) : null;
            if (copy == null || !to.block(copy, first)) {
                merge(number, others.subList(at, end), to);
            }
            at = end;
        }
        give(others, at, others.size(), to);
    }

    /** Returns the place of the first name from one on that is not before a path. */
    private static int place(List<NameTree.Change> names, int from, Pathname path) {
        int low = from;
        int high = names.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (TableIndex.order(names.get(middle).path(), path) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static int give(List<NameTree.Change> names, int from, int end, Names to) throws IOException {
        for (NameTree.Change name : names.subList(from, end)) {
            NameTree.Entry entry = name.entry();
            if (entry != null) {
                to.changed(name.path(), entry);
            }
        }
        return end;
    }

    private void merge(int block, List<NameTree.Change> others, Names to) throws IOException {
        byte[] records = table.records(block, table.frames().content(block, StateTable.AHEAD_BYTES));
        RecordReader reader = table.reader(records, 0);
        int at = 0;
        while (reader.hasNext()) {
            if (!(reader.next() instanceof LogRecord.NameAdded name)) {
                throw new CorruptArchiveException(table.key(), "a block of names holds something else");
            }
            int end = at;
            while (end < others.size() && TableIndex.order(others.get(end).path(), name.path()) < 0) {
                end++;
            }
            at = give(others, at, end, to);
            if (at == others.size() || !others.get(at).path().equals(name.path())) {
                to.name(name);
            }
        }
        give(others, at, others.size(), to);
    }

    /** Copies blocks that begin and end with whole versions; false where none may be. */
    private boolean copy(int from, int end, long lastId, Versions to) throws IOException {
        for (int block = from; block < end; block++) {
            Block copy = stored(block);
            boolean done = copy != null && to.block(copy, blocks.first(block), lastId);
            if (!done && block > from) {
                throw new CorruptArchiveException(table.key(), "a frame is larger than it can be");
            }
            if (!done) {
                return false;
            }
        }
        return true;
    }

    /** Returns a block as it is stored; null for one that holds something else, too. */
    private @Nullable Block stored(int block) throws IOException {
        return block == 0
                ? null
                : new Block(
                        table.frames().stored(block, StateTable.AHEAD_BYTES),
                        table.frames().contentBytes(block),
                        blocks.records(block),
                        blocks.crc(block));
    }
}
