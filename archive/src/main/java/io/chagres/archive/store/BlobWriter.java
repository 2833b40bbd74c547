package io.chagres.archive.store;

import io.chagres.linux.Fd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Writes one new object. Closing without {@link #commit} discards it. Confined to one thread. */
public interface BlobWriter extends AutoCloseable {
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
     * Appends bytes of a local file, within the kernel where possible.
     *
     * @return bytes moved, fewer only when the file ended
     * @throws io.chagres.foreign.ErrnoException when the file cannot be read
     * @throws IOException when the store refuses
     */
    long copyFrom(Fd source, long position, long length) throws IOException;

    /** Reads back bytes that were appended; used for checksums of a copy made by the kernel. */
    void read(long position, MemorySegment target, long offset, long length) throws IOException;

    /** Makes the object visible and durable. */
    void commit() throws IOException;

    @Override
    void close();
}
