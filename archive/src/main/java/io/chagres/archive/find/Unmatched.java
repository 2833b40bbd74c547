package io.chagres.archive.find;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.RowSorter;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Says which bytes of a host's versions need not be read: the filters say that no line there has what is looked for.
 * Where there is no filter, or a damaged one, everything is read. Immutable.
 */
public final class Unmatched {
    /** Nothing is known. */
    public static final Unmatched NONE = new Unmatched(null, 0);

    /** The most tokens of a literal that are looked for: the chance that others look like both is 1 in 10,000. */
    private static final int MAX_TOKENS = 2;

    /** More rows would be most of a filter, and many requests. */
    private static final int MAX_ROWS = 24;

    /** A range of positions. */
    public record Range(long start, long end) {}

    /** Null when there are none. */
    private final @Nullable VersionRanges ranges;

    private final long nowhereUntil;

    private Unmatched(@Nullable VersionRanges ranges, long nowhereUntil) {
        this.ranges = ranges;
        this.nowhereUntil = nowhereUntil;
    }

    /**
     * Asks the filters of a host: one list, and a few requests for each.
     *
     * @param tables help to sort
     * @param damage hears of filters that are damaged, which then say nothing
     */
    public static Unmatched of(
            BlobStore store,
            String hostId,
            LinePattern pattern,
            LocalTables tables,
            Consumer<CorruptArchiveException> damage)
            throws IOException {
        List<long[]> wanted = tokens(pattern);
        if (wanted.isEmpty()) {
            return NONE;
        }
        try (RowSorter ranges = tables.sorter()) {
            long told = told(store, hostId, wanted, ranges, damage);
            return new Unmatched(ranges.size() == 0 ? null : VersionRanges.of(ranges), Math.max(0, told));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Asks all filters; returns up to which commit they have everything, and nothing of it may match. */
    private static long told(
            BlobStore store,
            String hostId,
            List<long[]> wanted,
            RowSorter ranges,
            Consumer<CorruptArchiveException> damage)
            throws IOException {
        long told = 0;
        for (BlobInfo filter : LineFilters.list(store, hostId)) {
            CommitSpan span = Objects.requireNonNull(ArchiveLayout.filterOf(filter.key()));
            boolean nowhere = false;
            try {
                nowhere = ask(new FilterReader(store, filter), wanted, ranges);
            } catch (CorruptArchiveException e) {
                damage.accept(e);
            } catch (NoSuchBlobException | EncryptedException e) {
                // another one took it over after it was listed; or it says nothing without a key
            }
            told = nowhere && told == span.from() ? span.to() : -1;
        }
        return told;
    }

    /**
     * Returns the commit up to which nothing can match, because the filters cover everything up to it; 0 when they do
     * not.
     */
    public long nowhereUntil() {
        return nowhereUntil;
    }

    /** Returns the tokens of each literal; nothing when a line need not have any. */
    private static List<long[]> tokens(LinePattern pattern) {
        List<long[]> wanted = new ArrayList<>();
        int rows = 0;
        for (byte[] literal : pattern.literals()) {
            long[] tokens = LineTokens.of(literal);
            long[] some = Arrays.copyOf(tokens, Math.min(MAX_TOKENS, tokens.length));
            rows += some.length;
            if (some.length == 0 || rows > MAX_ROWS) {
                return List.of();
            }
            wanted.add(some);
        }
        return wanted;
    }

    /** Takes what cannot match; says whether that is everything, and the filter is whole. */
    private static boolean ask(FilterReader filter, List<long[]> wanted, RowSorter ranges) throws IOException {
        boolean nowhere = true;
        boolean ends = false;
        for (List<FilterFormat.Piece> pieces = filter.next(); !pieces.isEmpty(); pieces = filter.next()) {
            ends = filter.isLast(pieces);
            Map<Integer, ByteBuffer> rows = rows(filter, pieces, wanted);
            for (FilterFormat.Piece piece : pieces) {
                if (piece.columns() > 0 && wanted.stream().noneMatch(tokens -> hasAll(piece, tokens, rows))) {
                    ranges.add(VersionRanges.row(piece.versionId(), piece.start(), piece.end()));
                } else {
                    nowhere &= piece.versionId() == FilterFormat.END;
                }
            }
        }
        return nowhere && ends;
    }

    private static Map<Integer, ByteBuffer> rows(
            FilterReader filter, List<FilterFormat.Piece> pieces, List<long[]> wanted) throws IOException {
        Map<Integer, ByteBuffer> rows = new HashMap<>();
        if (pieces.stream().anyMatch(piece -> piece.columns() > 0)) {
            for (long[] tokens : wanted) {
                for (long token : tokens) {
                    int row = FilterFormat.row(token);
                    if (!rows.containsKey(row)) {
                        rows.put(row, FilterFormat.buffer(filter.row(row)));
                    }
                }
            }
        }
        return rows;
    }

    private static boolean hasAll(FilterFormat.Piece piece, long[] tokens, Map<Integer, ByteBuffer> rows) {
        for (long token : tokens) {
            int column = piece.column() + FilterFormat.column(token, piece.columns());
            ByteBuffer row = Objects.requireNonNull(rows.get(FilterFormat.row(token)));
            if (!FilterFormat.has(row, column * FilterFormat.BLOCK_BYTES, token)) {
                return false;
            }
        }
        return true;
    }

    /** Returns what is left of a range of a version, in order. */
    public List<Range> rest(long versionId, long start, long end) {
        if (ranges == null) {
            return start < end ? List.of(new Range(start, end)) : List.of();
        }
        return ranges.rest(versionId, start, end);
    }
}
