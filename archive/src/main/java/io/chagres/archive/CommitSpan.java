package io.chagres.archive;

/**
 * Commits of a host that follow each other. Immutable.
 *
 * @param from the commit before the first
 * @param to the last
 */
public record CommitSpan(long from, long to) {
    /** Says whether these are all of some others, and more. */
    public boolean exceeds(CommitSpan other) {
        return from <= other.from && to >= other.to && !equals(other);
    }
}
