package io.chagres.dedupe;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where the data of many files of one size lies, found by one worker or several, who claim pieces. Complete for the
 * owner when all have ended.
 */
final class Layouts implements TeamWork {
    /** Files that are claimed at once. */
    static final int PIECE_FILES = 64;

    private final int[] files;
    private final long[] layouts;
    private final int[] pieces;
    private final AtomicInteger claimed;

    /**
     * Prepares for files.
     *
     * @param files borrowed
     * @param from the first of them that is not known yet
     */
    Layouts(int[] files, int from) {
        this.files = files;
        layouts = new long[files.length];
        pieces = new int[files.length];
        claimed = new AtomicInteger(from);
    }

    /** Gives the next piece to the caller alone, as its first index; the count of files if none is left. */
    int claim() {
        return Math.min(claimed.getAndAdd(PIECE_FILES), files.length);
    }

    @Override
    public boolean isWorthHelp() {
        return claimed.get() < files.length - PIECE_FILES;
    }

    int count() {
        return files.length;
    }

    int file(int index) {
        return files[index];
    }

    void set(int index, long layout, int extents) {
        layouts[index] = layout;
        pieces[index] = extents;
    }

    /** Returns the layout of a file, {@link Extents#UNKNOWN} if it could not be found. */
    long layout(int index) {
        return layouts[index];
    }

    int pieces(int index) {
        return pieces[index];
    }
}
