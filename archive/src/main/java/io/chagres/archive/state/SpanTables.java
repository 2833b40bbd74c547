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
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes what the commits of a host add up to beside its log: tables of the rows that each span of commits changed, and
 * of those that follow each other, when there are many of one size, one of all. Of the state before a span the rows are
 * looked up that it changes. All are of use only as long as the checkpoint they were made on is the newest, so none of
 * them has to know what a compaction changes. Nothing is lost without them. Stateless.
 */
public final class SpanTables {
    /** The commits between two tables at most, and so those that any load applies. */
    public static final int MAX_COMMITS = 1000;

    /** How many tables of about one size become one. */
    static final int MERGED = 8;

    /** Names of fewer bytes are always one table: a request takes longer than to write them again. */
    private static final int SMALL_BYTES = 64 << 10;

    /** A table is no larger than this number of tables as the mean is of those that become one. */
    private static final int MAX_MEANS = 4;

    /** A table is due once the records of commits have this number of bytes: what any load applies at most, about. */
    public static final long RECORD_BYTES = 4 << 20;

    /** Extents of more bytes are not made one object: to read them takes several requests anyway. */
    private static final int MAX_MERGED_BYTES = 2 << 20;

    private SpanTables() {}

    /**
     * Writes the tables up to a commit where there are none. Several writers may do so at once; ended anywhere on the
     * way it leaves what is true.
     *
     * @param seq the last commit
     * @param recent commits that need not be read, by number
     * @return why there is none: an earlier one is damaged, or its index is too large, and readers take the commits
     *     until the next compaction; null when there is one, or none is wanted
     * @throws CorruptArchiveException when commits are damaged, or do not follow each other
     */
    public static @Nullable String write(BlobStore store, String hostId, long seq, Map<Long, CommitHeader> recent)
            throws IOException {
        CheckpointId checkpoint = Checkpoints.newest(store, hostId);
        Tables tables = Tables.list(store, hostId, checkpoint, seq);
        List<Tables.Stored> names = new ArrayList<>(tables.names());
        List<Tables.Stored> extents = new ArrayList<>(tables.extents());
        try (TableStack before = TableStack.open(store, hostId, tables);
                CommitReader reader = new CommitReader(store)) {
            for (long from = tables.reached();
                    from < seq;
                    from = names.getLast().span().to()) {
                HostState state =
                        before.isEmpty() ? new HostState(ExtentFilter.ALL, RunListener.NONE) : new HostState(before);
                apply(state, hostId, seq, recent, reader);
                if (!state.names().hidden().isEmpty()) {
                    return null; // commits alone say where they are
                }
                CommitSpan span = new CommitSpan(from, state.seq());
                FixedHeader header = Checkpoint.header(state, FixedHeader.TABLE);
                extents.add(put(
                        store,
                        hostId,
                        tables.base(),
                        TableSection.EXTENTS,
                        span,
                        header,
                        to -> Checkpoint.added(state, to)));
                names.add(put(
                        store,
                        hostId,
                        tables.base(),
                        TableSection.NAMES,
                        span,
                        header,
                        to -> Checkpoint.changes(state, to)));
                before.add(names.getLast(), extents.getLast());
            }
        } catch (LargeHostException e) {
            return "the index of an earlier table is too large";
        } catch (CorruptArchiveException e) {
            return ofTable(e);
        } catch (UncheckedIOException e) {
            return ofTable(Objects.requireNonNull(e.getCause()));
        }
        merge(store, hostId, tables.base(), TableSection.EXTENTS, extents);
        merge(store, hostId, tables.base(), TableSection.NAMES, names);
        return null;
    }

    private static String ofTable(IOException cause) throws IOException {
        if (cause instanceof CorruptArchiveException damage && ArchiveLayout.baseOf(damage.object()) != null) {
            return damage.object() + " is damaged: " + damage.fault();
        }
        throw cause;
    }

    /** Applies the commits of the next span. */
    private static void apply(
            HostState state, String hostId, long seq, Map<Long, CommitHeader> recent, CommitReader reader)
            throws IOException {
        long recordBytes = 0;
        long last = Math.min(seq, state.seq() + MAX_COMMITS);
        while (state.seq() < last && recordBytes < RECORD_BYTES) {
            CommitHeader kept = recent.get(state.seq() + 1);
            CommitHeader next = kept == null ? CommitList.commit(hostId, state.seq() + 1, reader) : kept;
            state.apply(next.object(), next);
            recordBytes += next.recordsLength();
        }
    }

    private static Tables.Stored put(
            BlobStore store,
            String hostId,
            CheckpointId base,
            TableSection section,
            CommitSpan span,
            FixedHeader header,
            CheckpointWriter.Records records)
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
        } catch (CorruptArchiveException | NoSuchBlobException | LargeHostException e) {
            // one is damaged, and readers take the commits; or a compaction removed it; or its index is too large
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
        List<StateTable> newestFirst = new ArrayList<>();
        try {
            for (Tables.Stored each : tables.reversed()) {
                newestFirst.add(TableStack.opened(store, each, 0));
            }
            FixedHeader header = newestFirst.getFirst().header();
            return put(store, hostId, base, section, span, header, out -> {
                for (LogRecord fact : newestFirst.getFirst().hostRecords()) {
                    out.write(fact);
                }
                TableCopy.copy(newestFirst, TableIndex.VERSIONS, Collections.emptyIterator(), false, out);
                TableCopy.copy(newestFirst, TableIndex.NAMES, Collections.emptyIterator(), false, out);
            });
        } finally {
            newestFirst.forEach(StateTable::close);
        }
    }
}
