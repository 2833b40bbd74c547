package io.chagres.archive.format;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Compresses bytes into members of gzip (RFC 1952), which any program that reads gzip decompresses one after the other.
 * The seek table is the extra field of a last member that holds nothing, and thus no part of what they see. Confined to
 * one thread at a time.
 *
 * <pre>
 * member...                                1f 8b 08 00, u32 0, 00 ff, deflated bytes, u32 CRC-32, u32 content size
 * 1f 8b 08 04, u32 0, 00 ff, u16 n + 4     the last member: an extra field of n + 4 bytes
 *   'C' 'h', u16 n, seek table               as it ends zstd frames
 * 03 00, u32 0, u32 0                      nothing, deflated
 * </pre>
 */
public final class GzipMembers implements FrameWriter {
    private static final int HEADER_BYTES = 10;
    private static final int TRAILER_BYTES = 8;
    /** The bytes of an object before and behind the seek table, from the start of the member that holds it. */
    static final int BEFORE_TABLE_BYTES = HEADER_BYTES + 6;

    static final int BEHIND_TABLE_BYTES = 2 + TRAILER_BYTES;

    private static final int MAX_TABLE_BYTES = 0xffff - 4;
    /** The most bytes of an object, since its seek table has to fit into one extra field: almost 2 GiB. */
    public static final long MAX_CONTENT_BYTES = (long) SeekableFrames.FRAME_BYTES
            * ((MAX_TABLE_BYTES - SeekTable.HEADER_BYTES - SeekTable.FOOTER_BYTES) / SeekTable.ENTRY_BYTES);

    private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};
    private static final byte HAS_EXTRA = 4;
    private static final byte[] NOTHING = {3, 0, 0, 0, 0, 0, 0, 0, 0, 0};

    private final Deflater deflater;
    private final CRC32 crc = new CRC32();
    private final SeekTable table = new SeekTable();

    /** Makes a compressor of a level, 1 to 9. */
    public GzipMembers(int level) {
        deflater = new Deflater(level, true);
    }

    @Override
    public int frameBound() {
        return SeekableFrames.MAX_STORED_BYTES;
    }

    @Override
    public int frame(ByteBuffer target, int targetOffset, ByteBuffer source, int sourceOffset, int length) {
        if (length < 1 || length > SeekableFrames.FRAME_BYTES) {
            throw new IllegalArgumentException("a frame of " + length + " bytes");
        }
        Objects.checkFromIndexSize(targetOffset, frameBound(), target.capacity());
        target.clear().order(ByteOrder.LITTLE_ENDIAN);
        source.clear().position(sourceOffset).limit(sourceOffset + length);
        crc.reset();
        crc.update(source);
        deflater.reset();
        deflater.setInput(source.position(sourceOffset));
        deflater.finish();
        target.position(targetOffset).put(HEADER).limit(targetOffset + frameBound() - TRAILER_BYTES);
        while (!deflater.finished()) {
            if (deflater.deflate(target) == 0 && !target.hasRemaining()) {
                throw new IllegalStateException("deflate made more than twice of " + length + " bytes");
            }
        }
        target.limit(target.capacity());
        target.putInt((int) crc.getValue()).putInt(length);
        int stored = target.position() - targetOffset;
        table.note(stored, length);
        return stored;
    }

    @Override
    public int tableBytes() {
        int bytes = table.bytes();
        return bytes == 0 ? 0 : BEFORE_TABLE_BYTES + bytes + BEHIND_TABLE_BYTES;
    }

    @Override
    public int table(MemorySegment target, long offset) {
        int bytes = table.bytes();
        if (bytes == 0) {
            return 0;
        }
        byte[] before = beforeTable(bytes);
        MemorySegment.copy(before, 0, target, ValueLayout.JAVA_BYTE, offset, before.length);
        table.write(target, offset + before.length);
        MemorySegment.copy(NOTHING, 0, target, ValueLayout.JAVA_BYTE, offset + before.length + bytes, NOTHING.length);
        return tableBytes();
    }

    /** Returns what lies before a seek table of some bytes. */
    static byte[] beforeTable(int bytes) {
        if (bytes > MAX_TABLE_BYTES) {
            throw new IllegalArgumentException("a seek table of " + bytes + " bytes does not fit into an extra field");
        }
        byte[] before = new byte[BEFORE_TABLE_BYTES];
        ByteBuffer.wrap(before)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(HEADER)
                .put(3, HAS_EXTRA)
                .putShort((short) (bytes + 4))
                .put((byte) 'C')
                .put((byte) 'h')
                .putShort((short) bytes);
        return before;
    }

    /** Returns what lies behind a seek table. */
    static byte[] behindTable() {
        return NOTHING.clone();
    }

    @Override
    public void reset() {
        table.reset();
    }

    @Override
    public void close() {
        deflater.end();
    }

    /** Decompresses single members. Confined to one thread at a time. */
    public static final class Reader implements AutoCloseable {
        private final Inflater inflater = new Inflater(true);
        private final CRC32 crc = new CRC32();
        private final ByteBuffer end = ByteBuffer.allocateDirect(1);
        private final ByteBuffer skipped = ByteBuffer.allocate(8 * 1024);

        /**
         * Decompresses a member that {@link GzipMembers} made.
         *
         * @param target direct buffer, exactly as long as the content
         * @param member direct buffer, exactly as long as the member
         * @return false when it is anything else
         */
        public boolean read(ByteBuffer target, ByteBuffer member) {
            member.order(ByteOrder.LITTLE_ENDIAN);
            int deflatedEnd = member.limit() - TRAILER_BYTES;
            if (deflatedEnd < HEADER_BYTES
                    || !member.slice(0, HEADER_BYTES).equals(ByteBuffer.wrap(HEADER))
                    || member.getInt(deflatedEnd + 4) != target.limit()) {
                return false;
            }
            inflater.reset();
            inflater.setInput(member.slice(HEADER_BYTES, deflatedEnd - HEADER_BYTES));
            try {
                while (target.hasRemaining() && inflater.inflate(target) > 0) {
                    // until it is full or nothing is left
                }
                if (target.hasRemaining() || inflater.inflate(end.clear()) != 0 || !inflater.finished()) {
                    return false;
                }
            } catch (DataFormatException e) {
                return false;
            }
            crc.reset();
            crc.update(target.flip());
            return inflater.getRemaining() == 0 && (int) crc.getValue() == member.getInt(deflatedEnd);
        }

        /**
         * Measures the member that bytes begin with.
         *
         * @param bytes direct buffer, from its start to its capacity
         * @return its size; -1 when they begin with anything else, or it is not whole
         */
        long storedBytes(ByteBuffer bytes) {
            if (bytes.capacity() < HEADER_BYTES || !bytes.slice(0, HEADER_BYTES).equals(ByteBuffer.wrap(HEADER))) {
                return -1;
            }
            inflater.reset();
            inflater.setInput(bytes.slice(HEADER_BYTES, bytes.capacity() - HEADER_BYTES));
            try {
                while (!inflater.finished()) {
                    if (inflater.inflate(skipped.clear()) == 0 && !inflater.finished()) {
                        return -1;
                    }
                }
            } catch (DataFormatException e) {
                return -1;
            }
            long end = HEADER_BYTES + inflater.getBytesRead() + TRAILER_BYTES;
            return end <= bytes.capacity() ? end : -1;
        }

        @Override
        public void close() {
            inflater.end();
        }
    }
}
