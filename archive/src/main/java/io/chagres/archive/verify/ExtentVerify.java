package io.chagres.archive.verify;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Reads the bytes of extents to see whether they are there, each data object once. Confined to one thread. */
final class ExtentVerify {
    private final BlobStore store;
    private final String hostId;
    private final Map<String, BlobInfo> objects;
    private final VerifyCounter counter;
    private final Map<String, LogRecord.ObjectRun> seen = new HashMap<>();
    private final Set<String> packs = new HashSet<>();
    private final Set<LogRecord.PackedRun> pieces = new HashSet<>();

    /** Makes a check; {@code objects} are all data objects of the host. */
    ExtentVerify(BlobStore store, String hostId, Map<String, BlobInfo> objects, VerifyCounter counter) {
        this.store = store;
        this.hostId = hostId;
        this.objects = objects;
        this.counter = counter;
    }

    /** Says whether an extent that was checked refers to an object. */
    boolean refersTo(String object) {
        return seen.containsKey(object) || packs.contains(object);
    }

    /**
     * Checks the bytes of an extent.
     *
     * @param state knows the version
     * @param reader of that state
     */
    void check(LogRecord.Extent extent, HostState state, VersionReader reader) throws IOException {
        boolean nothingToRead = extent instanceof LogRecord.ZeroRun
                || extent instanceof LogRecord.ObjectRun run && !isThereAndNew(run, state)
                || extent instanceof LogRecord.PackedRun piece && !isThereAndNew(piece, state);
        if (nothingToRead) {
            return;
        }
        reader.readPieces(extent, new VersionReader.PieceVisitor() {
            @Override
            public void good(long position, MemorySegment bytes) {}

            @Override
            public void damaged(long start, long end, CorruptArchiveException cause) {
                counter.fault(cause, lost(extent.versionId(), start, end, state));
            }
        });
    }

    private boolean isThereAndNew(LogRecord.ObjectRun run, HostState state) throws IOException {
        String key = VersionReader.keyOf(hostId, run);
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
        if (length != run.objectLength()) {
            counter.fault(
                    key,
                    "it has " + length + " bytes instead of " + run.objectLength(),
                    lost(run.versionId(), run.start(), run.end(), state));
            return false;
        }
        return true;
    }

    /** Returns the size of an object as its writer saw it; -1 when that cannot be told. */
    private long contentBytes(BlobInfo object) throws IOException {
        try {
            return store.keyRing().isEmpty() ? object.lengthBytes() : store.size(object.key());
        } catch (CorruptArchiveException e) {
            return -1; // reading it tells why
        }
    }

    private boolean isThereAndNew(LogRecord.PackedRun piece, HostState state) {
        if (!pieces.add(piece)) {
            return false;
        }
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
        String path = version == null ? "a file" : Selection.lastPath(version).toString();
        return "bytes " + start + " to " + end + " of " + path + " (version " + ArchiveLayout.hex(versionId)
                + ") are lost";
    }
}
