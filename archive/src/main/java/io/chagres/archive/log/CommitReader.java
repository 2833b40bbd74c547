package io.chagres.archive.log;

import com.github.luben.zstd.ZstdDecompressCtx;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.store.BlobRange;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.CachingStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Fetches the headers of commits, without their data areas: one read each when the records are small. Confined to
 * one thread at a time.
 */
public final class CommitReader implements AutoCloseable {
    /** Of a commit of fewer bytes the size is compared with what its header says, in bytes. */
    public static final int FIRST_BYTES = 64 * 1024;

    private static final int MAX_LIKELY_BYTES = 1 << 20;

    private final BlobStore store;
    private final List<AgeIdentity> identities;
    private final ZstdDecompressCtx context = new ZstdDecompressCtx();

    /** What is fetched at once: what the commit before took and more, unless those that follow were named. */
    private int likelyBytes = FIRST_BYTES;

    private boolean areExpected;

    /** Makes a reader on a store, which stays the caller's; close the reader. */
    public CommitReader(BlobStore store) {
        this.store = ProtectedStore.stored(store);
        identities = ProtectedStore.keyRing(store).identities();
    }

    /** Names the commits whose headers will be read, in order; see {@link CachingStore#expect}. */
    public void expect(List<String> keys) {
        areExpected = !keys.isEmpty();
        likelyBytes = FIRST_BYTES;
        CachingStore.expect(
                store,
                keys.stream().map(key -> new BlobRange(key, 0, FIRST_BYTES)).iterator());
    }

    /**
     * Fetches and decodes a commit. One that looks damaged is fetched again first: a bit that flipped on the way is not
     * in the archive.
     *
     * @throws EncryptedException when no identity opens its records
     * @throws NoSuchBlobException when there is none under the key
     * @throws CorruptArchiveException when it is damaged; that the data area is whole is checked only as far as it was
     *     read
     */
    public CommitHeader read(String key) throws IOException {
        CommitHeader commit = look(key);
        commit.requireRecords();
        return commit;
    }

    /** Does as {@link #read}, but takes a commit whose records no identity opens: they cannot be asked for then. */
    public CommitHeader look(String key) throws IOException {
        try {
            return fetch(key);
        } catch (CorruptArchiveException e) {
            CachingStore.forget(store, key);
            return fetch(key);
        } catch (StoreException e) {
            throw CorruptArchiveException.noObject(key, e);
        }
    }

    private CommitHeader fetch(String key) throws IOException {
        // Of one read: to close a shared arena stops all threads for a moment.
        try (Arena memory = Arena.ofConfined()) {
            MemorySegment buffer = memory.allocate(likelyBytes, 8);
            int got = Math.max(0, store.get(key, 0, buffer));
            MemorySegment start = buffer.asSlice(0, got);
            long needed = CommitHeader.neededBytes(key, start);
            if (!areExpected) {
                likelyBytes = Math.clamp(needed + needed / 2, FIRST_BYTES, MAX_LIKELY_BYTES);
            }
            if (got < buffer.byteSize() || needed <= got) {
                return CommitHeader.decode(key, start, got < buffer.byteSize() ? got : -1, context, identities);
            }
            MemorySegment whole = memory.allocate(needed, 8);
            MemorySegment.copy(buffer, 0, whole, 0, got);
            MemorySegment rest = whole.asSlice(got);
            if (store.get(key, got, rest) != rest.byteSize()) {
                throw new CorruptArchiveException(key, "it is cut off");
            }
            return CommitHeader.decode(key, whole, -1, context, identities);
        }
    }

    /** Fetches and decodes the header of one commit; see {@link #read}. */
    public static CommitHeader header(BlobStore store, String key) throws IOException {
        try (CommitReader reader = new CommitReader(store)) {
            return reader.read(key);
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
