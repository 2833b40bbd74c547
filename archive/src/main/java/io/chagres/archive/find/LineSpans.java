package io.chagres.archive.find;

/** Takes what of a line matches. */
@FunctionalInterface
public interface LineSpans {
    /** Takes a range of the line's bytes. */
    void span(int from, int to);
}
