package io.chagres.foreign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.util.Objects;

/**
 * NUL-terminated C strings: made of bytes and Java strings, turned back into them, and compared and hashed where they
 * lie.
 *
 * <p>Linux names are bytes in no particular encoding, and each string of bytes survives the way to a Java string and
 * back. In ISO-8859-1 a byte is a character. In UTF-8 a byte that is not part of a valid sequence becomes the lone
 * surrogate U+DC80 to U+DCFF with the byte in its low half, and becomes that byte again.
 *
 * <p>Safe for any thread. Encoding allocates nothing once compiled if the string is ASCII, or has no character above
 * U+00FF in ISO-8859-1; such strings are copied whole.
 */
public final class CString {
    /** The empty string: one NUL that lives as long as the JVM. */
    public static final MemorySegment EMPTY = Arena.global().allocate(1).asReadOnly();

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** Powers of 31, the factor of {@link java.util.Arrays#hashCode(byte[])}. */
    private static final int P2 = 31 * 31;

    private static final int P4 = P2 * P2;

    private CString() {}

    /**
     * Copies bytes and a terminating NUL into native memory.
     *
     * @param bytes the string
     * @param allocator where to; a {@link Frame} makes this free of Java allocation
     * @return {@code bytes.length + 1} bytes owned by the allocator
     * @throws IllegalArgumentException if there is a NUL inside, which would end it early
     */
    public static MemorySegment encode(byte[] bytes, SegmentAllocator allocator) {
        for (byte b : bytes) {
            if (b == 0) {
                throw new IllegalArgumentException("a NUL inside would end a C string early");
            }
        }
        MemorySegment string = allocator.allocate(bytes.length + 1L, 1);
        MemorySegment.copy(bytes, 0, string, ValueLayout.JAVA_BYTE, 0, bytes.length);
        string.set(ValueLayout.JAVA_BYTE, bytes.length, (byte) 0);
        return string;
    }

    /**
     * Encodes a string and a terminating NUL into memory of an allocator.
     *
     * @param string the string
     * @param charset UTF-8 or ISO-8859-1
     * @param allocator where to; a {@link Frame} makes this free of Java allocation
     * @return the string and its NUL, and unspecified bytes after it: three for each character of UTF-8; owned by the
     *     allocator
     * @throws IllegalArgumentException if the character set has no bytes for the string, or U+0000 would end it early
     */
    public static MemorySegment encode(String string, Charset charset, SegmentAllocator allocator) {
        MemorySegment target = allocator.allocate(CStringCodec.maxBytes(string, charset), 1);
        if (allocator instanceof Frame) { // whose memory is native, lives and may be written: nothing is left to check
            CStringCodec.encode(string, charset, CStringCodec.MEMORY, target.address(), target.byteSize());
        } else {
            CStringCodec.encode(string, charset, target, 0, target.byteSize());
        }
        return target;
    }

    /**
     * Encodes a string and a terminating NUL into memory that is used again and again. A segment made once with
     * {@link MemorySegment#ofArray(byte[])} reaches C without a copy in a critical call that allows heap memory.
     *
     * @param string the string
     * @param charset UTF-8 or ISO-8859-1
     * @param target native or heap memory, filled from its start; three bytes for each character of UTF-8 and one more
     *     make it fast
     * @return the bytes before the NUL
     * @throws IllegalArgumentException if the character set has no bytes for the string, or U+0000 would end it early
     * @throws IndexOutOfBoundsException if it does not fit with its NUL
     */
    public static int encode(String string, Charset charset, MemorySegment target) {
        return CStringCodec.encode(string, charset, target, 0, target.byteSize());
    }

    /**
     * Finds the length of a string.
     *
     * @param segment native memory
     * @param offset where the string starts, bytes
     * @param limit how many bytes to look at most
     * @return the bytes before the first NUL, or {@code limit} if there is none
     */
    public static long length(MemorySegment segment, long offset, long limit) {
        long zero = MemoryScan.indexOfZero(segment, offset, limit);
        return zero < 0 ? limit : zero;
    }

    /**
     * Copies a string out of native memory.
     *
     * @param segment native memory
     * @param offset where the string starts, bytes
     * @param limit how many bytes to look at most
     * @return the bytes before the first NUL
     */
    public static byte[] decode(MemorySegment segment, long offset, long limit) {
        byte[] bytes = new byte[Math.toIntExact(length(segment, offset, limit))];
        MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, bytes, 0, bytes.length);
        return bytes;
    }

