package io.chagres.archive.read;

import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.linux.Fd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A store in memory that stops the world at a chosen change: nothing changes after it. Confined to one thread. */
final class HeapStore implements BlobStore {
    /** What a change answers when the world stopped before it. */
    static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    final TreeMap<String, byte[]> objects = new TreeMap<>();
    final TreeMap<String, Long> times = new TreeMap<>();
    long nowMs = 1_000_000;
    int changes;
    int stopAt = Integer.MAX_VALUE;

    HeapStore copy() {
        HeapStore copy = new HeapStore();
        copy.objects.putAll(objects);
        copy.times.putAll(times);
        copy.nowMs = nowMs;
        return copy;
    }

    private void change() {
        if (changes == stopAt) {
            throw new Stopped();
        }
        changes++;
    }

    private void put(String key, byte[] bytes) {
        objects.put(key, bytes);
        times.put(key, nowMs);
    }

    byte[] bytes(String key) {
        return Objects.requireNonNull(objects.get(key), key);
    }

    List<String> keys(String part) {
        return objects.keySet().stream().filter(key -> key.contains(part)).toList();
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) {
        if (objects.containsKey(key)) {
            return false;
        }
        change();
        put(key, content.toArray(ValueLayout.JAVA_BYTE));
        return true;
    }

    @Override
    public BlobWriter create(String key) {
        return new HeapWriter(key);
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        byte[] bytes = objects.get(key);
        if (bytes == null) {
            throw new NoSuchBlobException(key);
        }
        int length = (int) Math.min(Math.max(0, bytes.length - offset), target.byteSize());
        MemorySegment.copy(MemorySegment.ofArray(bytes), Math.min(offset, bytes.length), target, 0, length);
        return length;
    }

    @Override
    public long size(String key) {
        byte[] bytes = objects.get(key);
        return bytes == null ? -1 : bytes.length;
    }

    @Override
    public Iterable<BlobInfo> list(String prefix, @Nullable String afterKey) {
        List<BlobInfo> found = new ArrayList<>();
        objects.tailMap(prefix).forEach((key, bytes) -> {
            if (key.startsWith(prefix) && (afterKey == null || key.compareTo(afterKey) > 0)) {
                found.add(new BlobInfo(key, bytes.length, Objects.requireNonNull(times.get(key))));
            }
        });
        return found;
    }

    @Override
    public List<String> children(String prefix) {
        return objects.keySet().stream()
                .filter(key -> key.startsWith(prefix))
                .map(key -> key.substring(prefix.length()).split("/", -1)[0])
                .distinct()
                .toList();
    }

    @Override
    public void delete(String key) {
        if (objects.containsKey(key)) {
            change();
            objects.remove(key);
        }
    }

    @Override
    public void close() {}

    private final class HeapWriter implements BlobWriter {
        private final String key;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        HeapWriter(String key) {
            this.key = key;
        }

        @Override
        public void write(MemorySegment source, long offset, long length) {
            bytes.writeBytes(source.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
        }

        @Override
        public long copyFrom(Fd source, long position, long length) throws IOException {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment buffer = arena.allocate(length);
                long read = source.preadFully(buffer, 0, length, position);
                write(buffer, 0, read);
                return read;
            }
        }

        @Override
        public void read(long position, MemorySegment target, long offset, long length) {
            MemorySegment.copy(MemorySegment.ofArray(bytes.toByteArray()), position, target, offset, length);
        }

        @Override
        public void commit() {
            change();
            put(key, bytes.toByteArray());
        }

        @Override
        public void close() {}
    }
}
