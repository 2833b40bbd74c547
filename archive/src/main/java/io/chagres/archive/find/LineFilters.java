package io.chagres.archive.find;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.age.AgeFile;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.Checkpoints;
import io.chagres.archive.state.ExtentRows;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.RowSorter;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writes the filters of a host: they say which pieces of its versions have no line with a given text. One filter covers
 * what was new between two checkpoints. The next filter takes over a small one, so that there are few. Stateless.
 */
public final class LineFilters {
    /** Of less it is not worth to know more. */
    private static final long MIN_BYTES = 1 << 20;

    /** A filter is smaller than the bytes of the files by about this factor. */
    private static final int RATIO = 64;

    private static final int FIRST_BYTES = 64;

    private static final int PLACE_BYTES = 2 * Long.BYTES + 1;

    private LineFilters() {}

    /** The part of a version before a filter. */
    private record Known(long end, boolean isLineStart) {}

    /** The part of a version that a filter has yet to cover. */
    private record Fresh(FileVersion version, long start, boolean isLineStart) {
        LogRecord.Extent first() {
            return Extents.of(version).get(Extents.of(version).indexOf(start));
        }
    }

    /** A position in a version as a row; those of a version by how far they reach. */
    private static byte[] row(long versionId, long position, boolean isLineStart) {
        return ByteBuffer.allocate(PLACE_BYTES)
                .putLong(versionId)
                .putLong(position)
                .put((byte) (isLineStart ? 1 : 0))
                .array();
    }

    /** Returns the filters of a host that no other one has taken over, in order. One list. */
    public static List<BlobInfo> list(BlobStore store, String hostId) throws IOException {
        return all(store, hostId, false);
    }

    /** Returns the filters that another one has taken over. One list. */
    public static List<BlobInfo> replaced(BlobStore store, String hostId) throws IOException {
        return all(store, hostId, true);
    }

    private static List<BlobInfo> all(BlobStore store, String hostId, boolean replaced) throws IOException {
        Map<CommitSpan, BlobInfo> spans = new HashMap<>();
        for (BlobInfo info : BlobList.all(store, ArchiveLayout.filters(hostId), null)) {
            CommitSpan span = ArchiveLayout.filterOf(info.key());
            if (span != null) {
                spans.put(span, info);
            }
        }
        return spans.entrySet().stream()
                .filter(each -> spans.keySet().stream().anyMatch(other -> other.exceeds(each.getKey())) == replaced)
                .map(Map.Entry::getValue)
                .sorted(Comparator.comparing(BlobInfo::key))
                .toList();
    }

    /**
     * Writes a filter for what the newest checkpoint has and no filter covers. Damaged bytes are left out.
     *
     * @param store encrypts as the host does
     * @param tables where most of a large host is meanwhile, and what helps to sort
     * @param changes what commits did since a checkpoint; null if that is not known. Where filters have all before it,
     *     no other version is looked at
     */
    public static void write(BlobStore store, String hostId, LocalTables tables, HostState.@Nullable Changes changes)
            throws IOException {
        CheckpointId checkpoint = Checkpoints.newest(store, hostId);
        List<BlobInfo> filters = list(store, hostId);
        long until = filters.isEmpty() ? 0 : span(filters.getLast()).to();
        if (checkpoint == null || until >= checkpoint.seq()) {
            return;
        }
        try (RowSorter known = tables.sorter();
                RowSorter fresh = tables.sorter()) {
            boolean areWhole = known(store, filters, known);
            CommitSpan span = new CommitSpan(until, checkpoint.seq());
            HostState state = changes != null && areWhole && changes.span().equals(span)
                    ? HostLog.load(store, hostId, checkpoint, tables, changes.versions())
                    : HostLog.load(store, hostId, checkpoint, tables, RunListener.NONE);
            long bytes = fresh(tables.relieving(state.versions()), known, fresh);
            if (bytes == 0 || (filters.isEmpty() && bytes < MIN_BYTES)) {
                return;
            }
            // a filter answers for words, so an open one must not hold those of encrypted bytes
            boolean isOpen = ProtectedStore.keyRing(store).bytes().isEmpty();
            BlobStore shown = isOpen ? ProtectedStore.stored(store) : store;
            List<BlobInfo> taken = new ArrayList<>();
            long about = 2 * bytes / RATIO;
            for (BlobInfo filter : filters.reversed()) {
                if (filter.lengthBytes() > about || (isOpen && isEncrypted(shown, filter.key()))) {
                    break;
                }
                taken.add(filter);
                about += filter.lengthBytes();
            }
            long from = taken.isEmpty() ? until : span(taken.getLast()).from();
            String key = ArchiveLayout.filter(hostId, new CommitSpan(from, checkpoint.seq()));
            try (FilterWriter writer = new FilterWriter(store, key);
                    VersionReader reader = new VersionReader(shown, hostId, state)) {
                for (BlobInfo filter : taken.reversed()) {
                    writer.copy(store, filter.key());
                }
                write(writer, reader, tables.relieving(() -> freshOf(state, fresh)));
                writer.finish();
            }
        }
    }

    /**
     * Reads a filter to its end.
     *
     * @throws CorruptArchiveException when it is damaged
     */
    public static void check(BlobStore store, BlobInfo filter) throws IOException {
        FilterReader reader = new FilterReader(store, filter);
        long groups = 0;
        for (List<FilterFormat.Piece> pieces = reader.next(); !pieces.isEmpty(); pieces = reader.next()) {
            groups++;
            if (pieces.stream().anyMatch(piece -> piece.columns() > 0)) {
                for (int row = 0; row < FilterFormat.ROWS; row++) {
                    reader.row(row);
                }
            }
        }
        if (groups == 0) {
            throw new CorruptArchiveException(filter.key(), "it is empty");
        }
    }

