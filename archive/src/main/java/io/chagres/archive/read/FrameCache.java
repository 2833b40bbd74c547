package io.chagres.archive.read;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.format.FrameTable;
import io.chagres.archive.format.FrameWalk;
import io.chagres.archive.format.GzipMembers;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Fetches and decompresses frames and keeps the ones used last, within a bound: the runs of one commit share frames.
 * Takes native memory of its owner as needed. Confined to one thread at a time.
 */
final class FrameCache implements AutoCloseable {
    private static final int FRAME_BYTES = 256 * 1024;
    private static final int MAX_TABLES = 1024;

    /** A smaller object is fetched as a whole. */
    private static final int SMALL_BYTES = 64 * 1024;

    private record FrameKey(String object, int frame) {}

    private final BlobStore store;
    private final int maxFrames;
    private final Arena arena;
    private final ZstdDecompressCtx context = new ZstdDecompressCtx();
    private final GzipMembers.Reader members = new GzipMembers.Reader();
    private final Map<String, FrameTable> tables = new LinkedHashMap<>(16, 0.75f, true);
    /** Frames that were found without a seek table, also where that was no use. */
    private final Map<String, FrameTable> walks = new LinkedHashMap<>(16, 0.75f, true);

    private final Map<FrameKey, MemorySegment> frames = new LinkedHashMap<>(16, 0.75f, true);
    private MemorySegment small = MemorySegment.NULL;
    private String smallKey = "";
    private int smallBytes;
    private MemorySegment stored = MemorySegment.NULL;
    private final ArrayDeque<MemorySegment> spares = new ArrayDeque<>();

    /**
     * Makes an empty cache that keeps at least one frame.
     *
     * @param arena holds the frames; stays the caller's
     */
    FrameCache(BlobStore store, long maxBytes, Arena arena) {
        this.store = store;
        this.arena = arena;
        maxFrames = Math.clamp(maxBytes / FRAME_BYTES, 1, 1 << 20);
    }

    FrameTable table(String key) throws IOException {
        FrameTable table = tables.get(key);
        if (table == null) {
            long size = fetchSmall(key);
            size = size < 0 ? store.size(key) : size;
            if (size < 0) {
                throw missing(key);
            }
            table = FrameTable.load((offset, target) -> get(key, offset, target), key, size);
            if (tables.size() == MAX_TABLES) {
                removeEldest(tables);
            }
            tables.put(key, table);
        }
        return table;
    }

    /**
     * Finds the frames of an object without its seek table, and reads it so from now on, until {@link #clear}.
     *
     * @return false when none is found
     */
    boolean walk(String key) throws IOException {
        FrameTable walked = walks.get(key);
        if (walked == null) {
            try {
                walked = FrameWalk.table((offset, target) -> store.get(key, offset, target), key);
            } catch (NoSuchBlobException e) {
                return false;
            }
            if (walks.size() == MAX_TABLES) {
                removeEldest(walks);
            }
            walks.put(key, walked);
        }
        if (tables.size() == MAX_TABLES) {
            removeEldest(tables);
        }
        tables.put(key, walked);
        return walked.frames() > 0;
    }

    /**
     * Fetches the whole of an object that is likely to be small: one request instead of four.
     *
     * @return its size; -1 when it is not known
     */
    private long fetchSmall(String key) throws IOException {
        if (!mayBeSmall(key)) {
            return -1;
        }
        if (small.byteSize() == 0) {
            small = arena.allocate(SMALL_BYTES, 8);
        }
        smallKey = "";
        try {
            smallBytes = Math.max(0, store.get(key, 0, small));
        } catch (NoSuchBlobException e) {
            throw missing(key);
        }
        if (smallBytes == SMALL_BYTES) {
            return -1;
        }
        smallKey = key;
        return smallBytes;
    }

