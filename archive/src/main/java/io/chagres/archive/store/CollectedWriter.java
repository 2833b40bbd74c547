package io.chagres.archive.store;

import io.chagres.linux.Fd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects an object in native memory and puts it at once: object stores want its length and checksum before its bytes.
 * Confined to one thread.
 */
public final class CollectedWriter implements BlobWriter {
    private static final long BLOCK_BYTES = 1 << 20;

    /** Puts an object unless its key exists; says whether it did. */
    @FunctionalInterface
    public interface Put {
        /** Puts the object, as {@link BlobStore#putIfAbsent} does; the content is borrowed until return. */
        boolean putIfAbsent(String key, SegmentContent content) throws IOException;
    }

    private final BlobStore store;
    private final Put put;
    private final String key;
    private final Arena arena = Arena.ofShared(); // some clients send from threads of their own
    private final List<MemorySegment> blocks = new ArrayList<>();
    private long length;

    /**
     * Begins an object.
     *
     * @param store where it will lie
     * @param put how to put it there
     */
    public CollectedWriter(BlobStore store, Put put, String key) {
        this.store = store;
        this.put = put;
        this.key = key;
    }

    @Override
    public void write(MemorySegment source, long offset, long bytes) {
        for (long done = 0; done < bytes; ) {
            MemorySegment room = room();
            long part = Math.min(bytes - done, room.byteSize());
            MemorySegment.copy(source, offset + done, room, 0, part);
            length += part;
            done += part;
        }
    }

    /** Returns what is free in the last block. */
    private MemorySegment room() {
        long used = length % BLOCK_BYTES;
        if (used == 0) {
            blocks.add(arena.allocate(BLOCK_BYTES, Long.BYTES));
        }
        return blocks.getLast().asSlice(used);
    }

    @Override
    public long copyFrom(Fd source, long position, long bytes) throws IOException {
        long done = 0;
        while (done < bytes) {
            MemorySegment room = room();
            long want = Math.min(bytes - done, room.byteSize());
            long read = source.preadFully(room, 0, want, position + done);
            length += read;
            done += read;
            if (read < want) {
                if (length % BLOCK_BYTES == 0) {
                    blocks.removeLast(); // it was made for bytes that are not there
                }
                break;
            }
        }
        return done;
    }

    @Override
    public void read(long position, MemorySegment target, long offset, long bytes) {
        for (long done = 0; done < bytes; ) {
            long at = position + done;
            long part = Math.min(bytes - done, BLOCK_BYTES - at % BLOCK_BYTES);
            MemorySegment.copy(blocks.get((int) (at / BLOCK_BYTES)), at % BLOCK_BYTES, target, offset + done, part);
            done += part;
        }
    }

    @Override
    public void commit() throws IOException {
        if (!put.putIfAbsent(key, new SegmentContent(filled())) && !isOurs()) {
            throw new StoreException(store.name() + ": " + key + ": it exists already");
        }
    }

    private List<MemorySegment> filled() {
        List<MemorySegment> filled = new ArrayList<>(blocks);
        long rest = length % BLOCK_BYTES;
        if (rest > 0) {
            filled.set(filled.size() - 1, filled.getLast().asSlice(0, rest));
        }
        return filled;
    }

    /** Says whether the object that exists has our bytes: an earlier put arrived, and its answer was lost. */
    private boolean isOurs() throws IOException {
        if (store.size(key) != length) {
            return false;
        }
        MemorySegment there = arena.allocate(BLOCK_BYTES, Long.BYTES);
        long at = 0;
        for (MemorySegment block : filled()) {
            if (store.get(key, at, there.asSlice(0, block.byteSize())) != block.byteSize()
                    || there.asSlice(0, block.byteSize()).mismatch(block) >= 0) {
                return false;
            }
            at += block.byteSize();
        }
        return true;
    }

    @Override
    public void close() {
        arena.close();
    }
}