    private static boolean isEncrypted(BlobStore stored, String key) throws IOException {
        byte[] first = new byte[FIRST_BYTES];
        return AgeFile.begins(first, stored.get(key, 0, MemorySegment.ofArray(first)));
    }

    private static CommitSpan span(BlobInfo filter) {
        return Objects.requireNonNull(ArchiveLayout.filterOf(filter.key()));
    }

    /** Sorts how far filters cover versions; returns whether they are whole, and of all commits up to the last. */
    private static boolean known(BlobStore store, List<BlobInfo> filters, RowSorter known) throws IOException {
        boolean areWhole = true;
        long reached = 0;
        for (BlobInfo filter : filters) {
            areWhole &= span(filter).from() == reached;
            reached = span(filter).to();
            FilterReader reader = new FilterReader(store, filter);
            try {
                for (List<FilterFormat.Piece> pieces = reader.next(); !pieces.isEmpty(); pieces = reader.next()) {
                    for (FilterFormat.Piece piece : pieces) {
                        known.add(row(piece.versionId(), piece.end(), piece.columns() > 0));
                    }
                }
            } catch (CorruptArchiveException | NoSuchBlobException | EncryptedException e) {
                areWhole = false; // another filter covers its bytes once more
            }
        }
        return areWhole;
    }

    /**
     * Sorts the bytes that are in no filter in the order of the store.
     *
     * @return how many bytes that are
     */
    private static long fresh(Iterable<FileVersion> versions, RowSorter known, RowSorter fresh) throws IOException {
        KnownInOrder before = new KnownInOrder(known.iterator());
        long bytes = 0;
        for (FileVersion version : versions) {
            Known of = before.find(version.id());
            if (of == null || of.end() < version.startPosition()) {
                of = new Known(version.startPosition(), true);
            }
            if (of.end() < version.length()) {
                Fresh one = new Fresh(version, of.end(), of.isLineStart());
                byte[] order = ExtentRows.placeOf(one.first());
                fresh.add(ByteBuffer.allocate(order.length + PLACE_BYTES)
                        .put(order)
                        .put(row(version.id(), one.start(), one.isLineStart()))
                        .array());
                bytes += version.length() - one.start();
            }
        }
        return bytes;
    }

    private static Iterator<Fresh> freshOf(HostState state, RowSorter rows) {
        return rows.as(row -> {
                    ByteBuffer at = ByteBuffer.wrap(row, row.length - PLACE_BYTES, PLACE_BYTES);
                    FileVersion version = Objects.requireNonNull(state.version(at.getLong()));
                    return new Fresh(version, at.getLong(), at.get() != 0);
                })
                .iterator();
    }

    /** Finds how far filters cover versions. The caller asks in the order of their ids. */
    private static final class KnownInOrder {
        private final Iterator<byte[]> rows;
        private byte @Nullable [] next;

        KnownInOrder(Iterator<byte[]> rows) {
            this.rows = rows;
            advance();
        }

        private void advance() {
            next = rows.hasNext() ? rows.next() : null;
        }

        @Nullable
        Known find(long versionId) {
            Known last = null;
            while (next != null) {
                ByteBuffer at = ByteBuffer.wrap(next);
                long id = at.getLong();
                if (id > versionId) {
                    break;
                }
                last = id == versionId ? new Known(at.getLong(), at.get() != 0) : last;
                advance();
            }
            return last;
        }
    }

    private static void write(FilterWriter writer, VersionReader reader, Iterable<Fresh> fresh) throws IOException {
        LinePieces pieces = new LinePieces(writer);
        reader.expect(StreamSupport.stream(fresh.spliterator(), false)
                .flatMap(LineFilters::extents)
                .iterator());
        for (Fresh each : fresh) {
            pieces.begin(each.version().id(), each.start(), each.isLineStart());
            try {
                read(reader, each, pieces);
            } catch (EncryptedException e) {
                // with other keys than the rest: a reader that has them reads it whole
                pieces.unknown(each.start(), each.version().length());
            }
            pieces.end();
        }
    }

    private static void read(VersionReader reader, Fresh fresh, LinePieces pieces) throws IOException {
        Visitor visitor = new Visitor(pieces, fresh.start());
        for (LogRecord.Extent extent : extents(fresh).toList()) {
            if (extent instanceof LogRecord.ZeroRun) {
                pieces.unknown(Math.max(fresh.start(), extent.start()), extent.end());
            } else {
                reader.readPieces(extent, visitor);
            }
            if (visitor.damage != null) {
                pieces.unknown(visitor.damagedFrom, fresh.version().length());
                return;
            }
        }
    }

    private static Stream<LogRecord.Extent> extents(Fresh fresh) {
        List<LogRecord.Extent> extents = new ArrayList<>();
        for (LogRecord.Extent extent : Extents.of(fresh.version())) {
            if (extent.end() > fresh.start()) {
                extents.add(extent);
            }
        }
        return extents.stream();
    }

    /** Hands on what is not damaged, up to the first bytes that are: nobody searches what is behind them. */
    private static final class Visitor implements VersionReader.PieceVisitor {
        private final LinePieces pieces;
        private final long start;
        private @Nullable CorruptArchiveException damage;
        private long damagedFrom;

        Visitor(LinePieces pieces, long start) {
            this.pieces = pieces;
            this.start = start;
        }

        @Override
        public void good(long position, MemorySegment bytes) throws IOException {
            long from = Math.max(start, position);
            if (damage == null && from < position + bytes.byteSize()) {
                pieces.piece(from, bytes.asSlice(from - position));
            }
        }

        @Override
        public void damaged(long from, long to, CorruptArchiveException cause) {
            if (damage == null) {
                damage = cause;
                damagedFrom = Math.max(start, from);
            }
        }
    }
}
