package io.chagres.archive.format;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.chagres.archive.LogRecord;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * Compresses bytes into independent zstd frames and builds the seek table that ends them: the seekable format of zstd,
 * which any zstd tool decompresses. Confined to one thread at a time; allocates nothing per frame but once in a while
 * for the sizes.
 *
 * <pre>
 * frame...                                       zstd frames of at most 256 KiB of content each
 * u32 0x184D2A5E, u32 size of what follows       seek table, a skippable frame, little endian:
 *   u32 stored size, u32 content size              one entry for each frame
 *   u32 frames, u8 descriptor 0, u32 0x8F92EAB1    footer, the last 9 bytes of the object
 * </pre>
 */
public final class SeekableFrames implements AutoCloseable {
    /** The bytes one frame holds at most. */
    public static final int FRAME_BYTES = LogRecord.PIECE_BYTES;

    static final int TABLE_MAGIC = 0x184D2A5E;
    static final int FOOTER_MAGIC = 0x8F92EAB1;
    static final int FOOTER_BYTES = 9;
    static final int ENTRY_BYTES = 8;
    static final int SKIPPABLE_HEADER_BYTES = 8;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private final ZstdCompressCtx context = new ZstdCompressCtx();
    private int[] sizes = new int[64];
    private int frames;

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
        return frames == 0 ? 0 : SKIPPABLE_HEADER_BYTES + frames * ENTRY_BYTES + FOOTER_BYTES;
    }

    /** Returns how many full frames some bytes need. */
    public static int framesOf(long lengthBytes) {
        return (int) ((lengthBytes + FRAME_BYTES - 1) / FRAME_BYTES);
    }

    /** Returns the room the seek table of the frames so far needs. */
    public int tableBytes() {
        return tableBytes(frames);
    }

    /** Forgets the frames, to begin another object. */
    public void reset() {
        frames = 0;
    }

    /**
     * Compresses one frame and notes it for the seek table.
     *
     * @param target direct buffer with {@link #boundOf} bytes from the offset; its position and limit do not matter
     * @param source direct buffer
     * @param length 1 to {@link #FRAME_BYTES}
     * @return the stored size in bytes
     */
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
        if (frames * 2 == sizes.length) {
            sizes = Arrays.copyOf(sizes, sizes.length * 2);
        }
        sizes[frames * 2] = stored;
        sizes[frames * 2 + 1] = length;
        frames++;
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

    /** Writes the seek table of the frames so far and returns its size in bytes; nothing for no frames. */
    public int table(MemorySegment target, long offset) {
        if (frames == 0) {
            return 0;
        }
        int bytes = tableBytes();
        target.set(INT, offset, TABLE_MAGIC);
        target.set(INT, offset + 4, bytes - SKIPPABLE_HEADER_BYTES);
        long at = offset + SKIPPABLE_HEADER_BYTES;
        for (int i = 0; i < frames * 2; i++) {
            target.set(INT, at, sizes[i]);
            at += Integer.BYTES;
        }
        target.set(INT, at, frames);
        target.set(ValueLayout.JAVA_BYTE, at + 4, (byte) 0);
        target.set(INT, at + 5, FOOTER_MAGIC);
        return bytes;
    }

    @Override
    public void close() {
        context.close();
    }
}
