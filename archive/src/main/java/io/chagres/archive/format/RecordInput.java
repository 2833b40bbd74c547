package io.chagres.archive.format;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.InodeAttributes;
import io.chagres.linux.Pathname;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Decodes the fields of records. The bytes are not trusted: every length and range is checked. Confined to one
 * thread.
 */
final class RecordInput {
    private static final int MAX_MODE = 07777;

    private final String object;
    private final byte[] bytes;
    private final int end;
    private int at;
    private int components;

    RecordInput(String object, byte[] bytes, int offset, int length) {
        this.object = object;
        this.bytes = bytes;
        at = offset;
        end = offset + length;
    }

    CorruptArchiveException corrupt(String fault) {
        return new CorruptArchiveException(object, fault);
    }

    int position() {
        return at;
    }

    int remaining() {
        return end - at;
    }

    int u8() throws CorruptArchiveException {
        if (at >= end) {
            throw corrupt("a record is cut off");
        }
        return bytes[at++] & 0xff;
    }

    /** Returns the next byte, which stays. */
    int peek() throws CorruptArchiveException {
        int value = u8();
        at--;
        return value;
    }

    boolean bool() throws CorruptArchiveException {
        int value = u8();
        if (value > 1) {
            throw corrupt("a flag is " + value);
        }
        return value == 1;
    }

    long varint() throws CorruptArchiveException {
        if (at < end && bytes[at] >= 0) {
            return bytes[at++]; // most are of one byte
        }
        byte[] from = bytes; // fields are not kept in registers by the compiler that commands use
        int next = at;
        long value = 0;
        for (int shift = 0; shift < Long.SIZE && next < end; shift += 7) {
            int b = from[next++];
            if (shift == 63 && (b & 0xff) > 1) {
                throw corrupt("a number is too long");
            }
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                at = next;
                return value;
            }
        }
        throw corrupt("a record is cut off");
    }

    long zigzag() throws CorruptArchiveException {
        long value = varint();
        return (value >>> 1) ^ -(value & 1);
    }

    /** Reads a number of 0 or more. */
    long natural() throws CorruptArchiveException {
        long value = varint();
        if (value < 0) {
            throw corrupt("a number is out of range");
        }
        return value;
    }

    /** Reads a number of 1 or more. */
    long positive() throws CorruptArchiveException {
        long value = natural();
        if (value == 0) {
            throw corrupt("a number is 0 that must not be");
        }
        return value;
    }

    private int u32() throws CorruptArchiveException {
        long value = natural();
        if (value > 0xffffffffL) {
            throw corrupt("a number is out of range");
        }
        return (int) value;
    }

    int i32() throws CorruptArchiveException {
        byte[] from = bytes;
        int first = at;
        skip(Integer.BYTES);
        return (from[first] & 0xff)
                | ((from[first + 1] & 0xff) << 8)
                | ((from[first + 2] & 0xff) << 16)
                | (from[first + 3] << 24);
    }

    long i64() throws CorruptArchiveException {
        return (i32() & 0xffffffffL) | (long) i32() << 32;
    }

    byte[] block() throws CorruptArchiveException {
        return block(RecordWriter.MAX_BLOCK_BYTES);
    }

    private byte[] block(int most) throws CorruptArchiveException {
        return take(blockLength(most));
    }

    /** Reads how many bytes follow. */
    int blockLength(int most) throws CorruptArchiveException {
        long length = varint();
        if (length < 0 || length > most) {
            throw corrupt("a text is too long");
        }
        return (int) length;
    }

    /** Reads a number of bytes. */
    byte[] take(int length) throws CorruptArchiveException {
        int from = at;
        skip(length);
        return Arrays.copyOfRange(bytes, from, at);
    }

    /** Reads a number of bytes and appends them. */
    void copy(int length, RecordWriter to) throws CorruptArchiveException {
        int from = at;
        skip(length);
        to.bytes(bytes, from, length);
    }

    /** Reads how many bytes follow, and passes over them: another reads these. */
    RecordInput part() throws CorruptArchiveException {
        int length = blockLength(Integer.MAX_VALUE);
        int from = at;
        skip(length);
        return new RecordInput(object, bytes, from, length);
    }

    /** Passes over fields of {@link RecordColumns}, but for checksums. */
    void skip(String fields) throws CorruptArchiveException {
        for (int i = 0; i < fields.length(); i++) {
            char field = fields.charAt(i);
            switch (field) {
                case 'v' -> {
                    byte[] from = bytes;
                    int next = at;
                    while (next < end && from[next] < 0) {
                        next++;
                    }
                    skip(next + 1 - at);
                }
                case 'b' -> skip(varint());
                default -> skip(field - '0');
            }
        }
    }

    void skip(long length) throws CorruptArchiveException {
        if (length < 0 || length > end - at) {
            throw corrupt("a record is cut off");
        }
        at += (int) length;
    }

    String text() throws CorruptArchiveException {
        byte[] block = block();
        String text = new String(block, StandardCharsets.UTF_8);
        if (!Arrays.equals(text.getBytes(StandardCharsets.UTF_8), block)) {
            throw corrupt("a text is not UTF-8");
        }
        return text;
    }

    Pathname path() throws CorruptArchiveException {
        byte[] path = block(RecordWriter.MAX_PATH_BYTES);
        int slashes = 0;
        for (byte b : path) {
            if (b == 0) {
                throw corrupt("a path contains a NUL byte");
            }
            slashes += b == '/' ? 1 : 0;
        }
        components += slashes;
        if (components > FixedHeader.MAX_COMPONENTS) {
            throw corrupt("its paths have more than " + FixedHeader.MAX_COMPONENTS + " components");
        }
        return Pathname.ofBytes(path);
    }

    InodeAttributes attributes() throws CorruptArchiveException {
        long mode = natural();
        if (mode > MAX_MODE) {
            throw corrupt("permissions are out of range");
        }
        return new InodeAttributes((int) mode, u32(), u32(), zigzag());
    }

    int[] checksums(long count) throws CorruptArchiveException {
        if (count > RecordWriter.MAX_CHECKSUMS || count * Integer.BYTES > remaining()) {
            throw corrupt("a data object has too many checksums or they are cut off");
        }
        int[] crcs = new int[(int) count];
        for (int i = 0; i < crcs.length; i++) {
            crcs[i] = i32();
        }
        return crcs;
    }

    <T> T oneOf(T[] values) throws CorruptArchiveException {
        int index = u8();
        if (index >= values.length) {
            throw corrupt("value " + index + " is not known to this program");
        }
        return values[index];
    }
}
