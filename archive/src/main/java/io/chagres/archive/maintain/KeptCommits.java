package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.read.ExtentRanges;
import io.chagres.archive.state.LazyIterator;
import io.chagres.archive.state.SpillFile;
import io.chagres.archive.store.BlobRange;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.CachingStore;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a store while a host is compacted and fetches each commit whole: what reads its records first and its
 * data later asks the store once. It keeps all of them in a local file, or none when they are more than its bound.
 * Confined to one thread.
 */
final class KeptCommits extends CachingStore {
    /** Where the bytes of a commit are. */
    private record Place(long position, int bytes) {}

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment fetched = arena.allocate(ExtentRanges.COMMIT_BYTES);
    private final String log;
    private final long maxBytes;
    private final SpillFile file;
    private final Map<Long, Place> kept = new HashMap<>();
    private long keptBytes;
    private String lastKey = "";
    private byte[] last = new byte[0];

    /**
     * Stands before a store, which stays the caller's.
     *
     * @param maxBytes how many bytes of commits to keep
     * @param file holds them; stays the caller's
     */
    KeptCommits(BlobStore store, String hostId, long maxBytes, SpillFile file) {
        super(store);
        log = ArchiveLayout.log(hostId);
        this.maxBytes = maxBytes;
        this.file = file;
    }

    private @Nullable Place placeOf(String key) {
        OptionalLong seq = ArchiveLayout.seqOf(key);
        return seq.isPresent() ? kept.get(seq.getAsLong()) : null;
    }

    /** Returns the bytes of a commit if they are here. */
    private byte @Nullable [] held(String key) throws IOException {
        if (key.equals(lastKey)) {
            return last;
        }
        Place place = placeOf(key);
        if (place == null) {
            return null;
        }
        byte[] bytes = new byte[place.bytes()];
        file.read(place.position(), bytes, bytes.length);
        lastKey = key;
        last = bytes;
        return bytes;
    }

    @Override
    protected @Nullable Piece piece(String key, long position) throws IOException {
        if (!key.startsWith(log)) {
            return null;
        }
        byte[] bytes = held(key);
        if (bytes == null) {
            bytes = fetch(key);
        }
        boolean isWhole = bytes.length < ExtentRanges.COMMIT_BYTES;
        return isWhole || position < bytes.length ? new Piece(0, bytes, isWhole) : null;
    }

    @Override
    public void forget(String key) {
        lastKey = key.equals(lastKey) ? "" : lastKey;
        ArchiveLayout.seqOf(key).ifPresent(kept::remove);
        super.forget(key);
    }

    private byte[] fetch(String key) throws IOException {
        int got = store.get(key, 0, fetched);
        last = fetched.asSlice(0, got).toArray(ValueLayout.JAVA_BYTE);
        lastKey = key;
        OptionalLong seq = ArchiveLayout.seqOf(key);
        if (seq.isPresent() && keptBytes + got <= maxBytes) {
            kept.put(seq.getAsLong(), new Place(file.add(last, got), got));
            keptBytes += got;
        } else {
            kept.clear();
            keptBytes = maxBytes; // no further one is kept
        }
        return last;
    }

    @Override
    public long size(String key) throws IOException {
        Place place = placeOf(key);
        int bytes = key.equals(lastKey) ? last.length : place == null ? ExtentRanges.COMMIT_BYTES : place.bytes();
        return bytes == ExtentRanges.COMMIT_BYTES ? store.size(key) : bytes;
    }

    /** Leaves out what is here, and lets the rest of the commits be fetched whole. */
    @Override
    public void expect(Iterator<BlobRange> ranges) {
        super.expect(new LazyIterator<>() {
            @Override
            protected @Nullable BlobRange following() {
                while (ranges.hasNext()) {
                    BlobRange range = ranges.next();
                    if (!range.key().startsWith(log)) {
                        return range;
                    }
                    if (placeOf(range.key()) == null) {
                        return new BlobRange(range.key(), 0, ExtentRanges.COMMIT_BYTES);
                    }
                }
                return null;
            }
        });
    }

    /** Gives the memory back; the store is the caller's. */
    @Override
    public void close() {
        arena.close();
    }
}
