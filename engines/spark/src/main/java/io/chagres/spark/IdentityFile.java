package io.chagres.spark;

import io.chagres.archive.age.AgeIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkFiles;
import org.jspecify.annotations.Nullable;

/**
 * Files of age identities. Plans, logs and the user interface show options, so one names a file, which the driver and
 * each executor read for themselves. Stateless.
 */
final class IdentityFile {
    private static final String SECRET = "AGE-SECRET-KEY-";

    private IdentityFile() {}

    /**
     * Returns a path as it is.
     *
     * @throws IllegalArgumentException when it is a key itself; the message does not repeat it
     */
    static @Nullable String checked(@Nullable String path) {
        if (path != null && path.strip().toUpperCase(Locale.ROOT).startsWith(SECRET)) {
            throw new BadOptionException("identity is the path of a file that holds a key, not the key: Spark shows"
                    + " options to everybody who sees the query");
        }
        return path;
    }

    /** Reads a file of this machine, or else one of its name that {@code spark-submit --files} brought. */
    static List<AgeIdentity> read(String path) throws IOException {
        Path file = Path.of(path);
        Path found = Stream.concat(Stream.of(file), brought(String.valueOf(file.getFileName())))
                .filter(Files::isRegularFile)
                .findFirst()
                .orElseThrow(() -> new IOException("identity " + path + ": there is no such file here; it has to be on"
                        + " the driver and each executor, or come with --files"));
        return AgeIdentity.read(path, Files.readAllLines(found));
    }

    /** Returns where Spark puts the files that it brings for a session, and for all of a program. */
    private static Stream<Path> brought(String name) {
        return SparkEnv.get() == null
                ? Stream.of()
                : Stream.of(Path.of(SparkFiles.get(name)), Path.of(SparkFiles.getRootDirectory(), name));
    }
}
