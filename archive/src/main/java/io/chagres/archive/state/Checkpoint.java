package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.StoreException;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * Writes and reads the state after a commit as one object, so that a reader need not apply every commit before it. It
 * holds the records that rebuild the state, as a stream that is never in memory as a whole:
 *
 * <pre>
 * zstd frames and seek table ({@link SeekableFrames}) of this content, little endian:
 *   128 B fixed header of kind checkpoint    {@link FixedHeader}
 *   u32 size of a block, 1 to 256 KiB        repeated
 *     whole records as columns               {@link io.chagres.archive.format.RecordColumns}
 *   u32 0
 *   index and its footer           see {@link TableIndex}; or without an index:
 *   u64 number of records, u32 CRC32C of the content before it
 * </pre>
 *
 * <p>Each block of a checkpoint is a frame, the first with the header before it, so that {@link StateTable} reads one.
 *
 * Stateless.
 */
public final class Checkpoint {
    /** A file has the attributes of its version. */
    private static final InodeAttributes OF_VERSION = new InodeAttributes(0, 0, 0, 0);

    private Checkpoint() {}

    /**
     * Writes the first checkpoint of a seq; does nothing when there is one, which says the same.
     *
     * @param state gives everything but the extents
     */
    public static void write(BlobStore store, String hostId, HostState state, CheckpointContents contents)
            throws IOException {
        write(store, hostId, 0, state, contents);
    }

    /**
     * Writes a revision of the checkpoint of a seq, and then its mark; does nothing when there is one.
     *
     * @param state gives what the contents do not
     * @return false when there is one already
     */
    public static boolean write(
            BlobStore store, String hostId, long revision, HostState state, CheckpointContents contents)
            throws IOException {
        return write(store, hostId, revision, state, contents, false);
    }

    /** Writes a checkpoint as above, of a repair: what it refers to in commits may be read there. */
    public static void writeRepaired(
            BlobStore store, String hostId, long revision, HostState state, CheckpointContents contents)
            throws IOException {
        write(store, hostId, revision, state, contents, true);
    }

    private static boolean write(
            BlobStore store,
            String hostId,
            long revision,
            HostState state,
            CheckpointContents contents,
            boolean isOfRepair)
            throws IOException {
        CheckpointId id = new CheckpointId(state.seq(), revision);
        String key = ArchiveLayout.checkpoint(hostId, id);
        if (put(store, key, header(state, FixedHeader.CHECKPOINT), out -> stored(state, contents, out)) < 0) {
            return false;
        }
        Checkpoints.mark(store, hostId, id, isOfRepair);
        return true;
    }

    /** Writes all that a checkpoint holds: of the one before it the blocks are copied in which nothing changed. */
    private static void stored(HostState state, CheckpointContents contents, CheckpointWriter out) throws IOException {
        StateTable below = state.table();
        boolean isCopy = below != null && ArchiveLayout.checkpointOf(below.key()) != null && below.isDense();
        Set<Long> changed = isCopy ? contents.changed() : null;
        if (below == null || changed == null) {
            state(state, contents, out);
        } else {
            state(state, below.tables(), changed, contents, out);
        }
    }

    /** Writes all that a checkpoint holds. */
    static void state(HostState state, CheckpointContents contents, RecordSink out) throws IOException {
        host(state, contents, out);
        Map<Long, Integer> hidden = contents.tellsNames() ? state.names().hidden() : Map.of();
        for (FileVersion version : state.versions()) {
            if (contents.keeps(version)) {
                version(version, hidden.getOrDefault(version.id(), 0), contents, out);
            }
        }
        names(state, out);
    }

    /**
     * Writes what changed behind tables that the state stands over, and rows of the newest of those with the contents
     * that they have, copied where they did not change: the same as above if it is all of them.
     *
     * @param newest those tables, the newest first
     * @param others the versions whose contents are others, beside those that the state has in memory
     */
    static void state(
            HostState state,
            List<StateTable> newest,
            Set<Long> others,
            CheckpointContents contents,
            CheckpointWriter out)
            throws IOException {
        boolean isWhole = newest.equals(Objects.requireNonNull(state.rows()).tables());
        host(state, contents, out);
        Map<Long, Integer> hidden = state.names().hidden();
        NavigableSet<Long> changed = new TreeSet<>(state.keptVersions().keySet());
        changed.addAll(hidden.keySet());
        changed.addAll(others);
        Iterator<TableCopy.Change> versions = changed.stream()
                .map(id -> new TableCopy.Change(TableIndex.versionKey(id, 0), to -> {
                    FileVersion version = Objects.requireNonNull(state.version(id));
                    if (contents.keeps(version)) {
                        version(version, hidden.getOrDefault(id, 0), contents, to);
                    }
                }))
                .iterator();
        TableCopy.copy(newest, TableIndex.VERSIONS, versions, isWhole, out);
        try (NameChanges names = NameChanges.of(state)) {
            TableCopy.copy(newest, TableIndex.NAMES, names.asChanges(isWhole), isWhole, out);
        }
    }

    /** Writes the rows of a table of names: what changed of the state behind what it stands over. */
    static void changes(HostState state, RecordSink out) throws IOException {
        host(state, CheckpointContents.LENGTHS, out);
        for (FileVersion version : state.keptVersions().values()) {
            version(version, 0, CheckpointContents.LENGTHS, out);
        }
        try (NameChanges names = NameChanges.of(state)) {
            for (LogRecord row : names) {
                out.write(row);
            }
        }
    }

    /** Writes the extents that were added to a state behind what it stands over, by version. */
    static void added(HostState state, RecordSink out) throws IOException {
        for (FileVersion version : state.keptVersions().values()) {
            for (LogRecord.Extent extent : version.added()) {
                out.write(extent);
            }
        }
    }

