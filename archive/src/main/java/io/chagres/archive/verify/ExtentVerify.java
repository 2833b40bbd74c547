package io.chagres.archive.verify;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.read.OrderedTasks;
import io.chagres.archive.read.VersionName;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Reads the bytes of extents to see whether they are there, each data object once. Workers read those in data objects,
 * a few MiB each time; the others are read at once. Confined to one thread; frees what it owns when it is closed.
 */
final class ExtentVerify implements AutoCloseable {
    /** Workers read this number of bytes of content at a time, or one extent. */
    private static final long BATCH_BYTES = 4L << 20;

    /** How many small ones they read at a time. */
    private static final int BATCH_EXTENTS = 2048;

    /** Decompressed frames that a worker keeps: pieces of one pack follow each other. */
    private static final long CACHE_BYTES = 1L << 20;

    private final BlobStore store;
    private final String hostId;
    private final Map<String, BlobInfo> objects;
    /** Objects that the store did not give. */
    private final Map<String, StoreException> unanswered = new ConcurrentHashMap<>();

    private final VerifyCounter counter;
    private final Map<String, LogRecord.ObjectRun> seen = new HashMap<>();
    private final Set<String> packs = new HashSet<>();
    /** Damaged objects whose bytes were found; each is reported once. */
    private final Set<String> found = new HashSet<>();

    private final Queue<VersionReader> readers = new ConcurrentLinkedQueue<>();
    private final OrderedTasks<List<Damage>> tasks;
    private List<Wanted> batch = new ArrayList<>();
    private long batchBytes;
    private OptionalLong namedMs = OptionalLong.empty();

    /** An extent that is to be read, and the state that knows its version. */
    private record Wanted(LogRecord.Extent extent, HostState state) {}

    /** Bytes that cannot be read; none where they can, but the object is damaged. */
    private record Damage(Wanted of, long start, long end, CorruptArchiveException cause) {}

    /** Makes a check; {@code objects} are all data objects of the host. */
    ExtentVerify(
            BlobStore store, String hostId, Map<String, BlobInfo> objects, VerifyCounter counter, Workers workers) {
        this.store = store;
        this.hostId = hostId;
        this.objects = objects;
        this.counter = counter;
        tasks = new OrderedTasks<>(workers, damages -> damages.forEach(this::tell));
    }

    private void tell(Damage damage) {
        Wanted of = damage.of();
        if (damage.start() == damage.end()) {
            if (found.add(damage.cause().object())) {
                counter.fault(damage.cause(), "its frames are found without its seek table, which takes longer");
            }
            return;
        }
        String lost = lost(of.extent().versionId(), damage.start(), damage.end(), of.state());
        if (namedMs.isPresent() && damage.cause().isUnnamed()) {
            counter.known(damage.cause(), lost, namedMs.getAsLong());
        } else {
            counter.fault(damage.cause(), lost);
        }
    }

    /** Says from now on when a repair named the bytes that are said to be lost; empty where none did. */
    void named(OptionalLong ms) {
        namedMs = ms;
    }

    /** Says whether an extent that was checked refers to an object. */
    boolean refersTo(String object) {
        return seen.containsKey(object) || packs.contains(object);
    }

    /**
     * Checks the bytes of an extent, or lets a worker do so until {@link #finish}.
     *
     * @param state knows the version
     * @param reader of that state
     */
    void check(LogRecord.Extent extent, HostState state, VersionReader reader) throws IOException {
        requireKey(state);
        boolean nothingToRead = extent instanceof LogRecord.ZeroRun
                || (extent instanceof LogRecord.ObjectRun run && !isThereAndNew(run, state))
                || (extent instanceof LogRecord.PackedRun piece && !isThere(piece, state));
        if (nothingToRead) {
            return;
        }
        Wanted wanted = new Wanted(extent, state);
        if (VersionReader.dataObject(hostId, extent) == null) {
            read(wanted, reader).forEach(this::tell);
            return;
        }
        batch.add(wanted);
        batchBytes += extent.length();
        if (batchBytes >= BATCH_BYTES || batch.size() >= BATCH_EXTENTS) {
            give();
        }
    }

    /** Waits for the workers, and reports what they found. */
    void finish() throws IOException {
        give();
        tasks.finish();
        unanswered.forEach(counter::unanswered);
    }

