package io.chagres.archive.find;

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
 * What of a host's versions need not be read, because no line of it has what is looked for: the filters say so. Where
 * there is none, or it is damaged, everything is read. Immutable.
 */
public final class Unmatched {
    /** Nothing is known. */
    public static final Unmatched NONE = new Unmatched(Map.of());

    /** So many tokens of a literal are looked for: the chance that others look like both is 1 in 10,000. */
    private static final int MAX_TOKENS = 2;

    /** More rows would be most of a filter, and many requests. */
    private static final int MAX_ROWS = 24;

    /** A range of positions. */
    public record Range(long start, long end) {}

    /** In order; they may overlap. */
    private final Map<Long, List<Range>> ranges;

    private Unmatched(Map<Long, List<Range>> ranges) {
        this.ranges = ranges;
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
        for (BlobInfo filter : LineFilters.list(store, hostId)) {
            try {
                ask(new FilterReader(store, filter), wanted, ranges);
            } catch (CorruptArchiveException e) {
                damage.accept(e);
            } catch (NoSuchBlobException | EncryptedException e) {
                // another one took it over after it was listed; or it says nothing to who has no key
            }
        }
        ranges.values().forEach(each -> each.sort(Comparator.comparingLong(Range::start)));
        return new Unmatched(ranges);
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

    private static void ask(FilterReader filter, List<long[]> wanted, Map<Long, List<Range>> ranges)
            throws IOException {
        for (List<FilterFormat.Piece> pieces = filter.next(); !pieces.isEmpty(); pieces = filter.next()) {
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
            for (FilterFormat.Piece piece : pieces) {
                if (piece.columns() > 0 && wanted.stream().noneMatch(tokens -> hasAll(piece, tokens, rows))) {
                    ranges.computeIfAbsent(piece.versionId(), id -> new ArrayList<>())
                            .add(new Range(piece.start(), piece.end()));
                }
            }
        }
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
