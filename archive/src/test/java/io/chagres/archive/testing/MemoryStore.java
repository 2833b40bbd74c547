package io.chagres.archive.testing;

import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobPage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import io.chagres.linux.Fd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A whole store in memory. Its clock goes forward by a second with each object. Safe for any thread. */
public final class MemoryStore implements BlobStore {
    private static final int PAGE_KEYS = 1000;

    private record Blob(byte[] bytes, long modifiedMs) {}

    private final NavigableMap<String, Blob> blobs = new ConcurrentSkipListMap<>();
    private final AtomicLong clockMs = new AtomicLong(1_700_000_000_000L);

    /** Makes an empty store. */
    public MemoryStore() {}

    /** Returns the bytes of an object, not a copy: change them to damage it. */
    public byte[] bytes(String key) {
        Blob blob = blobs.get(key);
        if (blob == null) {
            throw new AssertionError("no object " + key + " in " + blobs.keySet());
        }
        return blob.bytes;
    }

    /** Puts bytes in place of those of an object, or makes it. */
    public void replace(String key, byte[] bytes) {
        blobs.put(key, new Blob(bytes, clockMs.addAndGet(1000)));
    }

    /** Returns all keys in order. */
    public List<String> keys() {
        return List.copyOf(blobs.keySet());
    }

    /** Returns the keys that contain a text, in order. */
    public List<String> keys(String part) {
        return blobs.keySet().stream().filter(key -> key.contains(part)).toList();
    }

    @Override
    public long nowMs() {
        return clockMs.get();
    }

    /** Lets the store's clock go forward. */
    public void advance(long ms) {
        clockMs.addAndGet(ms);
    }

    /** Returns a store with the same objects. */
    public MemoryStore copy() {
        MemoryStore copy = new MemoryStore();
        copy.clockMs.set(clockMs.get());
        for (Map.Entry<String, Blob> each : blobs.entrySet()) {
            copy.blobs.put(each.getKey(), new Blob(each.getValue().bytes.clone(), each.getValue().modifiedMs));
        }
        return copy;
    }

    private boolean put(String key, byte[] bytes) {
        return blobs.putIfAbsent(key, new Blob(bytes, clockMs.addAndGet(1000))) == null;
    }

    private Blob require(String key) throws NoSuchBlobException {
        Blob blob = blobs.get(key);
        if (blob == null) {
            throw new NoSuchBlobException(key);
        }
        return blob;
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) {
        return put(key, content.toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public BlobWriter create(String key) {
        return new Writer(key);
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        byte[] bytes = require(key).bytes;
        int length = (int) Math.clamp(bytes.length - offset, 0, target.byteSize());
        if (length > 0) {
            MemorySegment.copy(MemorySegment.ofArray(bytes), offset, target, 0, length);
        }
        return length;
    }

    @Override
    public long size(String key) {
        Blob blob = blobs.get(key);
        return blob == null ? -1 : blob.bytes.length;
    }

    private List<BlobInfo> list(String prefix, @Nullable String afterKey) {
        return blobs.tailMap(prefix).entrySet().stream()
                .takeWhile(each -> each.getKey().startsWith(prefix))
                .filter(each -> afterKey == null || each.getKey().compareTo(afterKey) > 0)
                .map(each -> new BlobInfo(each.getKey(), each.getValue().bytes.length, each.getValue().modifiedMs))
                .toList();
    }

    /** Shows a thousand keys. */
    @Override
    public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) {
        return BlobPage.of(list(prefix, afterKey), Math.min(maxObjects, PAGE_KEYS));
    }

    @Override
    public List<String> children(String prefix) {
        return blobs.tailMap(prefix).keySet().stream()
                .takeWhile(key -> key.startsWith(prefix))
                .map(key -> key.substring(prefix.length()))
                .map(rest -> rest.indexOf('/') < 0 ? rest : rest.substring(0, rest.indexOf('/')))
                .distinct()
                .toList();
    }

    @Override
    public void delete(String key) {
        blobs.remove(key);
    }

    @Override
    public void close() {}

    private final class Writer implements BlobWriter {
        private final String key;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Writer(String key) {
            this.key = key;
        }

        @Override
        public void write(MemorySegment source, long offset, long length) {
            bytes.writeBytes(source.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
        }

        @Override
        public long copyFrom(Fd source, long position, long length) throws IOException {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment buffer = arena.allocate(Math.max(1, length));
                long read = source.preadFully(buffer, 0, length, position);
                write(buffer, 0, read);
                return read;
            }
        }

        @Override
        public void read(long position, MemorySegment target, long offset, long length) throws IOException {
            if (position + length > bytes.size()) {
                throw new StoreException(key + " has no byte " + (position + length));
            }
            MemorySegment.copy(MemorySegment.ofArray(bytes.toByteArray()), position, target, offset, length);
        }

        @Override
        public void commit() throws IOException {
            if (!put(key, bytes.toByteArray())) {
                throw new StoreException(key + " exists already");
            }
        }

        @Override
        public void close() {}
    }
}
