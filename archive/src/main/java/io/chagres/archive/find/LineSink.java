package io.chagres.archive.find;

import java.io.IOException;

/** Takes the lines that a search finds in one file, in order. */
public interface LineSink {
    /**
     * A line.
     *
     * @param bytes without its newline; the taker's
     * @param position of its first byte in the file
     * @param number counted from 1 at the first byte that was searched; 0 when lines are not counted
     * @param matches whether it was found, or is beside one that was
     * @param ends whether it has its newline, which the last one of a file may lack
     */
    record Line(byte[] bytes, long position, long number, boolean matches, boolean ends) {}

    /** Takes a line. */
    void line(Line line) throws IOException;

    /** Says whether lines are taken at all: none is made for who only wants to know how many there are. */
    default boolean takesLines() {
        return true;
    }

    /** Hears that lines were left out between those around it. */
    default void gap() throws IOException {}

    /** Hears that something was found at or behind a zero byte: the file is no text, and no more of it is shown. */
    default void binary(long position) throws IOException {}
}
