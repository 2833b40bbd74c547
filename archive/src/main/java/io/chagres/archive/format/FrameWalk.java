package io.chagres.archive.format;

import com.github.luben.zstd.Zstd;
import io.chagres.archive.Codec;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Finds the frames of an object one after the other from its beginning, without its seek table. It takes bytes that
 * begin no frame for a damaged, full one. Owns native memory; confined to one thread.
 */
public final class FrameWalk implements AutoCloseable {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final int FRAME_MAGIC = 0xFD2FB528;
    private static final int SKIPPABLE_MAGIC = 0x184D2A50;
    private static final int MAGIC_BYTES = 4;

    private final FrameTable.Source object;
    private final boolean gzip;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment window = arena.allocate(2 * SeekableFrames.MAX_STORED_BYTES, 8);
    private final GzipMembers.Reader members = new GzipMembers.Reader();
    private long windowStart;
    private int got;
    private long position;
    private int storedBytes;
    private int contentBytes;

    private FrameWalk(FrameTable.Source object, String key) {
        this.object = object;
        gzip = key.endsWith(Codec.GZIP.suffix());
    }

    /**
     * Finds the frames of an object without its table: from the first on, as far as they are there whole. Bytes that
     * begin no frame count as a damaged one that holds 256 KiB. Only checksums show whether that is so.
     *
     * @param key says whether it holds members of gzip or frames of zstd
     */
    public static FrameTable table(FrameTable.Source object, String key) throws IOException {
        try (FrameWalk walk = new FrameWalk(object, key)) {
            walk.skipHeader();
            long[] stored = {walk.position};
            long[] content = {0};
            int frames = 0;
            while (frames < FrameTable.MAX_FRAMES && walk.next()) {
                if (++frames == stored.length) {
                    stored = Arrays.copyOf(stored, frames * 2);
                    content = Arrays.copyOf(content, frames * 2);
                }
                stored[frames] = walk.position + walk.storedBytes;
                content[frames] = content[frames - 1] + walk.contentBytes;
            }
            return new FrameTable(Arrays.copyOf(stored, frames + 1), Arrays.copyOf(content, frames + 1));
        }
    }

    /** Goes behind what a commit has before its frames. */
    private void skipHeader() throws IOException {
        fetch(2 * MAGIC_BYTES);
        if (!gzip && got >= 2 * MAGIC_BYTES && (window.get(INT, 0) & ~0xf) == SKIPPABLE_MAGIC) {
            position = 2 * MAGIC_BYTES + (window.get(INT, MAGIC_BYTES) & 0xffffffffL);
        }
    }

    /** Goes to the next frame; false when there is none. */
    private boolean next() throws IOException {
        position += storedBytes;
        storedBytes = 0;
        if (measure((int) Math.min(position - windowStart, got))) {
            return true;
        }
        fetch(SeekableFrames.MAX_STORED_BYTES);
        if (!measure(0)) {
            fetch(2 * SeekableFrames.MAX_STORED_BYTES); // the frame behind it is there whole, too
            int next = 1;
            while (next < SeekableFrames.MAX_STORED_BYTES && !measure(next)) {
                next++;
            }
            storedBytes = next < SeekableFrames.MAX_STORED_BYTES ? next : 0;
            contentBytes = SeekableFrames.FRAME_BYTES;
        }
        return storedBytes > 0;
    }

    private void fetch(int bytes) throws IOException {
        windowStart = position;
        got = Math.max(0, object.get(position, window.asSlice(0, bytes)));
    }

    /** Measures the frame that begins in the window; false when none does that is there whole. */
    private boolean measure(int at) {
        if (got - at < MAGIC_BYTES || (!gzip && window.get(INT, at) != FRAME_MAGIC)) {
            return false;
        }
        ByteBuffer bytes = window.asSlice(at, got - at).asByteBuffer();
        long stored = gzip ? members.storedBytes(bytes) : Zstd.findFrameCompressedSize(bytes.slice());
        if (stored < 1 || stored > bytes.capacity()) {
            return false;
        }
        long content = gzip
                ? window.get(INT, at + stored - Integer.BYTES) & 0xffffffffL
                : Zstd.getDirectByteBufferFrameContentSize(bytes, 0, bytes.capacity());
        if (content < 1 || content > SeekableFrames.FRAME_BYTES) {
            return false;
        }
        storedBytes = (int) stored;
        contentBytes = (int) content;
        return true;
    }

    @Override
    public void close() {
        members.close();
        arena.close();
    }
}
