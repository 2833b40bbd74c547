package io.chagres.archive.find;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Says which bytes of a host's versions need not be read: the filters say that no line there has what is looked for.
 * Where there is no filter, or a damaged one, everything is read. Immutable.
 */
public final class Unmatched {
    /** Nothing is known. */
    public static final Unmatched NONE = new Unmatched(Map.of(), 0);

    /** The most tokens of a literal that are looked for: the chance that others look like both is 1 in 10,000. */
    private static final int MAX_TOKENS = 2;

    /** More rows would be most of a filter, and many requests. */
    private static final int MAX_ROWS = 24;

    /** A range of positions. */
    public record Range(long start, long end) {}

    /** In order; they may overlap. */
    private final Map<Long, List<Range>> ranges;

    private final long nowhereUntil;

    private Unmatched(Map<Long, List<Range>> ranges, long nowhereUntil) {
        this.ranges = ranges;
        this.nowhereUntil = nowhereUntil;
    }

    /**
     * Asks the filters of a host: one list, and a few requests for each.
     *
     * @param damage hears of filters that are damaged, which then say nothing
     */
    public static Unmatched of(
            BlobStore store, String hostId, LinePattern pattern, Consumer<CorruptArchiveException> damage)
            throws IOException {
        List<long[]> wanted = tokens(pattern);
        if (wanted.isEmpty()) {
            return NONE;
        }
        Map<Long, List<Range>> ranges = new HashMap<>();
        long told = 0; // up to this commit everything, and nothing of it may match
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
        ranges.values().forEach(each -> each.sort(Comparator.comparingLong(Range::start)));
        return new Unmatched(ranges, Math.max(0, told));
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
    private static boolean ask(FilterReader filter, List<long[]> wanted, Map<Long, List<Range>> ranges)
            throws IOException {
        boolean nowhere = true;
        boolean ends = false;
        for (List<FilterFormat.Piece> pieces = filter.next(); !pieces.isEmpty(); pieces = filter.next()) {
            ends = filter.isLast(pieces);
            Map<Integer, ByteBuffer> rows = rows(filter, pieces, wanted);
            for (FilterFormat.Piece piece : pieces) {
                if (piece.columns() > 0 && wanted.stream().noneMatch(tokens -> hasAll(piece, tokens, rows))) {
                    ranges.computeIfAbsent(piece.versionId(), id -> new ArrayList<>())
                            .add(new Range(piece.start(), piece.end()));
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
        List<Range> rest = new ArrayList<>();
        long at = start;
        for (Range each : ranges.getOrDefault(versionId, List.of())) {
            if (each.start > at && at < end) {
                rest.add(new Range(at, Math.min(each.start, end)));
            }
            at = Math.max(at, each.end);
        }
        if (at < end) {
            rest.add(new Range(at, end));
        }
        return rest;
    }
}
