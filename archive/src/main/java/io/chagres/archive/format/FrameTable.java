package io.chagres.archive.format;

import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.age.AgeFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** The seek table of one object: where each frame lies, and which bytes it holds. Immutable. */
public final class FrameTable {
    static final int MAX_FRAMES = 1 << 24;
    private static final int FIRST_BYTES = 4096;

    /** The bytes fetched first: the seek table of an object of 100 MB. */
    private static final int LAST_BYTES = 4096;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /** Offset of each frame in the object, and of the end of the last. */
    private final long[] stored;
    /** Offset of each frame's bytes in the content, and of the end of the last. */
    private final long[] content;

    FrameTable(long[] stored, long[] content) {
        this.stored = stored;
        this.content = content;
    }

    /** The bytes of an object. */
    @FunctionalInterface
    public interface Source {
        /** Fills a target from an offset on; returns how many bytes there were. */
        int get(long offset, MemorySegment target) throws IOException;
    }

    /**
     * Fetches the table from the end of an object; every declared size is checked.
     *
     * @param key says whether it holds members of gzip or frames of zstd; and for messages
     * @throws EncryptedException when the object is encrypted, and the source shows it as it is stored
     * @throws CorruptArchiveException when it does not end with one
     */
    public static FrameTable load(Source object, String key, long objectBytes) throws IOException {
        boolean gzip = key.endsWith(Codec.GZIP.suffix());
        long tableEnd = objectBytes - (gzip ? GzipMembers.BEHIND_TABLE_BYTES : 0);
        byte[] last = get(object, key, Math.max(0, objectBytes - LAST_BYTES), objectBytes);
        int footerAt = last.length - (int) (objectBytes - tableEnd) - SeekTable.FOOTER_BYTES;
        if (footerAt < 0) {
            throw new CorruptArchiveException(key, "it is cut off");
        }
        MemorySegment end = MemorySegment.ofArray(last).asSlice(footerAt, SeekTable.FOOTER_BYTES);
        long frames = end.get(INT, 0) & 0xffffffffL;
        long tableBytes = SeekTable.HEADER_BYTES + frames * SeekTable.ENTRY_BYTES + SeekTable.FOOTER_BYTES;
        if (end.get(INT, 5) != SeekTable.FOOTER_MAGIC
                || last[footerAt + 4] != 0
                || tableBytes > tableEnd
                || frames > (gzip ? GzipMembers.MAX_CONTENT_BYTES / SeekableFrames.FRAME_BYTES : MAX_FRAMES)) {
            requirePlain(object, key);
            throw new CorruptArchiveException(key, "it does not end with a seek table");
        }
        int before = gzip ? GzipMembers.BEFORE_TABLE_BYTES : 0;
        long framesEnd = tableEnd - tableBytes - before;
        if (framesEnd < 0) {
            throw new CorruptArchiveException(key, "its seek table is cut off");
        }
        int tailBytes = (int) (objectBytes - framesEnd);
        byte[] tail = tailBytes <= last.length
                ? Arrays.copyOfRange(last, last.length - tailBytes, last.length)
                : get(object, key, framesEnd, objectBytes);
        if (gzip) {
            requireMember(key, tail, (int) tableBytes);
        }
        return parse(key, MemorySegment.ofArray(tail).asSlice(before, tableBytes), (int) frames, framesEnd);
    }

    private static byte[] get(Source object, String key, long from, long to) throws IOException {
        byte[] bytes = new byte[(int) (to - from)];
        fill(object, key, from, MemorySegment.ofArray(bytes));
        return bytes;
    }

    /**
     * Fills a segment with bytes of an object. A source that gives fewer bytes than were asked for may say why when it
     * is asked for the rest.
     *
     * @param key for messages
     * @throws CorruptArchiveException when the object ends before
     */
    public static void fill(Source object, String key, long from, MemorySegment target) throws IOException {
        for (long got, done = 0; done < target.byteSize(); done += got) {
            got = object.get(from + done, target.asSlice(done));
            if (got <= 0) {
                throw new CorruptArchiveException(key, "it is cut off");
            }
        }
    }

    /** Other programs would stumble over what is around the seek table if it were damaged. */
    private static void requireMember(String key, byte[] tail, int tableBytes) throws CorruptArchiveException {
        byte[] before = GzipMembers.beforeTable(tableBytes);
        byte[] behind = GzipMembers.behindTable();
        int tableEnd = tail.length - behind.length;
        if (!Arrays.equals(before, 0, before.length, tail, 0, before.length)
                || !Arrays.equals(behind, 0, behind.length, tail, tableEnd, tail.length)) {
            throw new CorruptArchiveException(key, "the member around its seek table is damaged");
        }
    }

    /** Encrypted content that is read without an identity looks damaged. */
    private static void requirePlain(Source object, String key) throws IOException {
        byte[] first = new byte[FIRST_BYTES];
        int got = object.get(0, MemorySegment.ofArray(first));
        if (AgeFile.begins(first, got)) {
            throw new EncryptedException(key, AgeFile.recipients(first, got), 0);
        }
    }

    private static FrameTable parse(String key, MemorySegment in, int frames, long framesEnd)
            throws CorruptArchiveException {
        if (in.get(INT, 0) != SeekTable.MAGIC || in.get(INT, 4) != in.byteSize() - 8) {
            throw new CorruptArchiveException(key, "its seek table is damaged");
        }
        long[] stored = new long[frames + 1];
        long[] content = new long[frames + 1];
        for (int i = 0; i < frames; i++) {
            long size = in.get(INT, 8 + i * 8L) & 0xffffffffL;
            long bytes = in.get(INT, 12 + i * 8L) & 0xffffffffL;
            if (bytes > SeekableFrames.FRAME_BYTES || size > SeekableFrames.MAX_STORED_BYTES) {
                throw new CorruptArchiveException(key, "its seek table declares an impossible frame");
            }
            stored[i + 1] = stored[i] + size;
            content[i + 1] = content[i] + bytes;
        }
        long first = framesEnd - stored[frames];
        if (first < 0) {
            throw new CorruptArchiveException(key, "its seek table declares more than there is");
        }
        for (int i = 0; i <= frames; i++) {
            stored[i] += first;
        }
        return new FrameTable(stored, content);
    }

    /** Returns the number of frames. */
    public int frames() {
        return stored.length - 1;
    }

    /** Returns the number of bytes all frames hold. */
    public long contentBytes() {
        return content[content.length - 1];
    }

    /** Returns the frame that holds a byte of the content. */
    public int frameAt(long offset) {
        int at = Arrays.binarySearch(content, offset);
        int frame = at >= 0 ? at : -at - 2;
        while (frame + 1 < content.length && content[frame + 1] == offset) {
            frame++;
        }
        return frame;
    }

    /** Returns where a frame begins in the object. */
    public long storedStart(int frame) {
        return stored[frame];
    }

    /** Returns how many bytes a frame takes in the object. */
    public int storedBytes(int frame) {
        return (int) (stored[frame + 1] - stored[frame]);
    }

    /** Returns the position of a frame's first byte in the content. */
    public long contentStart(int frame) {
        return content[frame];
    }

    /** Returns how many bytes a frame holds, at most 256 KiB. */
    public int contentBytes(int frame) {
        return (int) (content[frame + 1] - content[frame]);
    }
}
