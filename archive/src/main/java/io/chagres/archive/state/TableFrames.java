package io.chagres.archive.state;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.format.FrameTable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Reads the frames of an object one by one; its end, where the index is, is fetched at once. Safe for any thread. */
final class TableFrames implements AutoCloseable {
    private static final int TAIL_BYTES = 256 * 1024;

    private final String key;
    private final FrameTable.Source object;
    private final FrameTable table;
    private final ZstdDecompressCtx context = new ZstdDecompressCtx();
    private byte[] part = {};
    private long partStart;

    TableFrames(String key, FrameTable.Source object, long objectBytes) throws IOException {
        this.key = key;
        this.object = object;
        fetch(Math.max(0, objectBytes - TAIL_BYTES), (int) Math.min(TAIL_BYTES, objectBytes));
        table = FrameTable.load(this::get, key, objectBytes);
        if (table.storedStart(0) != 0) {
            throw new CorruptArchiveException(key, "its seek table does not cover its first bytes");
        }
    }

    int count() {
        return table.frames();
    }

    /** Forgets the bytes around those that were asked for, unless they are the whole object. */
    synchronized void trim() {
        part = partStart == 0 ? part : new byte[0];
    }

    /**
     * Returns what a frame holds.
     *
     * @param ahead how many bytes may be fetched at once, for the frames that follow
     */
    synchronized byte[] content(int frame, int ahead) throws IOException {
        int from = require(frame, ahead);
        byte[] content = new byte[table.contentBytes(frame)];
        try {
            int got = context.decompressByteArray(content, 0, content.length, part, from, table.storedBytes(frame));
            if (got != content.length) {
                throw new CorruptArchiveException(key, "a frame is shorter than declared");
            }
        } catch (ZstdException e) {
            throw new CorruptArchiveException(key, "a frame cannot be decompressed");
        }
        return content;
    }

    /** Returns how many bytes a frame holds. */
    int contentBytes(int frame) {
        return table.contentBytes(frame);
    }

    /** Returns how many bytes a frame has as it is stored. */
    int storedBytes(int frame) {
        return table.storedBytes(frame);
    }

    /**
     * Returns a frame as it is stored.
     *
     * @param ahead see {@link #content}
     */
    synchronized byte[] stored(int frame, int ahead) throws IOException {
        int from = require(frame, ahead);
        return Arrays.copyOfRange(part, from, from + table.storedBytes(frame));
    }

    /** Fetches a frame unless it is there; returns where in the part it begins. */
    private int require(int frame, int ahead) throws IOException {
        long start = table.storedStart(frame);
        int stored = table.storedBytes(frame);
        if (start < partStart || start + stored > partStart + part.length) {
            long end = table.storedStart(table.frames());
            fetch(start, (int) Math.min(end - start, Math.max(stored, ahead)));
        }
        return (int) (start - partStart);
    }

    private int get(long offset, MemorySegment target) throws IOException {
        if (offset < partStart || offset + target.byteSize() > partStart + part.length) {
            return object.get(offset, target);
        }
        MemorySegment.copy(MemorySegment.ofArray(part), offset - partStart, target, 0, target.byteSize());
        return (int) target.byteSize();
    }

    private void fetch(long offset, int length) throws IOException {
        byte[] bytes = new byte[length];
        int got = object.get(offset, MemorySegment.ofArray(bytes));
        if (got != length) {
            throw new CorruptArchiveException(key, "it is cut off");
        }
        part = bytes;
        partStart = offset;
    }

    @Override
    public synchronized void close() {
        context.close();
    }
}
