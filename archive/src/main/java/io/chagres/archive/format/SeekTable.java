package io.chagres.archive.format;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Collects the sizes of frames and writes the seek table of zstd's seekable format. Confined to one thread at a time;
 * allocates once in a while for the sizes.
 *
 * <pre>
 * u32 0x184D2A5E, u32 size of what follows       a skippable frame, little endian:
 *   u32 stored size, u32 content size              one entry for each frame
 *   u32 frames, u8 descriptor 0, u32 0x8F92EAB1    footer
 * </pre>
 */
final class SeekTable {
    static final int MAGIC = 0x184D2A5E;
    static final int FOOTER_MAGIC = 0x8F92EAB1;
    static final int FOOTER_BYTES = 9;
    static final int ENTRY_BYTES = 8;
    static final int HEADER_BYTES = 8;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private int[] sizes = new int[64];
    private int frames;

    /** Returns the room the table of some frames needs; nothing for none. */
    static int bytes(int frames) {
        return frames == 0 ? 0 : HEADER_BYTES + frames * ENTRY_BYTES + FOOTER_BYTES;
    }

    int bytes() {
        return bytes(frames);
    }

    /** Forgets the frames. */
    void reset() {
        frames = 0;
    }

    /** Notes a frame: its stored size, and that of its content. */
    void note(int stored, int length) {
        if (frames * 2 == sizes.length) {
            sizes = Arrays.copyOf(sizes, sizes.length * 2);
        }
        sizes[frames * 2] = stored;
        sizes[frames * 2 + 1] = length;
        frames++;
    }

    /** Writes the table of the frames so far and returns its size in bytes; nothing for no frames. */
    int write(MemorySegment target, long offset) {
        if (frames == 0) {
            return 0;
        }
        int bytes = bytes();
        target.set(INT, offset, MAGIC);
        target.set(INT, offset + 4, bytes - HEADER_BYTES);
        long at = offset + HEADER_BYTES;
        for (int i = 0; i < frames * 2; i++) {
            target.set(INT, at, sizes[i]);
            at += Integer.BYTES;
        }
        target.set(INT, at, frames);
        target.set(ValueLayout.JAVA_BYTE, at + 4, (byte) 0);
        target.set(INT, at + 5, FOOTER_MAGIC);
        return bytes;
    }
}
