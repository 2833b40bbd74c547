package io.chagres.mount;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps decompressed blocks of files, those used last, within a bound. A block of a file that grows is filled up when
 * more of it is wanted; what is there never changes. Owns native memory, taken as needed. Safe for any thread.
 */
final class BlockCache implements AutoCloseable {
    /** The most that one checksum and one frame of the archive cover. */
    static final int BLOCK_BYTES = 256 * 1024;

    static final int PAGE_BYTES = 4096;

    /** More than the threads that load and the threads that answer use at once. */
    private static final int MIN_BLOCKS = 64;

    /**
     * Names a block.
     *
     * @param version of the host
     * @param index position of its first byte, in blocks
     */
    record Key(HostTree host, long version, long index) {
        long start() {
            return index * BLOCK_BYTES;
        }
    }

    /** Bytes that cannot be had: offsets in the block, from a byte to before another. */
    record Damage(int start, int end) {}

    /** Memory with bytes of a file. Its owner has it pinned. */
    static final class Block {
        private final Key key;
        private final MemorySegment memory;
        private int filled;
        private int pins;
        private List<Damage> damages = List.of();

        /** When what was damaged is tried again. */
        private long retryMs;

        private Block(Key key, MemorySegment memory) {
            this.key = key;
            this.memory = memory;
        }

        /** Returns its memory; only the filled part may be read. */
        MemorySegment memory() {
            return memory;
        }

        /** Returns the offset up to which it is filled. */
        int filled() {
            return filled;
        }

        /** Says whether one of some bytes cannot be had. */
        boolean isDamaged(int start, int end) {
            for (Damage damage : damages) {
                if (damage.start < end && damage.end > start) {
                    return true;
                }
            }
            return false;
        }
    }

    private final Arena arena = Arena.ofShared();
    private final int maxBlocks;
    private final Map<Key, Block> blocks = new LinkedHashMap<>(16, 0.75f, true);
    private final List<MemorySegment> free = new ArrayList<>();
    private int allocated;

    /** Makes an empty cache. */
    BlockCache(long maxBytes) {
        maxBlocks = Math.clamp(maxBytes / BLOCK_BYTES, MIN_BLOCKS, 1 << 20);
    }

    /**
     * Returns a block that is filled up to an offset, pinned; null if there is none, or if what of it could not be had
     * is to be asked for again.
     */
    synchronized @Nullable Block pin(Key key, int filledTo, long nowMs) {
        Block block = found(key, filledTo, nowMs);
        if (block != null) {
            block.pins++;
        }
        return block;
    }

    private @Nullable Block found(Key key, int filledTo, long nowMs) {
        Block block = blocks.get(key);
        if (block == null || block.filled < filledTo) {
            return null;
        }
        return block.damages.isEmpty() || block.retryMs - nowMs > 0 ? block : null;
    }

    /** Says whether {@link #pin} gives a block. */
    synchronized boolean holds(Key key, int filledTo, long nowMs) {
        return found(key, filledTo, nowMs) != null;
    }

    /** Gives a pinned block back. */
    synchronized void unpin(Block block) {
        block.pins--;
        if (block.pins == 0 && blocks.get(block.key) != block) {
            free.add(block.memory);
        }
    }

    /** Returns a block to fill from where it is filled, pinned. Only one thread at a time fills a block. */
    synchronized Block pinToFill(Key key) {
        Block block = blocks.get(key);
        if (block == null || !block.damages.isEmpty()) {
            block = new Block(key, takeMemory());
        }
        block.pins++;
        return block;
    }

    private MemorySegment takeMemory() {
        if (!free.isEmpty()) {
            return free.removeLast();
        }
        if (allocated >= maxBlocks) {
            Iterator<Block> eldestFirst = blocks.values().iterator();
            while (eldestFirst.hasNext()) {
                Block block = eldestFirst.next();
                if (block.pins == 0) {
                    eldestFirst.remove();
                    return block.memory;
                }
            }
        }
        allocated++;
        return arena.allocate(BLOCK_BYTES, PAGE_BYTES);
    }

    /**
     * Ends filling a block: others may read what is in it.
     *
     * @param filled the offset up to which it is filled now
     * @param damages what of it cannot be had
     * @param retryMs when that is tried again
     */
    synchronized void filled(Block block, int filled, List<Damage> damages, long retryMs) {
        block.filled = filled;
        if (!damages.isEmpty()) {
            block.damages = new ArrayList<>(damages);
            block.retryMs = retryMs;
        }
        Block old = blocks.put(block.key, block);
        if (old != null && old != block && old.pins == 0) {
            free.add(old.memory);
        }
    }

    /** Gives the memory back; nobody may use a block any longer. Closing again does nothing. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
