package io.chagres.archive.log;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Record;
import io.chagres.archive.store.BlobStore;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;

/**
 * Writes the state after a commit as one object, so that a reader need not apply every commit before it. It holds the
 * records that rebuild the state, behind a header of kind checkpoint. Stateless.
 */
public final class Checkpoint {
    private Checkpoint() {}

    /**
     * Writes a checkpoint; does nothing when the same one exists.
     *
     * @param state a state whose extents were all kept
     * @param replaced returns the extents a version has from now on (a compaction moved its bytes)
     */
    public static void write(
            BlobStore store,
            String hostId,
            HostState state,
            Function<FileVersion, Iterable<? extends Record.Extent>> replaced)
            throws IOException {
        RecordWriter records = new RecordWriter();
        Record.IncarnationOpened last = state.lastIncarnation();
        if (last != null) {
            records.write(last);
            if (state.closedCleanly()) {
                records.write(new Record.IncarnationClosed(true));
            }
        }
        for (FileVersion version : state.versions()) {
            version(records, version, replaced.apply(version));
        }
        state.names().forEach(entry -> {
            FileVersion version = entry.version();
            records.write(new Record.NameAdded(
                    entry.path(), entry.kind(), version == null ? 0 : version.id(), entry.target(), entry.attributes()));
        });
        for (FileVersion version : state.versions()) {
            for (Record.Derived copy : version.compressedCopies()) {
                records.write(copy);
            }
        }
        byte[] none = new byte[CommitHeader.ID_BYTES];
        byte[] bytes = CommitHeader.encode(
                CommitHeader.CHECKPOINT, state.seq(), state.timeMs(), none, none, state.chain(), records);
        store.putIfAbsent(ArchiveLayout.checkpoint(hostId, state.seq()), MemorySegment.ofArray(bytes));
    }

    private static void version(
            RecordWriter records, FileVersion version, Iterable<? extends Record.Extent> extents) {
        Pathname last = version.lastPath();
        records.write(new Record.VersionOpened(
                version.id(),
                version.key(),
                version.previousVersion(),
                version.startPosition(),
                version.openedPath(),
                version.attributes()));
        for (Record.Extent extent : extents) {
            records.write(extent);
        }
        records.write(new Record.AttributesChanged(version.id(), version.openedPath(), version.attributes()));
        records.write(new Record.VersionTimes(
                version.id(), version.openedMs(), version.changedMs(), last == null ? Pathname.of("") : last));
        Record.Reason reason = switch (version.state()) {
            case GROWING -> null;
            case SEALED -> Record.Reason.SEALED;
            case TRUNCATED -> Record.Reason.TRUNCATED;
            case REWRITTEN -> Record.Reason.REWRITTEN;
            case GONE -> Record.Reason.GONE;
        };
        if (reason != null) {
            records.write(new Record.VersionClosed(version.id(), reason));
        }
    }
}
