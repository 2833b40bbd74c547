package io.chagres.archive.state;

import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Keeps the blocks read last of some tables. A caller holds the lock of the cache while it looks into a block, which is
 * then filled again for another.
 */
final class TableBlockCache {
    private final int maxBlocks;
    private final Map<Place, TableBlock> blocks = new LinkedHashMap<>(16, 0.75f, true);

    /** Where a block is. */
    private record Place(Object table, int number) {}

    /** Makes one that keeps a number of blocks, most of some 32 KiB. */
    TableBlockCache(int maxBlocks) {
        this.maxBlocks = maxBlocks;
    }

    /** Fills a block. */
    interface Filling {
        void fill(TableBlock block) throws IOException;
    }

    /** Returns a block; with the lock, until which is given back it stays as it is. */
    TableBlock block(Object table, int number, Filling filling) throws IOException {
        Place place = new Place(table, number);
        TableBlock there = blocks.get(place);
        if (there != null) {
            return there;
        }
        TableBlock block = blocks.size() < maxBlocks ? new TableBlock() : evicted();
        filling.fill(block);
        blocks.put(place, block);
        return block;
    }

    private TableBlock evicted() {
        Iterator<TableBlock> eldest = blocks.values().iterator();
        TableBlock block = eldest.next();
        eldest.remove();
        return block;
    }

    /** Forgets the blocks of a table. */
    synchronized void forget(Object table) {
        blocks.keySet().removeIf(place -> place.table() == table);
    }
}
