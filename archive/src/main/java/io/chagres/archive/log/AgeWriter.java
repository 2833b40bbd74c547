package io.chagres.archive.log;

import io.chagres.archive.age.AgeFile;
import io.chagres.archive.store.BlobWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** Encrypts an object while it is written. Confined to one thread. */
final class AgeWriter implements BlobWriter {
    /** Stores take large and aligned pieces best. */
    private static final int WRITE_BYTES = 1 << 20;

    private static final int ALIGNMENT = 4096;

    private final BlobWriter stored;
    private final AgeFile.Chunks chunks;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment out;
    private final byte[] plain = new byte[AgeFile.CHUNK_BYTES];
    private final byte[] sealed = new byte[AgeFile.SEALED_BYTES];
    private long chunk;
    private int plainBytes;
    private int outBytes;

    /**
     * Begins an object.
     *
     * @param stored takes what is encrypted; closed with this one
     */
    AgeWriter(BlobWriter stored, AgeFile file) {
        this.stored = stored;
        chunks = file.chunks();
        out = arena.allocate(WRITE_BYTES + AgeFile.SEALED_BYTES + file.startBytes(), ALIGNMENT);
        MemorySegment.copy(file.start(), 0, out, ValueLayout.JAVA_BYTE, 0, file.startBytes());
        outBytes = file.startBytes();
    }

    @Override
    public void write(MemorySegment source, long offset, long length) throws IOException {
        for (long done = 0; done < length; ) {
            if (plainBytes == plain.length) {
                seal(false);
            }
            int part = (int) Math.min(length - done, plain.length - plainBytes);
            MemorySegment.copy(source, ValueLayout.JAVA_BYTE, offset + done, plain, plainBytes, part);
            plainBytes += part;
            done += part;
        }
    }

    private void seal(boolean last) throws IOException {
        int length = chunks.seal(chunk++, last, plain, plainBytes, sealed, 0);
        plainBytes = 0;
        MemorySegment.copy(sealed, 0, out, ValueLayout.JAVA_BYTE, outBytes, length);
        outBytes += length;
        if (outBytes >= WRITE_BYTES) {
            stored.write(out, 0, WRITE_BYTES);
            outBytes -= WRITE_BYTES;
            MemorySegment.copy(out, WRITE_BYTES, out, 0, outBytes);
        }
    }

    @Override
    public void read(long position, MemorySegment target, long offset, long length) {
        throw new UnsupportedOperationException("no kernel copies what is encrypted");
    }

    @Override
    public void commit() throws IOException {
        seal(true);
        stored.write(out, 0, outBytes);
        stored.commit();
    }

    @Override
    public byte @Nullable [] sha256() {
        return stored.sha256();
    }

    @Override
    public void close() {
        arena.close();
        stored.close();
    }
}
