package io.chagres.archive.query;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * In which encoding files are read.
 *
 * @param byMark whether a byte order mark at the start of a file says it
 * @param charset that of all files; null for UTF-8 or no text
 */
public record TextEncoding(boolean byMark, @Nullable Charset charset) {
    /** Bytes of the longest byte order mark. */
    static final int MARK_BYTES = 3;

    private static final byte[] UTF_8_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    /**
     * Reads what a user gave: {@code auto}, {@code none} or the name of an encoding.
     *
     * @throws IllegalArgumentException when nothing is called so; the message is for people
     */
    public static TextEncoding parse(String text) {
        if (text.equals("auto") || text.equals("none")) {
            return new TextEncoding(text.equals("auto"), null);
        }
        try {
            Charset charset = Charset.forName(text);
            return new TextEncoding(false, charset.equals(StandardCharsets.UTF_8) ? null : charset);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            throw new IllegalArgumentException(
                    "knows no '" + text
                            + "'; auto, none, utf-8, utf-16le, utf-16be, iso-8859-1 and windows-1252 are some"
                            + " that it knows",
                    e);
        }
    }

    /** Returns the encoding of a file that begins with some bytes; null for UTF-8 or no text. */
    @Nullable
    Charset of(byte[] first) {
        if (!byMark || first.length < 2) {
            return charset;
        }
        int mark = (first[0] & 0xff) << 8 | (first[1] & 0xff);
        return mark == 0xfffe ? StandardCharsets.UTF_16LE : mark == 0xfeff ? StandardCharsets.UTF_16BE : null;
    }

    /** Returns how many bytes at the start of a file are its mark and no text. */
    int markBytes(byte[] first) {
        if (!byMark) {
            return 0;
        }
        return of(first) != null ? 2 : Arrays.equals(first, UTF_8_MARK) ? UTF_8_MARK.length : 0;
    }
}
