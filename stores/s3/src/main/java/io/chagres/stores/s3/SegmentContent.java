package io.chagres.stores.s3;

import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Base64;
import java.util.List;
import java.util.zip.CRC32C;
import software.amazon.awssdk.core.sync.RequestBody;

/** Is the bytes of segments, one behind the other, as the SDK takes them. Borrows them; confined to one thread. */
final class SegmentContent {
    private static final int CHECKSUM_BYTES = 4;

    private final List<MemorySegment> segments;
    private final long length;

    SegmentContent(List<MemorySegment> segments) {
        this.segments = segments;
        length = segments.stream().mapToLong(MemorySegment::byteSize).sum();
    }

    long length() {
        return length;
    }

    RequestBody body() {
        return RequestBody.fromContentProvider(() -> new Stream(segments), length, "application/octet-stream");
    }

    /** Returns the CRC32C as S3 writes it: big endian, in base 64. */
    String checksum() {
        CRC32C crc = new CRC32C();
        for (MemorySegment segment : segments) {
            crc.update(segment.asByteBuffer());
        }
        long value = crc.getValue();
        byte[] bytes = new byte[CHECKSUM_BYTES];
        for (int i = 0; i < CHECKSUM_BYTES; i++) {
            bytes[i] = (byte) (value >> 8 * (CHECKSUM_BYTES - 1 - i));
        }
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** Reads the bytes once; the SDK asks for another stream to send them again. */
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
