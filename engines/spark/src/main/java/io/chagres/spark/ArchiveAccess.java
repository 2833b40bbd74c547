package io.chagres.spark;

import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.prove.ProvenStore;
import io.chagres.archive.sign.Trust;
import io.chagres.archive.sign.TrustList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkFiles;
import org.jspecify.annotations.Nullable;

/**
 * An archive, and the files of keys to read it by. Plans, logs and the user interface show options, so they name files,
 * which the driver and each executor read for themselves. Immutable.
 *
 * @param address where the archive is
 * @param identity path of a file of identities, which open what is encrypted; null for none
 * @param trust path of a file of public keys, whose signatures have to prove what is read; null to take everything
 */
record ArchiveAccess(
        String address, @Nullable String identity, @Nullable String trust) implements Serializable {
    private static final String SECRET = "AGE-SECRET-KEY-";

    /**
     * Takes addresses.
     *
     * @throws IllegalArgumentException when identity is a key itself; the message does not repeat it
     */
    ArchiveAccess {
        if (identity != null && identity.strip().toUpperCase(Locale.ROOT).startsWith(SECRET)) {
            throw new BadOptionException("identity is the path of a file that holds a key, not the key: Spark shows"
                    + " options to everybody who sees the query");
        }
    }

    /** Opens the archive; the caller closes it. Stores are found beside this class. */
    BlobStore open(boolean writes) throws IOException {
        KeyRing keys = identity == null
                ? KeyRing.NONE
                : KeyRing.reading(AgeIdentity.read(identity, lines("identity", identity)));
        Trust trusted = trust == null ? null : new Trust(TrustList.read(trust, lines("trust", trust)), List.of());
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(ArchiveAccess.class.getClassLoader());
        try {
            BlobStore store = ProtectedStore.of(BlobStores.open(address, writes), keys);
            return trusted == null ? store : ProvenStore.proving(store, trusted);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Reads a file of this machine, or else one of its name that {@code spark-submit --files} brought. */
    private static List<String> lines(String option, String path) throws IOException {
        Path file = Path.of(path);
        Path found = Stream.concat(Stream.of(file), brought(String.valueOf(file.getFileName())))
                .filter(Files::isRegularFile)
                .findFirst()
                .orElseThrow(() -> new IOException(option + " " + path + ": there is no such file here; it has to be on"
                        + " the driver and each executor, or come with --files"));
        return Files.readAllLines(found);
    }

    /** Returns where Spark puts the files that it brings for a session, and for all of a program. */
    private static Stream<Path> brought(String name) {
        return SparkEnv.get() == null
                ? Stream.of()
                : Stream.of(Path.of(SparkFiles.get(name)), Path.of(SparkFiles.getRootDirectory(), name));
    }
}
