package io.chagres.archive;

import java.util.ArrayList;
import java.util.List;

/**
 * Commits of a host that follow each other. Immutable.
 *
 * @param from the commit before the first
 * @param to the last
 */
public record CommitSpan(long from, long to) {
    /** Returns the rows that commits make: no commit is missing within one.
     *
     * @param commits their numbers, ascending
     */
    public static List<CommitSpan> rows(Iterable<Long> commits) {
        List<CommitSpan> rows = new ArrayList<>();
        long first = 0;
        long last = -1;
        for (long seq : commits) {
            if (seq != last + 1) {
                addRow(rows, first, last);
                first = seq;
            }
            last = seq;
        }
        addRow(rows, first, last);
        return rows;
    }

    private static void addRow(List<CommitSpan> rows, long first, long last) {
        if (first > 0) {
            rows.add(new CommitSpan(first - 1, last));
        }
    }

    /** Returns what the commits are called in messages. */
    @Override
    public String toString() {
        return to == from + 1 ? "commit " + to : "commits " + (from + 1) + " to " + to;
    }

    /** Says whether these are all of some others, and more. */
    public boolean exceeds(CommitSpan other) {
        return from <= other.from && to >= other.to && !equals(other);
    }
}
