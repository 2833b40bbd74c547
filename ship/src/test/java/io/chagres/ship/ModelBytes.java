package io.chagres.ship;

import io.chagres.testkit.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;

/** Makes the bytes that the operations of a run write: others each time, unless they are to be the same. */
final class ModelBytes {
    private int written;

    byte[] of(ModelOperation o) {
        int length = o.length();
        byte[] bytes = new byte[length];
        RandomGenerator random =
                Seeds.random(o.content() == ModelOperation.Content.SAME ? 1 : ++written * 31L + o.at());
        switch (o.content()) {
            case ZEROS -> {}
            case NOISE -> random.nextBytes(bytes);
            default -> lines(bytes, random, o.content());
        }
        return bytes;
    }

    private static void lines(byte[] bytes, RandomGenerator random, ModelOperation.Content content) {
        int end = content == ModelOperation.Content.LINES_AND_ZEROS ? (bytes.length + 1) / 2 : bytes.length;
        for (int at = 0; at < end; ) {
            byte[] line = ("line " + Long.toHexString(random.nextLong()) + "\n").getBytes(StandardCharsets.US_ASCII);
            int length = Math.min(line.length, end - at);
            System.arraycopy(line, 0, bytes, at, length);
            at += length;
        }
        if (end > 0 && content != ModelOperation.Content.HALF_LINE) {
            bytes[end - 1] = '\n';
        }
    }
}
