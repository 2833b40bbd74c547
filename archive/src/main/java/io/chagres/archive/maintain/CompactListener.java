package io.chagres.archive.maintain;

import io.chagres.archive.CorruptArchiveException;

/** Hears how compacting proceeds. */
@FunctionalInterface
public interface CompactListener {
    /** Bytes were written into new objects. */
    default void progress(long doneBytes, long totalBytes) {}

    /** Something stays as it is, because what it needs is damaged. */
    void skipped(String subject, CorruptArchiveException cause);

    /** An object of an earlier compaction is damaged or gone: it is made again, of commits that say the same. */
    default void madeAgain(String object, CorruptArchiveException cause) {}

    /**
     * Moments before a checkpoint are lost, with the histories that led to it; those after it can be shown.
     *
     * @param checkpoint its key
     * @param fromMs the first moment that can be shown, milliseconds since 1970
     */
    default void momentsLost(String checkpoint, long fromMs) {}

    /**
     * Something is about to be done; in a dry run it would be.
     *
     * @param subject an object or a range of a file
     * @param bytes size of an object to remove, else bytes of the file
     */
    default void step(CompactAction action, String subject, long bytes) {}
}
