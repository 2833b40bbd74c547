package io.chagres.archive.format;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.chagres.archive.LogRecord;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Compresses bytes into independent zstd frames and builds the {@link SeekTable} that ends them: the seekable format of
 * zstd, which any zstd tool decompresses. Confined to one thread at a time; allocates nothing per frame but once in a
 * while for the sizes.
 */
public final class SeekableFrames implements FrameWriter {
    /** The bytes one frame holds at most. */
    public static final int FRAME_BYTES = LogRecord.PIECE_BYTES;

    /** The most bytes of a frame in the object: bytes that do not compress grow a little. */
    public static final int MAX_STORED_BYTES = 2 * FRAME_BYTES;

    private final ZstdCompressCtx context = new ZstdCompressCtx();
    private final SeekTable table = new SeekTable();

    /** Makes a compressor of a zstd level, 1 to 19. */
    public SeekableFrames(int level) {
        context.setLevel(level);
    }

    /** Returns the room the frame of some bytes needs at most. */
    public static int boundOf(int lengthBytes) {
        return (int) Zstd.compressBound(lengthBytes);
    }

    /** Returns the room the seek table of some frames needs; nothing for none. */
    public static int tableBytes(int frames) {
        return SeekTable.bytes(frames);
    }

    /** Returns how many full frames some bytes need. */
    public static int framesOf(long lengthBytes) {
        return (int) ((lengthBytes + FRAME_BYTES - 1) / FRAME_BYTES);
    }

    @Override
    public int frameBound() {
        return boundOf(FRAME_BYTES);
    }

    @Override
    public int tableBytes() {
        return table.bytes();
    }

    @Override
    public void reset() {
        table.reset();
    }

    @Override
    public int frame(ByteBuffer target, int targetOffset, ByteBuffer source, int sourceOffset, int length) {
        if (length < 1 || length > FRAME_BYTES) {
            throw new IllegalArgumentException("a frame of " + length + " bytes");
        }
        int stored = compress(target, targetOffset, source, sourceOffset, length);
        note(stored, length);
        return stored;
    }

    /** Notes a frame that was made elsewhere for the seek table: its stored size, and that of its content. */
    public void note(int stored, int length) {
        table.note(stored, length);
    }

    /** Compresses any number of bytes into one frame that the seek table does not mention; see {@link #frame}. */
    public int compress(ByteBuffer target, int targetOffset, ByteBuffer source, int sourceOffset, int length) {
        Objects.checkFromIndexSize(targetOffset, boundOf(length), target.capacity());
        Objects.checkFromIndexSize(sourceOffset, length, source.capacity());
        target.clear(); // callers move the limits of buffers they share with us
        source.clear();
        return context.compressDirectByteBuffer(
                target, targetOffset, target.capacity() - targetOffset, source, sourceOffset, length);
    }

    @Override
    public int table(MemorySegment target, long offset) {
        return table.write(target, offset);
    }

    @Override
    public void close() {
        context.close();
    }
}
