package io.chagres.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * The lines tests write: {@code <stream> <number> <filler> <checksum>}. A line is a pure function of its stream and
 * number, so a reader knows a whole line from a torn one without having seen it written. Immutable, safe for any
 * thread.
 */
public final class NumberedLine {
    private static final int USUAL_FILLER = 160;
    private static final int LONG_FILLER = 5000;
    private static final int LONG_EVERY = 97;

    private NumberedLine() {}

    /**
     * Returns a line with its newline.
     *
     * @param stream a name without spaces
     * @param number from 0
     */
    public static byte[] of(String stream, long number) {
        long mixed = mix(stream.hashCode() * 0x9E3779B97F4A7C15L + number);
        ByteArrayOutputStream line = new ByteArrayOutputStream(USUAL_FILLER);
        line.writeBytes((stream + " " + number + " ").getBytes(StandardCharsets.UTF_8));
        int length =
                (int) Long.remainderUnsigned(mixed, number % LONG_EVERY == LONG_EVERY - 1 ? LONG_FILLER : USUAL_FILLER);
        for (int i = 0; i < length; i++) {
            mixed = mix(mixed);
            line.write('a' + (int) Long.remainderUnsigned(mixed, 26));
        }
        CRC32C sum = new CRC32C();
        sum.update(line.toByteArray());
        line.writeBytes(
                (" " + HexFormat.of().toHexDigits((int) sum.getValue()) + "\n").getBytes(StandardCharsets.UTF_8));
        return line.toByteArray();
    }

    private static long mix(long x) {
        long y = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
        y = (y ^ (y >>> 27)) * 0x94D049BB133111EBL;
        return y ^ (y >>> 31);
    }
}
