package io.chagres.archive.find;

import java.io.Serializable;

/**
 * Lines of a version. Immutable.
 *
 * @param path the name to show, as its bytes
 * @param added whether only what is new counts: no line that the version begins with as the copy of another's
 * @param over whether a line that goes over the start counts as well; otherwise it is another range's
 * @param start lines that begin here or behind it
 * @param end and before this
 * @param limit bytes from here on do not belong to the question
 * @param rest whether what the limit cuts off counts as a line
 */
public record LineRange(
        byte[] path, long versionId, boolean added, boolean over, long start, long end, long limit, boolean rest)
        implements Serializable {
    /** Lines that begin in a range, to their ends or to a limit. */
    public LineRange(byte[] path, long versionId, long start, long end, long limit) {
        this(path, versionId, false, false, start, end, limit, true);
    }

    /** Returns the same lines as far as they begin in a part of the range. */
    public LineRange part(long from, long to) {
        return new LineRange(path, versionId, added, over && from == start, from, to, limit, rest);
    }
}
