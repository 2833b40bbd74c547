package io.chagres.archive.store;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** The bytes of segments, one behind the other, as a client takes them. Borrows them; confined to one thread. */
public final class SegmentContent {
    private static final int CHECKSUM_BYTES = 4;
    private static final int BUFFER_BYTES = 16 * 1024;

    private final List<MemorySegment> segments;
    private final long length;

    /** Makes a view of segments that live until the object is put. */
    public SegmentContent(List<MemorySegment> segments) {
        this.segments = segments;
        length = segments.stream().mapToLong(MemorySegment::byteSize).sum();
    }

    /** Returns how many bytes there are. */
    public long length() {
        return length;
    }

    /** Returns a stream of the bytes from their start; a client that sends them again asks for another one. */
    public InputStream stream() {
        return new Stream(segments);
    }

    /** Returns the same memory as buffers: what is confined to a thread stays so. */
    public List<ByteBuffer> buffers() {
        return segments.stream().map(MemorySegment::asByteBuffer).toList();
    }

    /** Returns the MD5 of the bytes, 16 bytes: what some object stores compare with what arrived. */
    public byte[] md5() {
        try {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            buffers().forEach(digest::update);
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has MD5", e);
        }
    }

    /** Returns the CRC32C of the bytes as object stores write it: big endian, in base 64. */
    public String crc32c() {
        CRC32C crc = new CRC32C();
        for (MemorySegment segment : segments) {
            crc.update(segment.asByteBuffer());
        }
        long value = crc.getValue();
        byte[] bytes = new byte[CHECKSUM_BYTES];
        for (int i = 0; i < CHECKSUM_BYTES; i++) {
            bytes[i] = (byte) (value >> (8 * (CHECKSUM_BYTES - 1 - i)));
        }
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** Asks for an answer. */
    @FunctionalInterface
    public interface Answer {
        /** Returns the body of a new answer; the caller closes it. */
        InputStream open() throws IOException;
    }

    /**
     * Says whether an answer begins where it was asked to: a server that knows nothing of ranges gives the whole, and
     * its first bytes would stand for others.
     *
     * @param isWhole whether the answer says that it is all of the object
     * @param contentRange what it says of the part that it is; null for nothing
     * @param offset of the first byte that was asked for
     */
    public static boolean beginsAt(boolean isWhole, @Nullable String contentRange, long offset) {
        return contentRange == null ? !isWhole || offset == 0 : contentRange.startsWith("bytes " + offset + "-");
    }

    /** Returns what to say where it does not. */
    public static StoreException elsewhere(String store, String key) {
        return new StoreException(
                store + ": " + key + ": the answer is not the part that was asked for; is the endpoint right, and does"
                        + " nothing before it ignore ranges?",
                new IOException("Content-Range is missing or another"));
    }

    /**
     * Takes the other way: reads an answer into a segment until it ends or the bytes that are wanted are there.
     *
     * @return bytes read
     * @throws IOException when there is no answer, or it breaks off
     */
    public static int read(Answer answer, MemorySegment target, long wanted) throws IOException {
        InputStream in = answer.open();
        try (in) {
            return read(in, target, wanted);
        }
    }

    private static int read(InputStream in, MemorySegment target, long wanted) throws IOException {
        byte[] buffer = new byte[(int) Math.min(BUFFER_BYTES, wanted)];
        int done = 0;
        while (done < wanted) {
            int read = in.read(buffer, 0, (int) Math.min(buffer.length, wanted - done));
            if (read < 0) {
                break;
            }
            MemorySegment.copy(buffer, 0, target, ValueLayout.JAVA_BYTE, done, read);
            done += read;
        }
        return done;
    }

    /** Reads the bytes once. */
    private static final class Stream extends InputStream {
        private final List<MemorySegment> segments;
        private int index;
        private long offset;

        Stream(List<MemorySegment> segments) {
            this.segments = segments;
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int at, int count) {
            if (count == 0) {
                return 0;
            }
            while (index < segments.size()) {
                MemorySegment segment = segments.get(index);
                int part = (int) Math.min(count, segment.byteSize() - offset);
                if (part > 0) {
                    MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, target, at, part);
                    offset += part;
                    return part;
                }
                index++;
                offset = 0;
            }
            return -1;
        }

        @Override
        public int available() {
            return index < segments.size()
                    ? (int) Math.min(Integer.MAX_VALUE, segments.get(index).byteSize() - offset)
                    : 0;
        }
    }
}
