package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.read.ExtentRanges;
import io.chagres.archive.store.BlobRange;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ForwardingStore;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a store while a host is compacted and fetches each commit whole: what reads its records first and its
 * data later asks the store once. It keeps all of them, or none when they are more than its bound: memory helps
 * compaction more then as room for content, because the commits are read again for each part of that. Confined to one
 * thread.
 */
final class KeptCommits extends ForwardingStore {
    /** What a commit takes beside its bytes: its key, and its place in the map. */
    private static final int ENTRY_BYTES = 128;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment fetched = arena.allocate(ExtentRanges.COMMIT_BYTES);
    private final String log;
    private final long maxBytes;
    private final Map<String, byte[]> kept = new HashMap<>();
    private long keptBytes;
    private String lastKey = "";
    private byte[] last = new byte[0];

    /**
     * Stands before a store, which stays the caller's.
     *
     * @param maxBytes how many bytes of commits to keep, but not more than a quarter of the heap
     */
    KeptCommits(BlobStore store, String hostId, long maxBytes) {
        super(store);
        log = ArchiveLayout.log(hostId);
        this.maxBytes = Math.min(maxBytes, Runtime.getRuntime().maxMemory() / 4);
    }

    /** Returns how many bytes are kept. */
    long keptBytes() {
        return kept.isEmpty() ? 0 : keptBytes;
    }

    /** Returns the bytes of a commit if they are here. */
    private byte @Nullable [] held(String key) {
        return key.equals(lastKey) ? last : kept.get(key);
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        if (!key.startsWith(log)) {
            return store.get(key, offset, target);
        }
        byte[] bytes = held(key);
        if (bytes == null) {
            bytes = fetch(key);
        }
        if (bytes.length == ExtentRanges.COMMIT_BYTES && offset + target.byteSize() > bytes.length) {
            return store.get(key, offset, target); // what is here is not all of it
        }
        int length = (int) Math.clamp(bytes.length - offset, 0, target.byteSize());
        if (length > 0) {
            MemorySegment.copy(bytes, (int) offset, target, ValueLayout.JAVA_BYTE, 0, length);
        }
        return length;
    }

    @Override
    public void forget(String key) {
        lastKey = key.equals(lastKey) ? "" : lastKey;
        kept.remove(key);
        super.forget(key);
    }

    private byte[] fetch(String key) throws IOException {
        int got = store.get(key, 0, fetched);
        last = fetched.asSlice(0, got).toArray(ValueLayout.JAVA_BYTE);
        lastKey = key;
        keptBytes += got + ENTRY_BYTES;
        if (keptBytes <= maxBytes) {
            kept.put(key, last);
        } else {
            kept.clear();
        }
        return last;
    }

    @Override
    public long size(String key) throws IOException {
        byte[] bytes = held(key);
        return bytes == null || bytes.length == ExtentRanges.COMMIT_BYTES ? store.size(key) : bytes.length;
    }

    /** Leaves out what is here, and lets the rest of the commits be fetched whole. */
    @Override
    public void expect(Iterator<BlobRange> ranges) {
        store.expect(new Iterator<>() {
            private @Nullable BlobRange next;

            @Override
            public boolean hasNext() {
                while (next == null && ranges.hasNext()) {
                    BlobRange range = ranges.next();
                    if (!range.key().startsWith(log)) {
                        next = range;
                    } else if (held(range.key()) == null) {
                        next = new BlobRange(range.key(), 0, ExtentRanges.COMMIT_BYTES);
                    }
                }
                return next != null;
            }

            @Override
            public BlobRange next() {
                if (!hasNext() || next == null) {
                    throw new NoSuchElementException();
                }
                BlobRange range = next;
                next = null;
                return range;
            }
        });
    }

    /** Gives the memory back; the store is the caller's. */
    @Override
    public void close() {
        arena.close();
    }
}
