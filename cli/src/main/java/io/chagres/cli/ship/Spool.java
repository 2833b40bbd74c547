package io.chagres.cli.ship;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.forward.Forwarder;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An archive in a local directory that holds what is not delivered yet, and an id that no other spool has. Half of its
 * size may be bytes that were delivered; more is removed. {@link #isFull} and {@link #added} are safe for any thread,
 * the rest is confined to one.
 */
final class Spool {
    private static final long COMPACTION_BYTES = 16L << 20;
    private static final long RETRY_MS = 2_000;

    private final Path directory;
    private final long maxBytes;
    private final String id;
    private final AtomicLong usedBytes = new AtomicLong();
    private long compactedSeq;
    private long compactedBytes;
    private long compactedMs = Long.MIN_VALUE / 2;

    private Spool(Path directory, long maxBytes, String id) {
        this.directory = directory;
        this.maxBytes = maxBytes;
        this.id = id;
    }

    /** Opens the spool of a directory, or makes one. */
    static Spool open(Pathname directory, long maxBytes) throws IOException {
        Path path = Path.of(directory.toString());
        Files.createDirectories(path);
        Path file = path.resolve("id");
        if (!Files.exists(file)) {
            Path temporary = Files.createTempFile(path, "id-", ".tmp");
            Files.writeString(temporary, UUID.randomUUID() + "\n");
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return new Spool(path, maxBytes, Files.readString(file).strip());
    }

    /** Returns where the archive of a spool is. */
    static Pathname archive(Pathname directory) {
        return directory.resolve("archive");
    }

    /** Returns the text that tells it from every other spool. */
    String id() {
        return id;
    }

    Path directory() {
        return directory;
    }

    long maxBytes() {
        return maxBytes;
    }

    long usedBytes() {
        return usedBytes.get();
    }

    /** Opens its archive; the caller closes it. */
    BlobStore archive() throws IOException {
        return DirectoryStore.open(archive(Pathname.of(directory.toString())), true);
    }

    /** Sums up what its archive holds. */
    void measure(BlobStore archive) throws IOException {
        long sum = 0;
        for (BlobInfo each : BlobList.all(archive, "", null)) {
            sum += each.lengthBytes();
        }
        usedBytes.set(sum);
    }

    /** Adds the number of bytes that were put there. */
    void added(long bytes) {
        usedBytes.addAndGet(bytes);
    }

    /** Says whether it holds as much as it may. */
    boolean isFull() {
        return usedBytes.get() >= maxBytes;
    }

    /** Says whether what was delivered up to a commit should make room now. */
    boolean isDue(long seq) {
        long used = usedBytes.get();
        long grown = used - compactedBytes;
        boolean due = (used >= maxBytes / 2 && grown >= Math.min(COMPACTION_BYTES, maxBytes / 8)) || used >= maxBytes;
        return due && seq > compactedSeq && MonotonicClock.nowMs() - compactedMs >= RETRY_MS;
    }

    /** Removes what a forwarder has delivered up to a commit; nobody reads the archive meanwhile. */
    void compact(BlobStore archive, Forwarder forwarder, long seq, long memoryBytes, InstantSource clock)
            throws IOException {
        compactedMs = MonotonicClock.nowMs();
        for (HostRegistry.Owner host : HostRegistry.hosts(archive)) {
            Compact.ofSpool(
                            archive,
                            memoryBytes,
                            clock::millis,
                            (subject, cause) -> {}, // the forwarder cannot read it either, and says so
                            version -> forwarder.forwarded(host.id(), version))
                    .host(host.id());
        }
        compactedSeq = seq;
        measure(archive);
        compactedBytes = usedBytes.get();
    }
}
