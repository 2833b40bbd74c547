package io.chagres.spark;

import io.chagres.archive.find.LinePattern;
import java.io.Serializable;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.sql.sources.And;
import org.apache.spark.sql.sources.EqualNullSafe;
import org.apache.spark.sql.sources.EqualTo;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.GreaterThan;
import org.apache.spark.sql.sources.GreaterThanOrEqual;
import org.apache.spark.sql.sources.In;
import org.apache.spark.sql.sources.LessThan;
import org.apache.spark.sql.sources.LessThanOrEqual;
import org.apache.spark.sql.sources.Not;
import org.apache.spark.sql.sources.Or;
import org.apache.spark.sql.sources.StringContains;
import org.apache.spark.sql.sources.StringEndsWith;
import org.apache.spark.sql.sources.StringStartsWith;
import org.jspecify.annotations.Nullable;

/**
 * Applies Spark's filters before a row is made: it may take too much, since Spark looks again, never too little.
 * Immutable.
 *
 * @param filters all of them hold for a row that is wanted
 */
record RowFilter(List<Filter> filters) implements Serializable {
    private static final char REPLACED = '\uFFFD';
    private static final LinePattern.Options FIXED = new LinePattern.Options(true, false, false, false, false);

    /** Says whether a row may be wanted, by the known values of some columns. */
    boolean mayHold(Map<String, String> known) {
        return filters.stream().allMatch(each -> mayHold(each, known));
    }

    private static boolean mayHold(Filter filter, Map<String, String> known) {
        return switch (filter) {
            case And and -> mayHold(and.left(), known) && mayHold(and.right(), known);
            case Or or -> mayHold(or.left(), known) || mayHold(or.right(), known);
            case Not not -> !mustHold(not.child(), known);
            case EqualNullSafe equal ->
                isUnknown(equal.attribute(), known) || Objects.equals(equal.value(), known.get(equal.attribute()));
            case EqualTo equal ->
                isUnknown(equal.attribute(), known) || Objects.equals(equal.value(), known.get(equal.attribute()));
            case In in ->
                isUnknown(in.attribute(), known) || Arrays.asList(in.values()).contains(known.get(in.attribute()));
            case StringStartsWith starts ->
                isUnknown(starts.attribute(), known)
                        || value(starts.attribute(), known).startsWith(starts.value());
            case StringEndsWith ends ->
                isUnknown(ends.attribute(), known)
                        || value(ends.attribute(), known).endsWith(ends.value());
            case StringContains contains ->
                isUnknown(contains.attribute(), known)
                        || value(contains.attribute(), known).contains(contains.value());
            default -> true;
        };
    }

    /** Says whether a filter holds for every row, as far as the host alone says it: paths need not be text. */
    private static boolean mustHold(Filter filter, Map<String, String> known) {
        return switch (filter) {
            case And and -> mustHold(and.left(), known) && mustHold(and.right(), known);
            case Or or -> mustHold(or.left(), known) || mustHold(or.right(), known);
            case Not not -> !mayHold(not.child(), known);
            case EqualTo equal -> equal.attribute().equals("host") && mayHold(equal, known);
            case In in -> in.attribute().equals("host") && mayHold(in, known);
            case StringStartsWith starts -> starts.attribute().equals("host") && mayHold(starts, known);
            case StringEndsWith ends -> ends.attribute().equals("host") && mayHold(ends, known);
            case StringContains contains -> contains.attribute().equals("host") && mayHold(contains, known);
            default -> false;
        };
    }

    /**
     * Returns a time before which no row is wanted, milliseconds since 1970; {@link Long#MIN_VALUE} when none is known.
     */
    long committedFromMs() {
        return filters.stream().mapToLong(RowFilter::fromMs).max().orElse(Long.MIN_VALUE);
    }

    /** Returns a time after which no row is wanted; {@link Long#MAX_VALUE} when none is known. */
    long committedToMs() {
        return filters.stream().mapToLong(RowFilter::toMs).min().orElse(Long.MAX_VALUE);
    }

    private static long fromMs(Filter filter) {
        return switch (filter) {
            case And and -> Math.max(fromMs(and.left()), fromMs(and.right()));
            case EqualTo equal -> timeMs(equal.attribute(), equal.value(), Long.MIN_VALUE);
            case GreaterThan greater -> timeMs(greater.attribute(), greater.value(), Long.MIN_VALUE);
            case GreaterThanOrEqual greater -> timeMs(greater.attribute(), greater.value(), Long.MIN_VALUE);
            default -> Long.MIN_VALUE;
        };
    }

    private static long toMs(Filter filter) {
        return switch (filter) {
            case And and -> Math.min(toMs(and.left()), toMs(and.right()));
            case EqualTo equal -> timeMs(equal.attribute(), equal.value(), Long.MAX_VALUE);
            case LessThan less -> timeMs(less.attribute(), less.value(), Long.MAX_VALUE);
            case LessThanOrEqual less -> timeMs(less.attribute(), less.value(), Long.MAX_VALUE);
            default -> Long.MAX_VALUE;
        };
    }

    private static long timeMs(String column, Object value, long unknown) {
        return !column.equals("commit_time")
                ? unknown
                : switch (value) {
                    case Timestamp time -> time.getTime();
                    case Instant time -> time.toEpochMilli();
                    default -> unknown;
                };
    }

    private static boolean isUnknown(String column, Map<String, String> known) {
        return !known.containsKey(column);
    }

    private static String value(String column, Map<String, String> known) {
        return Objects.requireNonNull(known.get(column));
    }

    /** Says whether a value is the text that was asked for: bytes that are no UTF-8 come as another character. */
    private static boolean isKnown(Object value) {
        return value instanceof String text && text.indexOf(REPLACED) < 0;
    }

    /** Returns what every line that is wanted matches: of the filters on lines the one with the longest literals. */
    @Nullable
    LinePattern pattern() {
        List<String> best = List.of();
        for (Filter each : filters) {
            List<String> literals = literals(each);
            best = shortest(literals) > shortest(best) ? literals : best;
        }
        return best.isEmpty() ? null : LinePattern.of(best, FIXED);
    }

    private static int shortest(List<String> literals) {
        return literals.stream().mapToInt(String::length).min().orElse(0);
    }

    /** Returns texts such that a line holds one of them if the filter holds; none when no such are known. */
    private static List<String> literals(Filter filter) {
        return switch (filter) {
            case And and -> {
                List<String> left = literals(and.left());
                List<String> right = literals(and.right());
                yield shortest(left) >= shortest(right) ? left : right;
            }
            case Or or -> {
                List<String> both = new ArrayList<>(literals(or.left()));
                List<String> right = literals(or.right());
                boolean known = !both.isEmpty() && !right.isEmpty();
                both.addAll(right);
                yield known ? both : List.of();
            }
            case EqualTo equal -> ofLine(equal.attribute(), equal.value());
            case In in -> ofLine(in.attribute(), in.values());
            case StringStartsWith starts -> ofLine(starts.attribute(), starts.value());
            case StringEndsWith ends -> ofLine(ends.attribute(), ends.value());
            case StringContains contains -> ofLine(contains.attribute(), contains.value());
            default -> List.of();
        };
    }

    private static List<String> ofLine(String column, Object... values) {
        boolean texts = Arrays.stream(values).allMatch(RowFilter::isKnown);
        return column.equals("line") && texts
                ? Arrays.stream(values).map(String.class::cast).toList()
                : List.of();
    }
}
