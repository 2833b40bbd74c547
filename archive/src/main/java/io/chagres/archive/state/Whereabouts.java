package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.log.Repeats;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says where the bytes of a state are that was loaded without their places. So a few files are read without loading the
 * host once more, and without the tables that do not name them. Immutable.
 *
 * @param tables those that were applied
 * @param places what the checkpoint says; null where that has to be read once more
 * @param commits those before and behind them, without what others of them repeat
 */
record Whereabouts(
        BlobStore store,
        String hostId,
        Tables tables,
        @Nullable List<LogRecord.Extent> places,
        List<CommitHeader> commits) {
    /**
     * Lets some versions of the state know where their bytes are.
     *
     * @throws CorruptArchiveException when that is not to be found
     */
    void locate(HostState state, Iterable<Long> ids) throws IOException {
        List<FileVersion> wanted = new ArrayList<>();
        for (long id : ids) {
            FileVersion version = state.version(id);
            if (version != null) {
                version.locate();
                wanted.add(version);
            }
        }
        CheckpointId base = tables.base();
        String checkpoint = base.seq() == 0 ? "" : ArchiveLayout.checkpoint(hostId, base);
        if (places == null) {
            read(checkpoint, FixedHeader.CHECKPOINT, state);
        } else {
            for (LogRecord.Extent extent : places) {
                state.locate(checkpoint, extent);
            }
        }
        long before = tables.reached();
        boolean isTold = before > base.seq() && wanted.stream().anyMatch(version -> version.toldBy() != null);
        for (Tables.Stored table : isTold ? Tables.ofExtents(store, hostId, base, before) : List.<Tables.Stored>of()) {
            if (wanted.stream().anyMatch(version -> isTold(version, table.span()))) {
                read(table.key(), FixedHeader.TABLE, state);
            }
        }
        for (CommitHeader commit : commits) {
            if (commit.seq() <= before) {
                continue;
            }
            for (LogRecord.Repeated repeated : Repeats.of(commit)) {
                byte[] records = repeated.records();
                if (repeated.seq() > before) {
                    RecordReader reader = new RecordReader(commit.object(), records, 0, records.length);
                    locate(state, repeated.seq(), commit.object(), reader);
                }
            }
            locate(state, commit.seq(), commit.object(), commit.recordReader());
        }
        for (FileVersion version : wanted) {
            version.requireAttached(ArchiveLayout.tables(hostId, base));
        }
    }

    private static boolean isTold(FileVersion version, CommitSpan span) {
        CommitSpan told = version.toldBy();
        return told != null && told.from() < span.to() && span.from() < told.to();
    }

    private void read(String key, int kind, HostState state) throws IOException {
        CheckpointReader.extents(store, key, kind, extent -> state.locate(key, extent));
    }

    private static void locate(HostState state, long seq, String object, RecordReader records)
            throws CorruptArchiveException {
        while (records.hasNext()) {
            if (HostState.inCommit(object, records.next(), seq) instanceof LogRecord.Extent extent) {
                state.locate(object, extent);
            }
        }
    }
}
