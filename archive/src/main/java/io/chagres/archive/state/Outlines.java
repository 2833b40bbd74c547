package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the outlines of a host: its names and versions after a commit, without where the bytes are, and
 * beside them the extents of the commits since the outline before. So a reader that wants names reads one object, one
 * that wants bytes one more for each outline, and neither reads many commits. An outline is of use only as long as the
 * checkpoint it was made on is the newest: what a compaction changes, no outline has to know. Nothing is lost without
 * them. Stateless.
 */
public final class Outlines {
    /** The commits between two outlines at most, and so those that any load applies. */
    public static final int MAX_COMMITS = 1000;

    /** So many spans of extents become one object. */
    static final int MERGED_SPANS = 32;

    /** Extents of more bytes are not made one object: to read them takes several requests anyway. */
    static final int MAX_MERGED_BYTES = 2 << 20;

    private static final CheckpointContents OUTLINE = new CheckpointContents() {
        @Override
        public Iterable<LogRecord.Extent> extents(FileVersion version) {
            return List.of();
        }

        @Override
        public boolean isOutline() {
            return true;
        }
    };

    private Outlines() {}

    /** Collects the extents of commits by version. */
    private static final class Collector implements RunListener {
        final Map<Long, List<LogRecord.Extent>> extents = new TreeMap<>();
        boolean listens;

        @Override
        public void opened(LogRecord.VersionOpened opened) {}

        @Override
        public void extent(LogRecord.Extent extent) {
            if (listens) {
                extents.computeIfAbsent(extent.versionId(), id -> new ArrayList<>())
                        .add(extent);
            }
        }
    }

    /**
     * Writes the outline of a commit, and of each {@link #MAX_COMMITS} before it where there is none. Several writers
     * may do so at once; ended anywhere on the way it leaves what is true.
     *
     * @param seq the last commit to apply
     * @param recent commits that need not be read, by number
     * @return bytes of the records of the last outline written; 0 when there was nothing to write
     */
    public static long write(BlobStore store, String hostId, long seq, Map<Long, CommitHeader> recent)
            throws IOException {
        CheckpointId checkpoint = HostLog.newestCheckpoint(store, hostId);
        Tables tables = Tables.list(store, hostId, checkpoint, seq, Long.MAX_VALUE);
        long before = tables.newest(seq);
        if (before >= seq) {
            return 0;
        }
        Collector collector = new Collector();
        HostState state = begin(store, hostId, checkpoint, tables, before, collector);
        collector.listens = true;
        long bytes = 0;
        try (CommitReader reader = new CommitReader(store)) {
            while (state.seq() < seq) {
                long from = state.seq();
                long to = Math.min(seq, from + MAX_COMMITS);
                for (long next = from + 1; next <= to; next++) {
                    CommitHeader kept = recent.get(next);
                    state.apply(
                            ArchiveLayout.commit(hostId, next),
                            kept == null ? HostLog.read(hostId, next, reader) : kept);
                }
                bytes = write(store, hostId, tables.base(), from, state, collector);
                collector.extents.clear();
                CommitSpan span = new CommitSpan(from, to);
                String key = ArchiveLayout.extents(hostId, tables.base(), span);
                tables.spans().put(span, new BlobInfo(key, store.size(key), 0));
            }
        }
        merge(store, hostId, tables, state);
        return bytes;
    }

    private static HostState begin(
            BlobStore store,
            String hostId,
            @Nullable CheckpointId checkpoint,
            Tables tables,
            long before,
            Collector collector)
            throws IOException {
        if (before > tables.base().seq()) {
            try {
                HostState state = new HostState(ExtentFilter.NONE, collector);
                names(store, hostId, tables.base(), before, state);
                return state;
            } catch (CorruptArchiveException e) {
                // the commits say the same
            }
        }
        return HostLog.restored(store, hostId, checkpoint, ExtentFilter.NONE, collector);
    }

