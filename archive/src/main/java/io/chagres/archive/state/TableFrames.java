package io.chagres.archive.state;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.format.FrameTable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames of an object one by one; its end, where the index is, is fetched at once. Where a request takes
 * long, more is fetched around what is looked up, and kept. Safe for any thread.
 */
final class TableFrames implements AutoCloseable {
    private static final int TAIL_BYTES = 256 * 1024;

    /** What is fetched around the frame that is looked up first; each time twice as much. */
    private static final int FIRST_AROUND_BYTES = 64 * 1024;

    private static final int MAX_AROUND_BYTES = 1 << 20;

    private final String key;
    private final FrameTable.Source object;
    private final long objectBytes;
    private final int maxKeptBytes;
    private final FrameTable table;
    private final ZstdDecompressCtx context = new ZstdDecompressCtx();

    /** Parts of the object by where they begin, with gaps between them. */
    private final TreeMap<Long, byte[]> parts = new TreeMap<>();

    private int keptBytes;
    private int aroundBytes = FIRST_AROUND_BYTES;

    /**
     * Opens an object.
     *
     * @param maxKeptBytes how many of its bytes are kept for later; 0 where a request takes no time
     */
    TableFrames(String key, FrameTable.Source object, long objectBytes, int maxKeptBytes) throws IOException {
        this.key = key;
        this.object = object;
        this.objectBytes = objectBytes;
        this.maxKeptBytes = maxKeptBytes;
        fetch(Math.max(0, objectBytes - TAIL_BYTES), objectBytes);
        table = FrameTable.load(this::get, key, objectBytes);
        if (table.storedStart(0) != 0) {
            throw new CorruptArchiveException(key, "its seek table does not cover its first bytes");
        }
    }

    int count() {
        return table.frames();
    }

    /** Forgets what need not be kept. */
    synchronized void trim() {
        if (keptBytes > maxKeptBytes && keptBytes < objectBytes) {
            forget();
        }
    }

    private void forget() {
        parts.clear();
        keptBytes = 0;
    }

    /** Returns what a frame holds that is looked up. */
    synchronized byte[] content(int frame) throws IOException {
        if (maxKeptBytes > 0 && at(frame) == null) {
            fetchAround(frame);
        }
        return content(frame, 0);
    }

    /**
     * Returns what a frame holds.
     *
     * @param ahead how many bytes may be fetched at once, for the frames that follow
     */
    synchronized byte[] content(int frame, int ahead) throws IOException {
        Place at = require(frame, ahead);
        byte[] content = new byte[table.contentBytes(frame)];
        try {
            int got = context.decompressByteArray(
                    content, 0, content.length, at.part, at.offset, table.storedBytes(frame));
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
        Place at = require(frame, ahead);
        return Arrays.copyOfRange(at.part, at.offset, at.offset + table.storedBytes(frame));
    }

    /** Where bytes begin in a part that has all of them. */
    private record Place(byte[] part, int offset) {}

    private @Nullable Place at(int frame) {
        return at(table.storedStart(frame), table.storedBytes(frame));
    }

    private @Nullable Place at(long start, long length) {
        Map.Entry<Long, byte[]> part = parts.floorEntry(start);
        boolean isThere = part != null && start + length <= part.getKey() + part.getValue().length;
        return part == null || !isThere ? null : new Place(part.getValue(), (int) (start - part.getKey()));
    }

    /** Fetches a frame unless it is there. */
    private Place require(int frame, int ahead) throws IOException {
        Place there = at(frame);
        if (there == null) {
            long start = table.storedStart(frame);
            long end = Math.min(table.storedStart(table.frames()), start + Math.max(table.storedBytes(frame), ahead));
            forget();
            there = new Place(fetch(start, end), 0);
        }
        return there;
    }

    /** Fetches a frame and what is around it, and not what is there. */
    private void fetchAround(int frame) throws IOException {
        long start = table.storedStart(frame);
        long end = table.storedStart(frame + 1);
        int around = Math.min(aroundBytes, maxKeptBytes / 2);
        aroundBytes = Math.min(2 * aroundBytes, MAX_AROUND_BYTES);
        if (keptBytes + around > maxKeptBytes) {
            forget();
        }
        Map.Entry<Long, byte[]> before = parts.floorEntry(start);
        Map.Entry<Long, byte[]> behind = parts.ceilingEntry(start + 1);
        long from = Math.max(start - around / 4, before == null ? 0 : before.getKey() + before.getValue().length);
        long to = Math.min(
                Math.max(end, from + around), behind == null ? table.storedStart(table.frames()) : behind.getKey());
        fetch(from, to);
        join(from);
        join(to);
    }

    /** Makes one of a part and the next if they meet at a byte. */
    private void join(long at) {
        Map.Entry<Long, byte[]> before = parts.lowerEntry(at);
        byte[] behind = parts.get(at);
        if (before != null && behind != null && before.getKey() + before.getValue().length == at) {
            byte[] both = Arrays.copyOf(before.getValue(), before.getValue().length + behind.length);
            System.arraycopy(behind, 0, both, before.getValue().length, behind.length);
            parts.remove(at);
            parts.put(before.getKey(), both);
        }
    }

    private int get(long offset, MemorySegment target) throws IOException {
        Place there = at(offset, target.byteSize());
        if (there == null) {
            return object.get(offset, target);
        }
        MemorySegment.copy(MemorySegment.ofArray(there.part), there.offset, target, 0, target.byteSize());
        return (int) target.byteSize();
    }

    private byte[] fetch(long from, long to) throws IOException {
        byte[] bytes = new byte[(int) (to - from)];
        if (object.get(from, MemorySegment.ofArray(bytes)) != bytes.length) {
            throw new CorruptArchiveException(key, "it is cut off");
        }
        parts.put(from, bytes);
        keptBytes += bytes.length;
        return bytes;
    }

    @Override
    public synchronized void close() {
        context.close();
    }
}
