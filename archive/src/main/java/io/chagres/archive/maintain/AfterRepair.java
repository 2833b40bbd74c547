package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobPage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.CollectedWriter;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.SegmentContent;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A store as it would be after a repair: without what is moved away, and with what is put, which is only here until
 * {@link #putInto}. Confined to one thread.
 */
final class AfterRepair extends ForwardingStore {
    private final Set<String> moved;
    private final NavigableMap<String, byte[]> added = new TreeMap<>();
    private final BlobStore opened;

    /**
     * Stands before a store, which stays the caller's and is not changed.
     *
     * @param moved keys of what is moved away
     */
    AfterRepair(BlobStore store, Set<String> moved) {
        super(ProtectedStore.stored(store));
        this.moved = moved;
        opened = ProtectedStore.of(
                this, KeyRing.reading(ProtectedStore.keyRing(store).identities()));
    }

    /** Says whether an object is moved away. */
    boolean moves(String key) {
        return moved.contains(key);
    }

    /** Puts what was put here into a store: a checkpoint, and then its mark. */
    void putInto(BlobStore target) throws IOException {
        List<String> keys = new ArrayList<>(added.keySet());
        keys.sort(Comparator.comparing(key -> key.startsWith(ArchiveLayout.COMPACTED)));
        for (String key : keys) {
            MemorySegment content = MemorySegment.ofArray(bytes(key));
            if (key.startsWith(ArchiveLayout.COMPACTED)) {
                target.putIfAbsent(key, content);
                continue;
            }
            try (BlobWriter writer = target.create(key)) {
                writer.write(content, 0, content.byteSize());
                writer.commit();
            }
        }
    }

    private byte[] bytes(String key) {
        byte[] bytes = added.get(key);
        return bytes == null ? new byte[0] : bytes;
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        return size(key) < 0 && added.put(key, content.toArray(ValueLayout.JAVA_BYTE)) == null;
    }

    private boolean put(String key, SegmentContent content) throws IOException {
        return putIfAbsent(key, MemorySegment.ofArray(content.stream().readAllBytes()));
    }

    @Override
    public BlobWriter create(String key) {
        return new CollectedWriter(this, this::put, key);
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        if (moved.contains(key)) {
            throw new NoSuchBlobException(key);
        }
        byte[] bytes = added.get(key);
        if (bytes == null) {
            return store.get(key, offset, target);
        }
        int length = (int) Math.clamp(bytes.length - offset, 0, target.byteSize());
        if (length > 0) {
            MemorySegment.copy(MemorySegment.ofArray(bytes), offset, target, 0, length);
        }
        return length;
    }

    @Override
    public long size(String key) throws IOException {
        byte[] bytes = added.get(key);
        return moved.contains(key) ? -1 : bytes != null ? bytes.length : store.size(key);
    }

    @Override
    public boolean exists(String key) throws IOException {
        return !moved.contains(key) && (added.containsKey(key) || store.exists(key));
    }

    @Override
    public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException {
        List<BlobInfo> all = new ArrayList<>();
        for (BlobInfo each : BlobList.all(store, prefix, afterKey)) {
            if (!moved.contains(each.key())) {
                all.add(each);
            }
        }
        added.forEach((key, bytes) -> {
            if (key.startsWith(prefix) && (afterKey == null || key.compareTo(afterKey) > 0)) {
                all.add(new BlobInfo(key, bytes.length, 0));
            }
        });
        all.sort(Comparator.comparing(BlobInfo::key));
        return BlobPage.of(all, maxObjects);
    }

    /** Returns what is read here, with the keys of the store. */
    BlobStore opened() {
        return opened;
    }
}
