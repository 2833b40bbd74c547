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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads what the commits of a host add up to. Changes hold everything of a span of commits. Outlines hold
 * the names and versions after a commit, but not where the bytes are. An outline restates the whole host, so one is
 * written only when the changes since the last have as many bytes. A reader that wants names reads an outline and the
 * changes behind it; a reader that wants bytes reads the changes before it, too. Neither reads many commits. All are of
 * use only as long as the checkpoint they were made on is the newest, so none of them has to know what a compaction
 * changes. Nothing is lost without them. Stateless.
 */
public final class Outlines {
    /** The commits between two tables at most, and so those that any load applies. */
    public static final int MAX_COMMITS = 1000;

    /** How many spans of changes become one object. */
    static final int MERGED_SPANS = 32;

    /** How many do so behind an outline: a reader that wants names only reads them all. */
    static final int MERGED_BEHIND = 4;

    /** Changes of more bytes are not made one object: to read them takes several requests anyway. */
    static final int MAX_MERGED_BYTES = 2 << 20;

    /** What a version and its name take in an outline in the store. */
    public static final int OUTLINE_BYTES = 24;

    private Outlines() {}

    /**
     * Writes the changes of each {@link #MAX_COMMITS} up to a commit where there are none, and outlines. Several
     * writers may do so at once; ended anywhere on the way it leaves what is true.
     *
     * @param seq the last commit to apply
     * @param recent commits that need not be read, by number
     * @return about as many bytes as an outline has; 0 when there was nothing to write
     */
    public static long write(BlobStore store, String hostId, long seq, Map<Long, CommitHeader> recent)
            throws IOException {
        CheckpointId checkpoint = HostLog.newestCheckpoint(store, hostId);
        Tables tables = Tables.list(store, hostId, checkpoint, seq, Long.MAX_VALUE);
        Changes changes = new Changes();
        HostState state = begin(store, hostId, checkpoint, tables, seq, changes);
        if (state.seq() >= seq) {
            return 0;
        }
        try (CommitReader reader = new CommitReader(store)) {
            while (state.seq() < seq) {
                long from = state.seq();
                long to = Math.min(seq, from + MAX_COMMITS);
                changes.begin();
                for (long next = from + 1; next <= to; next++) {
                    CommitHeader kept = recent.get(next);
                    state.apply(
                            ArchiveLayout.commit(hostId, next),
                            kept == null ? HostLog.read(hostId, next, reader) : kept);
                }
                CommitSpan span = new CommitSpan(from, to);
                String key = ArchiveLayout.changes(hostId, tables.base(), span);
                changes.write(store, key, state);
                tables.spans().put(span, new BlobInfo(key, store.size(key), 0));
                outline(store, hostId, tables, state);
            }
        }
        merge(store, hostId, tables, state);
        return outlineBytes(state);
    }

    private static HostState begin(
            BlobStore store, String hostId, @Nullable CheckpointId checkpoint, Tables tables, long seq, Changes changes)
            throws IOException {
        long before = tables.route(seq).reached();
        if (before > tables.base().seq()) {
            try {
                HostState state = new HostState(ExtentFilter.NONE, changes);
                restore(store, hostId, tables, before, state, false);
                return state;
            } catch (CorruptArchiveException e) {
                // the commits say the same
            }
        }
        return checkpoint == null
                ? new HostState(ExtentFilter.NONE, changes)
                : HostLog.load(store, hostId, checkpoint, ExtentFilter.NONE, changes);
    }

    private static long outlineBytes(HostState state) {
        return (long) OUTLINE_BYTES
                * Math.max(state.names().size(), state.versions().size());
    }

    /** Writes one when the changes behind the last outweigh it; they are there already: it is of use only with them. */
    private static void outline(BlobStore store, String hostId, Tables tables, HostState state) throws IOException {
        Tables.Route route = tables.route(state.seq());
        boolean isExpiring = state.retention() != null; // only a checkpoint says what retention does
        if (!isExpiring && route.reached() == state.seq() && tables.bytes(route.changes()) >= outlineBytes(state)) {
            String key = ArchiveLayout.outline(hostId, tables.base(), state.seq());
            FixedHeader header = Checkpoint.header(state, FixedHeader.OUTLINE);
            Checkpoint.put(store, key, header, out -> Checkpoint.state(state, CheckpointContents.OUTLINE, out));
            tables.outlines().add(state.seq());
        }
    }

