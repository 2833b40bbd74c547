package io.chagres.archive.format;

import com.github.luben.zstd.Zstd;
import io.chagres.archive.Codec;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * Finds the frames of an object one after the other from its beginning, without its seek table. It takes bytes that
 * begin no frame for a damaged, full one. Owns native memory; confined to one thread.
 */
final class FrameWalk implements AutoCloseable {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final int FRAME_MAGIC = 0xFD2FB528;
    private static final int SKIPPABLE_MAGIC = 0x184D2A50;
    private static final int MAGIC_BYTES = 4;

    private final FrameTable.Source object;
    private final boolean gzip;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment window = arena.allocate(2 * FrameTable.MAX_STORED_BYTES, 8);
    private final GzipMembers.Reader members = new GzipMembers.Reader();
    private long windowStart;
    private int got;
    private long position;
    private int storedBytes;
    private int contentBytes;

    FrameWalk(FrameTable.Source object, String key) {
        this.object = object;
        gzip = key.endsWith(Codec.GZIP.suffix());
    }

    /** Goes behind what a commit has before its frames. */
    void skipHeader() throws IOException {
        fetch(2 * MAGIC_BYTES);
        if (!gzip && got >= 2 * MAGIC_BYTES && (window.get(INT, 0) & ~0xf) == SKIPPABLE_MAGIC) {
            position = 2 * MAGIC_BYTES + (window.get(INT, MAGIC_BYTES) & 0xffffffffL);
        }
    }

    /** Goes to the next frame; false when there is none. */
    boolean next() throws IOException {
        position += storedBytes;
        storedBytes = 0;
        if (measure((int) Math.min(position - windowStart, got))) {
            return true;
        }
        fetch(FrameTable.MAX_STORED_BYTES);
        if (!measure(0)) {
            fetch(2 * FrameTable.MAX_STORED_BYTES); // the frame behind it is there whole, too
            int next = 1;
            while (next < FrameTable.MAX_STORED_BYTES && !measure(next)) {
                next++;
            }
            storedBytes = next < FrameTable.MAX_STORED_BYTES ? next : 0;
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

    long position() {
        return position;
    }

    int storedBytes() {
        return storedBytes;
    }

    int contentBytes() {
        return contentBytes;
    }

    @Override
    public void close() {
        members.close();
        arena.close();
    }
}
