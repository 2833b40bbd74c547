package io.chagres.foreign;

import io.chagres.foreign.call.Downcalls;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/** Characters to bytes and back for {@link CString}, without loss. Safe for any thread. */
final class CStringCodec {
    /** All memory: what is at an address, without an object for each place. */
    static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final MethodHandle MEMCHR = Downcalls.criticalOnHeap(
            "memchr",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));

    /** The character that a decoder of the JDK puts where bytes are invalid. */
    private static final int REPLACEMENT = 0xfffd;

    private static final char ESCAPES = '\udc00';

    private CStringCodec() {}

    /** Returns how many bytes a string has at most, with its NUL. */
    static long maxBytes(String string, Charset charset) {
        return string.length() * (isWide(charset) ? 3L : 1L) + 1;
    }

    /**
     * Encodes a string and a NUL.
     *
     * @param memory where to; a segment that exists already, for a slice would be an object
     * @param at the offset to write at
     * @param room the bytes there
     * @return the bytes before the NUL
     * @throws IllegalArgumentException naming the character that has no bytes
     * @throws IndexOutOfBoundsException if it does not fit with its NUL
     */
    static int encode(String string, Charset charset, MemorySegment memory, long at, long room) {
        if (room >= maxBytes(string, charset) && string.indexOf('\0') < 0 && encodePlain(string, charset, memory, at)) {
            return string.length();
        }
        int length = encodedLength(string, charset);
        if (length >= room) {
            throw new IndexOutOfBoundsException(length + " bytes and a NUL do not fit into " + room + " bytes");
        }
        encodeAny(string, charset, memory, at);
        return length;
    }

    /**
     * Encodes a string whose characters are one byte each, as the JDK does, which copies them whole. Where a character
     * has no bytes the JDK puts a question mark, so where there is one all are looked at again. Returns false if
     * {@link #encodeAny} must do it.
     */
    private static boolean encodePlain(String string, Charset charset, MemorySegment memory, long at) {
        int length = string.length();
        memory.setString(at, string, charset);
        return memory.get(ValueLayout.JAVA_BYTE, at + length) == 0
                && (!hasQuestionMark(memory, at, length) || isCopy(string, memory, at));
    }

    private static boolean hasQuestionMark(MemorySegment memory, long at, int length) {
        if (memory.isNative()) {
            return MemoryScan.contains(memory, at, length, (byte) '?');
        }
        try {
            return at != 0 || (long) MEMCHR.invokeExact(memory, (int) '?', (long) length) != 0;
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }

    private static boolean isCopy(String string, MemorySegment memory, long at) {
        for (int i = 0; i < string.length(); i++) {
            if ((memory.get(ValueLayout.JAVA_BYTE, at + i) & 0xff) != string.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static void encodeAny(String string, Charset charset, MemorySegment memory, long start) {
        long at = start;
        boolean wide = isWide(charset);
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (!wide || c < 0x80 || isEscape(string, i)) {
                put(memory, at++, c);
            } else if (c < 0x800) {
                put(memory, at++, 0xc0 | c >> 6);
                put(memory, at++, 0x80 | (c & 0x3f));
            } else if (!Character.isSurrogate(c)) {
                put(memory, at++, 0xe0 | c >> 12);
                put(memory, at++, 0x80 | (c >> 6 & 0x3f));
                put(memory, at++, 0x80 | (c & 0x3f));
            } else {
                int point = Character.toCodePoint(c, string.charAt(++i));
                put(memory, at++, 0xf0 | point >> 18);
                put(memory, at++, 0x80 | (point >> 12 & 0x3f));
                put(memory, at++, 0x80 | (point >> 6 & 0x3f));
                put(memory, at++, 0x80 | (point & 0x3f));
            }
        }
        put(memory, at, 0);
    }

    /**
     * Counts the bytes of a string without its NUL.
     *
     * @throws IllegalArgumentException naming the character that has none
     */
    private static int encodedLength(String string, Charset charset) {
        boolean wide = isWide(charset);
        int length = 0;
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c == 0 || (!wide && c > 0xff)) {
                throw unencodable(string, i, charset);
            }
            if (!wide || c < 0x80 || isEscape(string, i)) {
                length++;
            } else if (c < 0x800) {
                length += 2;
            } else if (!Character.isSurrogate(c)) {
                length += 3;
            } else if (isPair(string, i)) {
                length += 4;
                i++;
            } else {
                throw unencodable(string, i, charset);
            }
        }
        return length;
    }

    static String decode(byte[] bytes, int length, Charset charset) {
        if (!isWide(charset)) {
            return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
        }
        String string = new String(bytes, 0, length, StandardCharsets.UTF_8);
        return string.indexOf(REPLACEMENT) < 0 ? string : decodeWithEscapes(bytes, length);
    }

    private static String decodeWithEscapes(byte[] bytes, int length) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes, 0, length);
        CharBuffer out = CharBuffer.allocate(length);
        for (; ; ) {
            CoderResult result = decoder.decode(in, out, true);
            if (!result.isMalformed()) {
                return out.flip().toString();
            }
            for (int i = 0; i < result.length(); i++) {
                out.put((char) (ESCAPES | (in.get() & 0xff)));
            }
        }
    }

    /** Returns whether a character stands for a byte that was not part of valid UTF-8. */
    private static boolean isEscape(String string, int index) {
        char c = string.charAt(index);
        return c >= (ESCAPES | 0x80) && c <= (ESCAPES | 0xff);
    }

    private static boolean isPair(String string, int index) {
        return Character.isHighSurrogate(string.charAt(index))
                && index + 1 < string.length()
                && Character.isLowSurrogate(string.charAt(index + 1));
    }

    private static IllegalArgumentException unencodable(String string, int index, Charset charset) {
        String hex = Integer.toHexString(0x10000 | string.charAt(index)).substring(1);
        return new IllegalArgumentException(
                "the character U+" + hex + " at index " + index + " cannot be in a C string in " + charset);
    }

    /** Distinguishes UTF-8 from ISO-8859-1. */
    private static boolean isWide(Charset charset) {
        boolean wide = charset.equals(StandardCharsets.UTF_8);
        if (!wide && !charset.equals(StandardCharsets.ISO_8859_1)) {
            throw new IllegalArgumentException("neither UTF-8 nor ISO-8859-1: " + charset);
        }
        return wide;
    }

    private static void put(MemorySegment target, long offset, int value) {
        target.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
    }
}
