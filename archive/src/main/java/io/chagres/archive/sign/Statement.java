package io.chagres.archive.sign;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A statement that is signed: a commit of a host has a digest. The message is its text, in ASCII: {@code chagres 1
 * commit HOST SEQ DIGEST}, so that a signature says nothing of another host or number. Immutable; the array is not
 * copied.
 *
 * @param hostId the host, 16 hexadecimal digits
 * @param seq the commit
 * @param digest SHA-256 of the commit up to the key in its seal, 32 bytes
 */
public record Statement(String hostId, long seq, byte[] digest) {
    private static final String BEGIN = "chagres 1 commit ";

    byte[] message() {
        return toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Takes the first six words of a line. */
    static Statement parse(String[] words) {
        if (!String.join(" ", words[0], words[1], words[2], "").equals(BEGIN)) {
            throw new IllegalArgumentException("it is no line that 'chagres head' prints");
        }
        Statement read =
                new Statement(words[3], Long.parseLong(words[4]), HexFormat.of().parseHex(words[5]));
        if (read.digest.length != 32 || read.seq < 1) {
            throw new IllegalArgumentException("it is no line that 'chagres head' prints");
        }
        return read;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Statement that
                && hostId.equals(that.hostId)
                && seq == that.seq
                && Arrays.equals(digest, that.digest);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(digest);
    }

    /** Returns its text. */
    @Override
    public String toString() {
        return BEGIN + hostId + " " + seq + " " + HexFormat.of().formatHex(digest);
    }
}
