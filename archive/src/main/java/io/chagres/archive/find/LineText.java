package io.chagres.archive.find;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * The text of a line. It is UTF-8; a byte that is not becomes a character of its own, U+DC80 to U+DCFF, so that the
 * place of each character in the bytes is known. Stateless.
 */
final class LineText {
    private static final int LONE = 0xDC00;

    private LineText() {}

    /** Says whether all bytes are ASCII. */
    static boolean isAscii(byte[] line, int length) {
        int all = 0;
        for (int i = 0; i < length; i++) {
            all |= line[i];
        }
        return all >= 0;
    }

    /** Returns the text of a line. */
    static String of(byte[] line, int length) {
        if (isAscii(line, length)) {
            return new String(line, 0, length, StandardCharsets.ISO_8859_1);
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(line, 0, length))
                    .toString();
        } catch (CharacterCodingException e) {
            return mixed(ByteBuffer.wrap(line, 0, length));
        }
    }

    private static String mixed(ByteBuffer bytes) {
        CharBuffer text = CharBuffer.allocate(bytes.remaining());
        var decoder = StandardCharsets.UTF_8.newDecoder();
        while (bytes.hasRemaining()) {
            if (decoder.reset().decode(bytes, text, true).isUnderflow()) {
                break;
            }
            text.put((char) (LONE + (bytes.get() & 0xff)));
        }
        return text.flip().toString();
    }

    /** Returns the bytes that a text stands for. */
    static byte[] bytes(String text) {
        ByteBuffer bytes = ByteBuffer.allocate(bytes(text, 0, text.length()));
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isLowSurrogate(c)) {
                bytes.put((byte) c);
            } else {
                int end = i + (Character.isHighSurrogate(c) ? 2 : 1);
                bytes.put(text.substring(i, end).getBytes(StandardCharsets.UTF_8));
                i = end - 1;
            }
        }
        return bytes.array();
    }

    /** Returns how many bytes of the line the characters of a range are. */
    static int bytes(String text, int from, int to) {
        int bytes = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                bytes++;
            } else if (c < 0x800) {
                bytes += 2;
            } else if (Character.isHighSurrogate(c)) {
                bytes += 4;
                i++;
            } else {
                bytes += Character.isLowSurrogate(c) ? 1 : 3;
            }
        }
        return bytes;
    }
}
