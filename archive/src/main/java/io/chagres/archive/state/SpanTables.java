package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.TableSection;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes what the commits of a host add up to beside its log: tables of what each span of commits changed, and of those
 * that follow each other, when there are many of one size, one of all. Nobody has to know the state of the host for
 * that. All are of use only as long as the checkpoint they were made on is the newest, so none of them has to know what
 * a compaction changes. Nothing is lost without them. Stateless.
 */
public final class SpanTables {
    /** The commits between two tables at most, and so those that any load applies. */
    public static final int MAX_COMMITS = 1000;

    /** How many tables of about one size become one. */
    static final int MERGED = 16;

    /**
     * Commits whose records have this number of bytes in the mean are their own tables at the beginning: nobody would
     * need fewer requests by another one.
     */
    private static final long LARGE_BYTES = 64 << 10;

    /** Names of fewer bytes are always one table: a request takes longer than to write them again. */
    private static final int SMALL_BYTES = 64 << 10;

    /** A table is no larger than this number of tables as the mean is of those that become one. */
    private static final int MAX_MEANS = 4;

    /** Records of one table are in memory while it is made. */
    private static final long MAX_RECORD_BYTES = 2 << 20;

    /** Extents of more bytes are not made one object: to read them takes several requests anyway. */
    private static final int MAX_MERGED_BYTES = 2 << 20;

    private SpanTables() {}

    /**
     * Writes the tables up to a commit where there are none. Several writers may do so at once; ended anywhere on the
     * way it leaves what is true.
     *
     * @param left a commit up to which an earlier call saw that none need tables; 0 for none
     * @param seq the last commit
     * @param recent commits that need not be read, by number
     * @throws CorruptArchiveException when commits are damaged, or do not follow each other
     */
    public static void write(BlobStore store, String hostId, long left, long seq, Map<Long, CommitHeader> recent)
            throws IOException {
        CheckpointId checkpoint = HostLog.newestCheckpoint(store, hostId);
        Tables tables = Tables.list(store, hostId, checkpoint, seq);
        long from = tables.names().isEmpty() ? Math.max(left, tables.reached()) : tables.reached();
        List<Tables.Stored> names = new ArrayList<>(tables.names());
        List<Tables.Stored> extents = new ArrayList<>(tables.extents());
        try (CommitReader reader = new CommitReader(store)) {
            CommitHeader last = null;
            while (from < seq) {
                List<CommitHeader> commits = new ArrayList<>();
                long recordBytes = 0;
                long to = from;
                while (to < seq && to - from < MAX_COMMITS && recordBytes < MAX_RECORD_BYTES) {
                    CommitHeader kept = recent.get(++to);
                    CommitHeader next = kept == null ? HostLog.read(hostId, to, reader) : kept;
                    requireFollows(last, next);
                    recordBytes += next.recordsLength();
                    commits.add(next);
                    last = next;
                }
                CommitSpan span = new CommitSpan(from, to);
                from = to;
                if (names.isEmpty() && recordBytes >= LARGE_BYTES * commits.size()) {
                    continue;
                }
                SpanChanges changes = SpanChanges.of(commits);
                FixedHeader header = header(Objects.requireNonNull(last));
                extents.add(put(store, hostId, tables.base(), TableSection.EXTENTS, span, header, changes::extents));
                names.add(put(store, hostId, tables.base(), TableSection.NAMES, span, header, changes::names));
            }
        }
        merge(store, hostId, tables.base(), TableSection.EXTENTS, extents);
        merge(store, hostId, tables.base(), TableSection.NAMES, names);
    }

    private static void requireFollows(@Nullable CommitHeader last, CommitHeader next) throws CorruptArchiveException {
        if (last != null && !Arrays.equals(next.predecessor(), last.chain())) {
            throw new CorruptArchiveException(
                    next.object(),
                    "it does not follow commit " + last.seq() + " as it is stored here: the hash chain is broken");
        }
    }

    private static FixedHeader header(CommitHeader last) {
        return FixedHeader.condensed(
                FixedHeader.TABLE, last.seq(), last.row(), last.timeMs(), last.incarnation(), last.chain());
    }

