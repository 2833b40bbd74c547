package io.chagres.archive.log;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Fetches the headers of commits and checkpoints. Stateless. */
public final class CommitReader {
    /** One read fetches the whole header of an ordinary commit. */
    private static final int FIRST_BYTES = 64 * 1024;

    private CommitReader() {}

    /**
     * Fetches and decodes the header of a commit or checkpoint.
     *
     * @throws NoSuchBlobException when there is none
     * @throws CorruptArchiveException when it is damaged
     */
    public static CommitHeader header(BlobStore store, String key) throws IOException {
        byte[] bytes = new byte[FIRST_BYTES];
        int read = store.get(key, 0, MemorySegment.ofArray(bytes));
        if (read < CommitHeader.FRAME_HEADER) {
            throw new CorruptArchiveException(key, "it is cut off");
        }
        long size = read < FIRST_BYTES ? read : store.size(key);
        long needed = CommitHeader.frameBytes(key, bytes, size);
        if (needed > Integer.MAX_VALUE - 64) {
            throw new CorruptArchiveException(key, "its header has an impossible size");
        }
        if (needed > read) {
            bytes = Arrays.copyOf(bytes, (int) needed);
            MemorySegment rest = MemorySegment.ofArray(bytes).asSlice(read);
            if (store.get(key, read, rest) != rest.byteSize()) {
                throw new CorruptArchiveException(key, "it is cut off");
            }
        } else {
            bytes = Arrays.copyOf(bytes, read);
        }
        return CommitHeader.decode(key, bytes);
    }
}