    /**
     * Makes one object of the last spans of extents, if they are small: each extent is written once more. What takes
     * several requests itself would not become fewer.
     */
    private static void merge(BlobStore store, String hostId, Tables tables, HostState state) throws IOException {
        List<CommitSpan> chain = tables.chain(state.seq());
        if (chain == null || chain.size() < MERGED_SPANS) {
            return;
        }
        List<CommitSpan> merged = chain.subList(chain.size() - MERGED_SPANS, chain.size());
        long all = state.seq() - merged.getFirst().from();
        boolean isLarge = merged.stream().anyMatch(span -> span.to() - span.from() > all / 2);
        if (isLarge || tables.bytes(merged) > MAX_MERGED_BYTES) {
            return; // writing it again is worth more of the others
        }
        CommitSpan whole = new CommitSpan(merged.getFirst().from(), state.seq());
        FixedHeader header = Checkpoint.header(state, FixedHeader.EXTENTS);
        Checkpoint.put(store, ArchiveLayout.mergedExtents(hostId, tables.base(), whole), header, out -> {
            for (CommitSpan span : merged) {
                extents(store, tables.key(span), FixedHeader.EXTENTS, out::write);
            }
        });
    }

    /** Puts the extents first: an outline is there only with them. */
    private static long write(
            BlobStore store, String hostId, CheckpointId base, long from, HostState state, Collector collector)
            throws IOException {
        String extents = ArchiveLayout.extents(hostId, base, new CommitSpan(from, state.seq()));
        Checkpoint.put(store, extents, Checkpoint.header(state, FixedHeader.EXTENTS), out -> {
            for (List<LogRecord.Extent> ofVersion : collector.extents.values()) {
                for (LogRecord.Extent extent : ofVersion) {
                    out.write(extent);
                }
            }
        });
        String names = ArchiveLayout.outline(hostId, base, state.seq());
        FixedHeader header = Checkpoint.header(state, FixedHeader.OUTLINE);
        return Checkpoint.put(store, names, header, out -> Checkpoint.state(state, OUTLINE, out));
    }

    private static void names(BlobStore store, String hostId, CheckpointId base, long seq, HostState state)
            throws IOException {
        Checkpoint.restore(store, ArchiveLayout.outline(hostId, base, seq), FixedHeader.OUTLINE, seq, state);
    }

    /**
     * Takes over the state of an outline, and all extents before it if there is anybody who wants them.
     *
     * @param seq of an outline of the tables; with its extents if they are wanted
     */
    static void restore(BlobStore store, String hostId, Tables tables, long seq, HostState state, boolean withExtents)
            throws IOException {
        names(store, hostId, tables.base(), seq, state);
        if (!withExtents) {
            return;
        }
        if (tables.base().seq() > 0) {
            attach(store, ArchiveLayout.checkpoint(hostId, tables.base()), FixedHeader.CHECKPOINT, state);
        }
        for (CommitSpan span : Objects.requireNonNull(tables.chain(seq))) {
            attach(store, tables.key(span), FixedHeader.EXTENTS, state);
        }
        for (FileVersion version : state.versions()) {
            version.requireAttached(ArchiveLayout.outline(hostId, tables.base(), seq));
        }
    }

    /** Takes extents one after the other. */
    interface ExtentSink {
        void take(LogRecord.Extent extent) throws IOException;
    }

    /** Takes over the extents that an object holds. */
    private static void attach(BlobStore store, String key, int kind, HostState state) throws IOException {
        extents(store, key, kind, extent -> state.attach(key, extent));
    }

    static void extents(BlobStore store, String key, int kind, ExtentSink sink) throws IOException {
        try (CheckpointReader in = new CheckpointReader(store, key, kind)) {
            for (LogRecord record = in.next(); record != null; record = in.next()) {
                if (record instanceof LogRecord.Extent extent) {
                    sink.take(extent);
                }
            }
        }
    }
}