    /** Makes one object of the last spans, of those behind the outline sooner. */
    private static void merge(BlobStore store, String hostId, Tables tables, HostState state) throws IOException {
        if (!merge(store, hostId, tables, tables.route(state.seq()).changes(), MERGED_BEHIND, state)) {
            List<CommitSpan> chain = tables.chain(state.seq());
            merge(store, hostId, tables, chain == null ? List.of() : chain, MERGED_SPANS, state);
        }
    }

    /**
     * Makes one object of the last of some spans, if they are small: each record is written once more. Merging spans
     * that take several requests each would save none.
     */
    private static boolean merge(
            BlobStore store, String hostId, Tables tables, List<CommitSpan> spans, int count, HostState state)
            throws IOException {
        if (spans.size() < count) {
            return false;
        }
        List<CommitSpan> merged = spans.subList(spans.size() - count, spans.size());
        long all = 0;
        long largest = 0;
        for (CommitSpan span : merged) {
            all += span.to() - span.from();
            largest = Math.max(largest, span.to() - span.from());
        }
        boolean follow = all == state.seq() - merged.getFirst().from();
        if (!follow || largest > all / 2 || tables.bytes(merged) > MAX_MERGED_BYTES) {
            return false; // writing it again is worth more of the others
        }
        Changes.merge(store, hostId, tables, merged, state);
        return true;
    }

    private static void names(BlobStore store, String hostId, CheckpointId base, long seq, HostState state)
            throws IOException {
        Checkpoint.restore(store, ArchiveLayout.outline(hostId, base, seq), FixedHeader.OUTLINE, state);
    }

    /**
     * Takes over the state after a commit: that of an outline or of the base, and the changes behind it.
     *
     * @param seq what a route of the tables reaches
     * @param state before the first commit
     * @param withExtents whether anybody wants to know where bytes are
     */
    static void restore(BlobStore store, String hostId, Tables tables, long seq, HostState state, boolean withExtents)
            throws IOException {
        Tables.Route route = tables.route(seq);
        if (route.outline() == tables.base().seq()) {
            if (route.outline() > 0) {
                Checkpoint.restore(store, hostId, tables.base(), state);
            }
        } else {
            names(store, hostId, tables.base(), route.outline(), state);
            if (withExtents) {
                attach(store, hostId, tables, route.outline(), state);
            }
        }
        for (CommitSpan span : route.changes()) {
            Changes.apply(store, tables, span, state);
        }
    }

    /** Takes over where all bytes are that an outline covers. */
    private static void attach(BlobStore store, String hostId, Tables tables, long outline, HostState state)
            throws IOException {
        if (tables.base().seq() > 0) {
            attach(store, ArchiveLayout.checkpoint(hostId, tables.base()), FixedHeader.CHECKPOINT, state);
        }
        for (CommitSpan span : Objects.requireNonNull(tables.chain(outline))) {
            attach(store, tables.key(span), FixedHeader.CHANGES, state);
        }
        for (FileVersion version : state.versions()) {
            version.requireAttached(ArchiveLayout.outline(hostId, tables.base(), outline));
        }
    }

    /** Takes over the extents that an object holds. */
    private static void attach(BlobStore store, String key, int kind, HostState state) throws IOException {
        extents(store, key, kind, extent -> state.attach(key, extent));
    }

    /** Gives the extents that an object holds, and returns what it begins with. */
    static FixedHeader extents(BlobStore store, String key, int kind, Checkpoint.ExtentSink sink) throws IOException {
        try (CheckpointReader in = new CheckpointReader(store, key, kind)) {
            for (LogRecord record = in.next(); record != null; record = in.next()) {
                if (record instanceof LogRecord.Extent extent) {
                    sink.take(extent);
                }
            }
            return in.header();
        }
    }
}
