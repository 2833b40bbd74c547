package io.chagres.dedupe;

import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.random.RandomGenerator;

/** Writes into files again and again, and keeps what they must hold. */
final class Writing {
    private final long seed;
    private volatile boolean stopped;

    Writing(long seed) {
        this.seed = seed;
    }

    /** Writes at random places until stopped; undoes each second write, so that equal files come and go. */
    void mutate(Path path, byte[] expected) {
        RandomGenerator random = Seeds.random(seed + path.hashCode());
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            while (!stopped) {
                int at = random.nextInt(expected.length);
                byte before = expected[at];
                write(file, expected, at, (byte) random.nextInt());
                if (random.nextInt(50) != 0) {
                    write(file, expected, at, before);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(RandomAccessFile file, byte[] expected, int at, byte value) throws IOException {
        file.seek(at);
        file.write(value);
        expected[at] = value;
    }

    void stop() {
        stopped = true;
    }
}
