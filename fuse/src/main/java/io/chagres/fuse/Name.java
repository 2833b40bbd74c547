package io.chagres.fuse;

import io.chagres.linux.Pathname;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A name in a request: bytes without NUL and, unless it is the target of a symbolic link or an attribute, without
 * slash. A view that is valid as long as its {@link Request}; copy it to keep it longer. Equal to another view of equal
 * bytes.
 */
public final class Name {
    private MemorySegment segment = MemorySegment.NULL;
    private long offset;
    private int length;

    Name() {}

    void set(MemorySegment memory, long at, int lengthBytes) {
        segment = memory;
        offset = at;
        length = lengthBytes;
    }

    /**
     * Returns the number of bytes.
     *
     * @return 1 to 255 for names, up to 4095 for targets of links
     */
    public int length() {
        return length;
    }

    /**
     * Returns one byte.
     *
     * @param index 0 to {@code length() - 1}
     * @return the byte
     */
    public byte byteAt(int index) {
        if (index < 0 || index >= length) {
            throw new IndexOutOfBoundsException(index);
        }
        return segment.get(ValueLayout.JAVA_BYTE, offset + index);
    }

    /**
     * Compares without a copy.
     *
     * @param bytes another name
     * @return true if the bytes are equal
     */
    public boolean is(byte[] bytes) {
        if (bytes.length != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (segment.get(ValueLayout.JAVA_BYTE, offset + i) != bytes[i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * Copies the bytes.
     *
     * @return a new array
     */
    public byte[] bytes() {
        byte[] bytes = new byte[length];
        MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
        return bytes;
    }

    /**
     * Copies the name.
     *
     * @return a pathname of one component
     */
    public Pathname pathname() {
        return Pathname.ofSegment(segment, offset, length);
    }

    /**
     * Returns the memory that holds the name, for calls that take a C string: a NUL follows it.
     *
     * @return borrowed, read-only
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Returns where the name starts in {@link #segment()}.
     *
     * @return an offset in bytes
     */
    public long offset() {
        return offset;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Name that
                && that.length == length
                && MemorySegment.mismatch(
                                segment, offset, offset + length, that.segment, that.offset, that.offset + length)
                        < 0;
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + segment.get(ValueLayout.JAVA_BYTE, offset + i);
        }
        return hash;
    }

    /**
     * Decodes the name as UTF-8, strictly, as paths of Java need it.
     *
     * @return a copy
     * @throws CharacterCodingException if it is not UTF-8; callers expect EILSEQ
     */
    public String decoded() throws CharacterCodingException {
        byte[] bytes = bytes();
        String decoded = new String(bytes, StandardCharsets.UTF_8);
        // What cannot be decoded becomes this character, which a name may also have.
        if (decoded.indexOf('\ufffd') >= 0) {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
        }
        return decoded;
    }

    /**
     * Decodes the name as UTF-8; other bytes become replacement characters.
     *
     * @return a copy
     */
    @Override
    public String toString() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }
}
