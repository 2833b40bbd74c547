package io.chagres.ship.file;

import io.chagres.linux.Pathname;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * Counts the bytes that were seen and went before anybody could read them, for as long as the shipper runs, and reports
 * each file. Confined to the shipper's thread.
 */
public final class Losses {
    /** A number of bytes that nobody knows. */
    static final long UNKNOWN = Long.MIN_VALUE;

    private static final int LATEST = 5;

    private final Consumer<String> problems;
    private final Deque<String> latest = new ArrayDeque<>();
    private long files;
    private long bytes;

    /** Begins with none. */
    public Losses(Consumer<String> problems) {
        this.problems = problems;
    }

    /**
     * Counts a file.
     *
     * @param file a path of it
     * @param ofBytes how many are lost; 0 when that is not known, which counts as one
     * @param how the event in words, the part of the sentence behind its path, with the space between
     */
    public void lost(String file, long ofBytes, String how) {
        files++;
        bytes += Math.max(1, ofBytes);
        if (latest.size() == LATEST) {
            latest.removeFirst();
        }
        latest.addLast(file);
        problems.accept(file + how);
    }

    /**
     * Counts a file that went before anybody could read it, unless nothing of it is missing.
     *
     * @param ofBytes how many the archive lacks; {@link #UNKNOWN} counts as one
     * @param how as for {@link #lost}
     */
    void unread(Pathname file, long ofBytes, String how) {
        if (ofBytes != 0) {
            boolean isKnown = ofBytes > 0;
            lost(
                    file.toString(),
                    isKnown ? ofBytes : 0,
                    how + ": its " + (isKnown ? ofBytes + " " : "") + "bytes are lost");
        }
    }

    /** Returns how many files lost bytes. */
    public long files() {
        return files;
    }

    /** Returns the number of bytes lost; a file whose number nobody knows counts as one. */
    public long bytes() {
        return bytes;
    }

    /** Returns the paths of those that lost some last, the newest at the end. */
    public List<String> latest() {
        return List.copyOf(latest);
    }
}
