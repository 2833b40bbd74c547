package io.chagres.archive.store;

import io.chagres.linux.Fd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Writes one new object. Closing without {@link #commit} discards it. Confined to one thread. */
public interface BlobWriter extends AutoCloseable {
    /** The bytes that {@link #copyFrom} reads at once. */
    long COPY_BYTES = 256 * 1024;

    /** Appends bytes, borrowed until return. */
    void write(MemorySegment source, long offset, long length) throws IOException;

    /**
     * Says whether {@link #copyFrom} shares the blocks of a file instead of copying its bytes. Where it does not,
     * reading the bytes once for their checksum and writing them costs less than a copy that is read back.
     */
    default boolean sharesBlocksWith(Fd source) {
        return false;
    }

    /**
     * Appends bytes of a local file, within the kernel where a writer can; by itself it reads and writes them.
     *
     * @return bytes moved, fewer only when the file ended
     * @throws io.chagres.foreign.ErrnoException when the file cannot be read
     * @throws IOException when the store refuses
     */
    default long copyFrom(Fd source, long position, long length) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(Math.min(COPY_BYTES, Math.max(1, length)), Long.BYTES);
            long done = 0;
            while (done < length) {
                long read = source.preadFully(buffer, 0, Math.min(buffer.byteSize(), length - done), position + done);
                if (read == 0) {
                    break;
                }
                write(buffer, 0, read);
                done += read;
            }
            return done;
        }
    }

    /** Reads back bytes that were appended; used for checksums of a copy made by the kernel. */
    void read(long position, MemorySegment target, long offset, long length) throws IOException;

    /** Makes the object visible and durable. */
    void commit() throws IOException;

    /** Returns the SHA-256 of what was committed, as it is stored; null when the store takes none. */
    default byte @Nullable [] sha256() {
        return null;
    }

    @Override
    void close();
}