    /** Text is an eighth of its size in the store, or less. */
    private static boolean mayBeSmall(String key) {
        long content = ArchiveLayout.contentBytes(key);
        return ArchiveLayout.seqOf(key).isPresent() || (content >= 0 && content <= 8 * SMALL_BYTES);
    }

    private int get(String key, long offset, MemorySegment target) throws IOException {
        if (!key.equals(smallKey)) {
            return store.get(key, offset, target);
        }
        int length = (int) Math.clamp(smallBytes - offset, 0, target.byteSize());
        MemorySegment.copy(small, offset, target, 0, length);
        return length;
    }

    /** Says whether nothing more of an object need be fetched. */
    boolean holds(String key) {
        return tables.containsKey(key) && frames.containsKey(new FrameKey(key, 0));
    }

    /**
     * Copies content of an object from an offset, within one frame.
     *
     * @param target native memory, takes at most its size
     * @return bytes copied, at least 1
     */
    int read(String key, long offset, MemorySegment target) throws IOException {
        FrameTable table = table(key);
        if (offset >= table.contentBytes()) {
            throw new CorruptArchiveException(key, "it holds fewer bytes than the log says");
        }
        int frame = table.frameAt(offset);
        int within = (int) (offset - table.contentStart(frame));
        int length = (int) Math.min(table.contentBytes(frame) - within, target.byteSize());
        if (length == table.contentBytes(frame)) {
            // a reader that takes a whole frame does not come back for it
            decompress(key, table, frame, target);
        } else {
            MemorySegment.copy(frame(key, table, frame), within, target, 0, length);
        }
        return length;
    }

    private MemorySegment frame(String key, FrameTable table, int frame) throws IOException {
        FrameKey frameKey = new FrameKey(key, frame);
        MemorySegment content = frames.get(frameKey);
        if (content == null) {
            if (spares.isEmpty()) {
                spares.add(frames.size() < maxFrames ? arena.allocate(FRAME_BYTES, 64) : removeEldest(frames));
            }
            content = spares.getFirst();
            decompress(key, table, frame, content);
            spares.removeFirst();
            frames.put(frameKey, content);
        }
        return content;
    }

    private void decompress(String key, FrameTable table, int frame, MemorySegment target) throws IOException {
        int storedBytes = table.storedBytes(frame);
        if (stored.byteSize() == 0) {
            stored = arena.allocate(SeekableFrames.MAX_STORED_BYTES, 64);
        }
        try {
            FrameTable.fill(
                    (offset, rest) -> get(key, offset, rest),
                    key,
                    table.storedStart(frame),
                    stored.asSlice(0, storedBytes));
        } catch (NoSuchBlobException e) {
            throw missing(key);
        }
        int length = table.contentBytes(frame);
        ByteBuffer content = target.asSlice(0, length).asByteBuffer();
        if (key.endsWith(Codec.GZIP.suffix())) {
            if (!members.read(content, stored.asSlice(0, storedBytes).asByteBuffer())) {
                throw new CorruptArchiveException(key, "a member cannot be decompressed");
            }
            return;
        }
        int got;
        try {
            got = context.decompressDirectByteBuffer(content, 0, length, stored.asByteBuffer(), 0, storedBytes);
        } catch (ZstdException e) {
            throw new CorruptArchiveException(key, "a frame cannot be decompressed");
        }
        if (got != length) {
            throw new CorruptArchiveException(key, "a frame is shorter than declared");
        }
    }

    /** Forgets what it holds of the store: some of it may have been damaged on the way. */
    void clear() {
        tables.clear();
        smallKey = "";
        spares.addAll(frames.values());
        frames.clear();
    }

    static CorruptArchiveException missing(String key) {
        return CorruptArchiveException.missing(key);
    }

    private static <K, V> V removeEldest(Map<K, V> map) {
        Iterator<V> eldest = map.values().iterator();
        V value = eldest.next();
        eldest.remove();
        return value;
    }

    @Override
    public void close() {
        context.close();
        members.close();
    }
}