    private static Tables.Stored put(
            BlobStore store,
            String hostId,
            CheckpointId base,
            TableSection section,
            CommitSpan span,
            FixedHeader header,
            Checkpoint.Records records)
            throws IOException {
        String key = ArchiveLayout.table(hostId, base, section, span);
        long bytes = Checkpoint.put(store, key, header, records);
        return new Tables.Stored(span, key, bytes < 0 ? store.size(key) : bytes);
    }

    /** Makes one table of the last ones as long as that spares requests. */
    private static void merge(
            BlobStore store, String hostId, CheckpointId base, TableSection section, List<Tables.Stored> chain)
            throws IOException {
        try {
            for (int count = mergeable(section, chain); count > 1; count = mergeable(section, chain)) {
                List<Tables.Stored> last = chain.subList(chain.size() - count, chain.size());
                Tables.Stored whole = merged(store, hostId, base, section, List.copyOf(last));
                last.clear();
                chain.add(whole);
            }
        } catch (CorruptArchiveException | NoSuchBlobException e) {
            // one is damaged, and readers take the commits; or a compaction removed it
        }
    }

    /** Returns how many of the last tables become one: those that are small together, or many of about one size. */
    private static int mergeable(TableSection section, List<Tables.Stored> chain) {
        int small = 0;
        long bytes = 0;
        while (section == TableSection.NAMES && small < Math.min(chain.size(), MERGED)) {
            bytes += chain.get(chain.size() - 1 - small).bytes();
            if (bytes > SMALL_BYTES) {
                break;
            }
            small++;
        }
        boolean areMany =
                chain.size() >= MERGED && areAlike(section, chain.subList(chain.size() - MERGED, chain.size()));
        return small > 1 ? small : areMany ? MERGED : 0;
    }

    private static boolean areAlike(TableSection section, List<Tables.Stored> tables) {
        long commits = 0;
        long largest = 0;
        long bytes = 0;
        long reached = tables.getFirst().span().from();
        for (Tables.Stored each : tables) {
            if (each.span().from() != reached) {
                return false; // several writers were at work
            }
            reached = each.span().to();
            long ofSpan = reached - each.span().from();
            commits += ofSpan;
            largest = Math.max(largest, ofSpan);
            bytes += each.bytes();
        }
        boolean fits = section == TableSection.NAMES || bytes <= MAX_MERGED_BYTES;
        return fits && largest * tables.size() <= MAX_MEANS * commits;
    }

    private static Tables.Stored merged(
            BlobStore store, String hostId, CheckpointId base, TableSection section, List<Tables.Stored> tables)
            throws IOException {
        CommitSpan span = new CommitSpan(
                tables.getFirst().span().from(), tables.getLast().span().to());
        try (TableMerge merge = new TableMerge(store, tables)) {
            return put(
                    store,
                    hostId,
                    base,
                    section,
                    span,
                    merge.header(),
                    section == TableSection.NAMES ? merge::names : merge::extents);
        }
    }

    /**
     * Applies what a table says of names and versions to the state before its span; {@link #attach} says later where
     * the new bytes are.
     *
     * @param relief is asked after each record
     * @return what stands for the state now
     * @throws CorruptArchiveException when it is damaged; no state is then usable
     */
    static HostState apply(BlobStore store, Tables.Stored table, HostState before, Checkpoint.Relief relief)
            throws IOException {
        HostState state = before;
        try (CheckpointReader in = new CheckpointReader(store, table.key(), FixedHeader.TABLE)) {
            for (LogRecord record = in.next(); record != null; record = in.next()) {
                state.apply(table.key(), record, in.header().timeMs());
                state = relief.of(state);
            }
            state.restored(in.header());
        }
        return state;
    }

    /** Says of a state that was made of tables where its bytes are. */
    static void attach(BlobStore store, Tables tables, HostState state) throws IOException {
        for (Tables.Stored table : tables.extents()) {
            extents(store, table.key(), FixedHeader.TABLE, extent -> state.attach(table.key(), extent));
        }
        if (!tables.names().isEmpty()) {
            state.requireAttached(tables.names().getLast().key());
        }
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
