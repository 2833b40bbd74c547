package io.chagres.archive.log;

import io.chagres.archive.Attributes;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Reads varints and byte strings of a records block; every length is checked, because the bytes are not trusted. */
final class Bytes {
    private final String object;
    private final byte[] bytes;
    private final int end;
    private int at;

    Bytes(String object, byte[] bytes, int offset, int length) {
        this.object = object;
        this.bytes = bytes;
        at = offset;
        end = offset + length;
    }

    boolean hasMore() {
        return at < end;
    }

    CorruptArchiveException corrupt(String fault) {
        return new CorruptArchiveException(object, fault);
    }

    int u8() throws IOException {
        if (at >= end) {
            throw corrupt("a record is cut off");
        }
        return bytes[at++] & 0xff;
    }

    long varint() throws IOException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int b = u8();
            value |= (long) (b & 0x7f) << shift;
            if (b < 0x80) {
                return value;
            }
        }
        throw corrupt("a number is too long");
    }

    long zigzag() throws IOException {
        long value = varint();
        return (value >>> 1) ^ -(value & 1);
    }

    /** Reads a number that must not be negative. */
    long natural() throws IOException {
        long value = varint();
        if (value < 0) {
            throw corrupt("a number is out of range");
        }
        return value;
    }

    int i32() throws IOException {
        return u8() | u8() << 8 | u8() << 16 | u8() << 24;
    }

    long i64() throws IOException {
        return (i32() & 0xffffffffL) | (long) i32() << 32;
    }

    byte[] block() throws IOException {
        long length = varint();
        if (length < 0 || length > end - at) {
            throw corrupt("a text is cut off");
        }
        byte[] copy = java.util.Arrays.copyOfRange(bytes, at, at + (int) length);
        at += (int) length;
        return copy;
    }

    String text() throws IOException {
        return new String(block(), StandardCharsets.UTF_8);
    }

    Pathname path() throws IOException {
        byte[] name = block();
        for (byte b : name) {
            if (b == 0) {
                throw corrupt("a path contains a NUL byte");
            }
        }
        return Pathname.ofBytes(name);
    }

    Attributes attributes() throws IOException {
        return new Attributes((int) varint() & 07777, (int) varint(), (int) varint(), zigzag());
    }

    int remaining() {
        return end - at;
    }
}
