package io.chagres.archive.read;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;

/** Fetches and decompresses frames and keeps the last used ones, within a bound. Confined to one thread. */
final class FrameCache {
    private static final int MAX_FRAMES = 64;
    private static final int MAX_TABLES = 1024;

    private record FrameKey(String object, int frame) {}

    private final BlobStore store;
    private final Map<String, FrameTable> tables = bounded(MAX_TABLES);
    private final Map<FrameKey, byte[]> frames = bounded(MAX_FRAMES);

    FrameCache(BlobStore store) {
        this.store = store;
    }

    private static <K, V> Map<K, V> bounded(int limit) {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > limit;
            }
        };
    }

    FrameTable table(String key) throws IOException {
        FrameTable table = tables.get(key);
        if (table == null) {
            long size = store.size(key);
            if (size < 0) {
                throw new CorruptArchiveException(key, "it is missing");
            }
            table = FrameTable.load(store, key, size);
            tables.put(key, table);
        }
        return table;
    }

    /** Copies content of an object from an offset, within one frame; returns bytes copied. */
    int read(String key, long offset, MemorySegment target) throws IOException {
        FrameTable table = table(key);
        if (offset >= table.contentBytes()) {
            throw new CorruptArchiveException(key, "it holds fewer bytes than the log says");
        }
        int frame = table.frameAt(offset);
        byte[] content = frame(key, table, frame);
        int within = (int) (offset - table.contentStart(frame));
        int length = (int) Math.min(content.length - within, target.byteSize());
        MemorySegment.copy(MemorySegment.ofArray(content), within, target, 0, length);
        return length;
    }

    private byte[] frame(String key, FrameTable table, int frame) throws IOException {
        FrameKey frameKey = new FrameKey(key, frame);
        byte[] content = frames.get(frameKey);
        if (content == null) {
            byte[] stored = new byte[table.storedBytes(frame)];
            if (store.get(key, table.storedStart(frame), MemorySegment.ofArray(stored)) != stored.length) {
                throw new CorruptArchiveException(key, "it is cut off");
            }
            content = new byte[table.contentBytes(frame)];
            try {
                if (Zstd.decompress(content, stored) != content.length) {
                    throw new CorruptArchiveException(key, "a frame is shorter than declared");
                }
            } catch (ZstdException e) {
                throw new CorruptArchiveException(key, "a frame cannot be decompressed");
            }
            frames.put(frameKey, content);
        }
        return content;
    }
}