    /**
     * Decodes a string up to its NUL.
     *
     * @param segment native memory
     * @param offset where the string starts, bytes
     * @param limit how many bytes to look at most
     * @param charset UTF-8 or ISO-8859-1
     * @param scratch an array of the caller, overwritten; spares one per call unless the string is longer
     * @return the characters before the first NUL
     */
    public static String decode(MemorySegment segment, long offset, long limit, Charset charset, byte[] scratch) {
        int length = Math.toIntExact(length(segment, offset, limit));
        return decodeExactly(segment, offset, length, charset, scratch);
    }

    /**
     * Decodes a string of known length: faster than to look for its NUL.
     *
     * @param segment native or heap memory
     * @param offset where the string starts, bytes
     * @param length its bytes; a NUL among them becomes U+0000
     * @param charset UTF-8 or ISO-8859-1
     * @param scratch an array of the caller, overwritten; spares one per call unless the string is longer
     * @return the characters
     */
    public static String decodeExactly(
            MemorySegment segment, long offset, int length, Charset charset, byte[] scratch) {
        byte[] bytes = length <= scratch.length ? scratch : new byte[length];
        MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
        return CStringCodec.decode(bytes, length, charset);
    }

    /**
     * Returns whether a string consists of certain bytes, without looking for its NUL.
     *
     * @param segment native or heap memory
     * @param offset where the string starts, bytes
     * @param limit how many bytes it may have at most; one of that length needs no NUL
     * @param bytes what to compare with, without NUL; of an array, {@link MemorySegment#ofArray(byte[])} made once
     * @return true if the bytes before the first NUL, or the limit, are these
     */
    public static boolean equal(MemorySegment segment, long offset, long limit, MemorySegment bytes) {
        long length = bytes.byteSize();
        return endsAt(segment, offset, limit, length) && MemoryCompare.equalsAll(segment, offset, bytes);
    }

    /**
     * Returns whether a string is the encoding of a Java string, without making one.
     *
     * @param segment native or heap memory
     * @param offset where the string starts, bytes
     * @param limit how many bytes it may have at most; one of that length needs no NUL
     * @param string what to compare with, without U+0000
     * @param charset UTF-8 or ISO-8859-1
     * @return true if the bytes before the first NUL, or the limit, are its encoding
     * @throws IllegalArgumentException if the character set has no bytes for the string
     */
    public static boolean equal(MemorySegment segment, long offset, long limit, String string, Charset charset) {
        if (string.length() > limit) {
            return false;
        }
        try (Frame frame = MemoryStack.ofThread().push()) {
            long room = CStringCodec.maxBytes(string, charset);
            long encoded = frame.allocate(room, 1).address();
            int length = CStringCodec.encode(string, charset, CStringCodec.MEMORY, encoded, room);
            return endsAt(segment, offset, limit, length)
                    && MemoryCompare.equal(segment, offset, CStringCodec.MEMORY, encoded, length);
        }
    }

    /**
     * Hashes bytes where they lie.
     *
     * @param segment native or heap memory
     * @param offset where they start
     * @param length how many
     * @return what {@link java.util.Arrays#hashCode(byte[])} returns for a copy
     * @throws IndexOutOfBoundsException if they are not all in the segment
     */
    public static int hash(MemorySegment segment, long offset, int length) {
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        int hash = 1;
        int at = 0;
        for (; at <= length - Long.BYTES; at += Long.BYTES) {
            long word = segment.get(WORD, offset + at);
            hash = hash * P4 * P4 + half((int) word) * P4 + half((int) (word >>> 32));
        }
        for (; at < length; at++) {
            hash = 31 * hash + segment.get(ValueLayout.JAVA_BYTE, offset + at);
        }
        return hash;
    }

    private static int half(int word) {
        return ((byte) word * 31 + (byte) (word >> 8)) * P2 + (byte) (word >> 16) * 31 + (byte) (word >> 24);
    }

    private static boolean endsAt(MemorySegment segment, long offset, long limit, long length) {
        return length < limit ? segment.get(ValueLayout.JAVA_BYTE, offset + length) == 0 : length == limit;
    }
}
