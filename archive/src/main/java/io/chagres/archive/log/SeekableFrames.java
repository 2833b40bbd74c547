package io.chagres.archive.log;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Compresses bytes into independent zstd frames of at most 256 KiB and builds the seek table that ends them: the
 * seekable format of zstd, little endian, which any zstd tool decompresses. Confined to one thread; allocates nothing
 * per frame.
 *
 * <p>Seek table: a skippable frame (magic 0x184D2A5E, u32 size) of one entry per frame (u32 compressed size, u32
 * size) and a footer (u32 number of frames, u8 descriptor 0, u32 magic 0x8F92EAB1).
 */
public final class SeekableFrames implements AutoCloseable {
    /** The bytes one frame holds at most. */
    public static final int FRAME_BYTES = 256 * 1024;

    static final int SEEK_TABLE_MAGIC = 0x184D2A5E;
    static final int FOOTER_MAGIC = 0x8F92EAB1;
    static final int FOOTER_BYTES = 9;
    static final int ENTRY_BYTES = 8;
    static final int SKIPPABLE_HEADER_BYTES = 8;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private final ZstdCompressCtx context = new ZstdCompressCtx();
    private int[] sizes = new int[64];
    private int frames;

    /** Makes a compressor of a level from 1 to 19. */
    public SeekableFrames(int level) {
        context.setLevel(level);
    }

    /** Returns the room the frame of some bytes needs at most. */
    public static int boundOf(int lengthBytes) {
        return (int) Zstd.compressBound(lengthBytes);
    }

    /** Returns the room the seek table needs. */
    public int tableBytes() {
        return frames == 0 ? 0 : SKIPPABLE_HEADER_BYTES + frames * ENTRY_BYTES + FOOTER_BYTES;
    }

    /** Forgets the frames, to begin another object. */
    public void reset() {
        frames = 0;
    }

    /**
     * Compresses one frame.
     *
     * @param target direct buffer with at least {@link #boundOf} bytes from the offset
     * @param source direct buffer
     * @param length at most {@link #FRAME_BYTES}
     * @return the compressed size in bytes
     */
    public int frame(ByteBuffer target, int targetOffset, ByteBuffer source, int sourceOffset, int length) {
        target.clear();
        source.clear();
        int compressed = context.compressDirectByteBuffer(
                target, targetOffset, target.capacity() - targetOffset, source, sourceOffset, length);
        if (frames * 2 == sizes.length) {
            sizes = Arrays.copyOf(sizes, sizes.length * 2);
        }
        sizes[frames * 2] = compressed;
        sizes[frames * 2 + 1] = length;
        frames++;
        return compressed;
    }

    /** Writes the seek table of the frames so far and returns its size in bytes; nothing for no frames. */
    public int table(MemorySegment target, long offset) {
        if (frames == 0) {
            return 0;
        }
        int bytes = tableBytes();
        target.set(INT, offset, SEEK_TABLE_MAGIC);
        target.set(INT, offset + 4, bytes - SKIPPABLE_HEADER_BYTES);
        long at = offset + SKIPPABLE_HEADER_BYTES;
        for (int i = 0; i < frames * 2; i++) {
            target.set(INT, at, sizes[i]);
            at += 4;
        }
        target.set(INT, at, frames);
        target.set(ValueLayout.JAVA_BYTE, at + 4, (byte) 0);
        target.set(INT, at + 5, FOOTER_MAGIC);
        return bytes;
    }

    /** Compresses a whole array as one frame into a new array; for small metadata. */
    static byte[] compress(byte[] bytes, int length, int level) {
        return Zstd.compress(length == bytes.length ? bytes : Arrays.copyOf(bytes, length), level);
    }

    /** Allocates a zeroed direct region that lives as long as an arena. */
    static MemorySegment region(Arena arena, long bytes) {
        return arena.allocate(bytes, 64);
    }

    @Override
    public void close() {
        context.close();
    }
}
