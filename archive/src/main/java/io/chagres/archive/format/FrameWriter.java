package io.chagres.archive.format;

import io.chagres.archive.Codec;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Compresses bytes into frames that can each be decompressed alone, and ends them with a seek table that says where
 * each is. Confined to one thread at a time.
 */
public sealed interface FrameWriter extends AutoCloseable permits SeekableFrames, GzipMembers {
    /**
     * Makes the writer of a codec.
     *
     * @param codec one that compresses
     * @param level its level; 9 at most for gzip, which takes 9 for all above
     */
    static FrameWriter of(Codec codec, int level) {
        return switch (codec) {
            case ZSTD -> new SeekableFrames(level);
            case GZIP -> new GzipMembers(Math.min(level, codec.maxLevel()));
            case NONE -> throw new IllegalArgumentException("bare bytes have no frames");
        };
    }

    /** Returns the room a frame of {@link SeekableFrames#FRAME_BYTES} needs at most. */
    int frameBound();

    /**
     * Compresses one frame and notes it for the seek table.
     *
     * @param target direct buffer with {@link #frameBound} bytes from the offset; its position and limit do not matter
     * @param source direct buffer
     * @param length 1 to {@link SeekableFrames#FRAME_BYTES}
     * @return the stored size in bytes
     */
    int frame(ByteBuffer target, int targetOffset, ByteBuffer source, int sourceOffset, int length);

    /** Returns the room the seek table of the frames so far needs. */
    int tableBytes();

    /** Writes the seek table of the frames so far and returns its size in bytes; nothing for no frames. */
    int table(MemorySegment target, long offset);

    /** Forgets the frames, to begin another object. */
    void reset();

    @Override
    void close();
}