    private void give() throws IOException {
        List<Wanted> given = batch;
        batch = new ArrayList<>();
        batchBytes = 0;
        tasks.add(() -> {
            VersionReader pooled = readers.poll();
            // data objects say by themselves what is in them: no other version is asked for
            VersionReader reader = pooled != null ? pooled : new VersionReader(store, hostId, id -> null, CACHE_BYTES);
            try {
                List<Damage> damages = new ArrayList<>();
                for (Wanted wanted : given) {
                    damages.addAll(read(wanted, reader));
                }
                return damages;
            } finally {
                readers.add(reader);
            }
        });
    }

    private List<Damage> read(Wanted wanted, VersionReader reader) throws IOException {
        List<Damage> damages = new ArrayList<>();
        try {
            read(wanted, reader, damages);
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            String object = VersionReader.dataObject(hostId, wanted.extent());
            if (object != null) {
                unanswered.put(object, e);
            } else if (wanted.extent() instanceof LogRecord.Run run) { // a copy's source is checked by itself
                unanswered.put(ArchiveLayout.commit(hostId, run.seq()), e);
            }
        }
        return damages;
    }

    private static void read(Wanted wanted, VersionReader reader, List<Damage> damages) throws IOException {
        reader.readPieces(wanted.extent(), new VersionReader.PieceVisitor() {
            @Override
            public void good(long position, MemorySegment bytes) {}

            @Override
            public void damaged(long start, long end, CorruptArchiveException cause) {
                damages.add(new Damage(wanted, start, end, cause));
            }

            @Override
            public void found(CorruptArchiveException damage) {
                damages.add(new Damage(wanted, 0, 0, damage));
            }
        });
    }

    @Override
    public void close() {
        tasks.close();
        readers.forEach(VersionReader::close);
    }

    private boolean isThereAndNew(LogRecord.ObjectRun run, HostState state) throws IOException {
        String key = ArchiveLayout.object(hostId, run);
        LogRecord.ObjectRun before = seen.put(key, run);
        if (run.equals(before)) {
            return false;
        }
        BlobInfo object = objects.get(key);
        if (object == null) {
            if (before == null) {
                counter.fault(key, "it is missing", lost(run.versionId(), run.start(), run.end(), state));
            }
            return false;
        }
        if (before == null) {
            counter.object(object);
        }
        long length = contentBytes(object);
        if (length >= 0 && length != run.objectLength()) {
            counter.fault(
                    key,
                    "it has " + length + " bytes instead of " + run.objectLength(),
                    "only those of its bytes are lost that are named besides");
        }
        return true;
    }

    /** An identity for records alone checks no bytes: an object that does not open is no damage then. */
    private void requireKey(HostState state) throws EncryptedException {
        LogRecord.Recipients to = state.recipients();
        if (!to.bytes().isEmpty() && !ProtectedStore.opensAll(store, to)) {
            int recipients = to.bytes().split(" ").length;
            throw new EncryptedException(
                    ArchiveLayout.host(hostId),
                    recipients,
                    ProtectedStore.keyRing(store).identities().size());
        }
    }

    /** Returns the size of an object as its writer saw it; -1 when that is not known. */
    private long contentBytes(BlobInfo object) throws IOException {
        try {
            return ProtectedStore.keyRing(store).isEmpty() ? object.lengthBytes() : store.size(object.key());
        } catch (CorruptArchiveException | EncryptedException e) {
            return -1; // reading it says why
        }
    }

    private boolean isThere(LogRecord.PackedRun piece, HostState state) {
        String key = ArchiveLayout.pack(hostId, piece.packLength(), piece.unique());
        BlobInfo object = objects.get(key);
        if (object == null) {
            counter.fault(key, "it is missing", lost(piece.versionId(), piece.start(), piece.end(), state));
        } else if (packs.add(key)) {
            counter.object(object);
        }
        return object != null;
    }

    private static String lost(long versionId, long start, long end, HostState state) {
        FileVersion version = state.version(versionId);
        String of = version == null
                ? "a file (version " + ArchiveLayout.hex(versionId) + ")"
                : VersionName.described(version);
        return "bytes " + start + " to " + end + " of " + of + " are lost";
    }
}