    private static void names(HostState state, RecordSink out) throws IOException {
        TreeWalk.byDirectory(state.names().root(), (entry, path) -> out.write(name(entry, path)));
    }

    /**
     * Puts an object of records under a key.
     *
     * @return how many bytes it has; -1 when there is an object under the key already, which says the same
     */
    static long put(BlobStore store, String key, FixedHeader header, CheckpointWriter.Records records)
            throws IOException {
        if (store.exists(key)) {
            return -1;
        }
        try (BlobWriter object = store.create(key);
                CheckpointWriter out = new CheckpointWriter(object::write, header.under(key))) {
            records.writeTo(out);
            out.finish();
            object.commit();
            return out.objectBytes();
        } catch (StoreException e) {
            if (!store.exists(key)) {
                throw e;
            }
            return -1;
        }
    }

    /** Returns what a local table of a state begins with, which may be one before the first commit, or a past one. */
    static FixedHeader localHeader(HostState state) {
        return header(state, FixedHeader.CHECKPOINT, Math.max(1, state.seq()), Math.max(1, state.row()));
    }

    /** Returns what an object of records begins with that a state is the end of. */
    static FixedHeader header(HostState state, int kind) {
        return header(state, kind, state.seq(), state.row());
    }

    private static FixedHeader header(HostState state, int kind, long seq, long row) {
        return FixedHeader.condensed(kind, seq, row, state.timeMs(), state.incarnation(), state.chain());
    }

    /** Writes what is of no single file. */
    static void host(HostState state, CheckpointContents contents, RecordSink out) throws IOException {
        LogRecord.IncarnationOpened last = state.lastIncarnation();
        if (last != null) {
            out.write(last);
        }
        if (state.closedCleanly()) {
            out.write(new LogRecord.IncarnationClosed(true));
        }
        if (!state.recipients().equals(LogRecord.Recipients.NONE)) {
            out.write(state.recipients());
        }
        LogRecord.Retention retention = contents.retention(state.retention());
        if (retention != null) {
            out.write(retention);
        }
    }

    /** Writes a version, without its names. */
    static void version(FileVersion version, int hidden, CheckpointContents contents, RecordSink out)
            throws IOException {
        out.write(opened(version, contents.start(version)));
        int names = version.nameCount() - hidden;
        if (names != 1 && contents.tellsNames()) {
            out.write(new LogRecord.VersionNames(version.id(), names));
        }
        for (LogRecord.Extent extent : contents.extents(version)) {
            out.write(extent);
        }
        if (contents.tellsLengths()) {
            out.write(version.grown());
        }
        closed(version, out);
        attributes(version, out);
        out.write(version.times());
        LogRecord.VersionRetention retention = contents.retention(version);
        if (retention.expiredBefore() != 0 || retention.expiredMs() != 0 || retention.endedMs() != 0) {
            out.write(retention);
        }
        for (LogRecord.Derived copy : version.compressedCopies()) {
            out.write(copy);
        }
    }

    /** Writes what became of a version unless it grows. */
    static void closed(FileVersion version, RecordSink out) throws IOException {
        LogRecord.Reason reason =
                switch (version.state()) {
                    case GROWING -> null;
                    case SEALED -> LogRecord.Reason.SEALED;
                    case TRUNCATED -> LogRecord.Reason.TRUNCATED;
                    case REWRITTEN -> LogRecord.Reason.REWRITTEN;
                    case GONE -> LogRecord.Reason.GONE;
                };
        if (reason != null) {
            out.write(new LogRecord.VersionClosed(version.id(), reason));
        }
    }

    static void attributes(FileVersion version, RecordSink out) throws IOException {
        out.write(new LogRecord.AttributesChanged(version.id(), Pathname.of(""), version.attributes()));
    }

    static LogRecord.VersionOpened opened(FileVersion version, long start) {
        LogRecord.VersionOpened o = version.opened();
        return new LogRecord.VersionOpened(
                o.versionId(), o.key(), o.previousVersion(), start, o.path(), o.attributes());
    }

    static LogRecord name(NameTree.Entry entry, Pathname path) {
        InodeAttributes attributes = entry.kind() == LogRecord.Kind.FILE ? OF_VERSION : entry.attributes();
        return new LogRecord.NameAdded(path, entry.kind(), entry.versionId(), entry.target(), attributes);
    }

    /** Says what stands for a state from now on: itself, or one that keeps less in memory. */
    @FunctionalInterface
    interface Relief {
        HostState of(HostState state) throws IOException;
    }

    /**
     * Gives all extents of a checkpoint, with little of it in memory at a time, and returns its chain value. They are
     * proven to be all once that was returned.
     *
     * @throws CorruptArchiveException when it is damaged
     * @throws io.chagres.archive.store.NoSuchBlobException when it does not exist
     */
    public static byte[] extents(BlobStore store, String hostId, CheckpointId checkpoint, ExtentSink sink)
            throws IOException {
        String key = ArchiveLayout.checkpoint(hostId, checkpoint);
        return CheckpointReader.extents(store, key, FixedHeader.CHECKPOINT, sink)
                .chain();
    }

    /** Returns what a checkpoint begins with; its chain value is zeros when that of its commit is not known. */
    public static FixedHeader header(BlobStore store, String hostId, CheckpointId id) throws IOException {
        return header(store, ArchiveLayout.checkpoint(hostId, id), FixedHeader.CHECKPOINT);
    }

    /** Returns what an object of a kind begins with. */
    static FixedHeader header(BlobStore store, String key, int kind) throws IOException {
        try (CheckpointReader in = new CheckpointReader(store, key, kind)) {
            return in.header();
        }
    }
}
