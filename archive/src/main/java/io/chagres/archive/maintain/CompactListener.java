package io.chagres.archive.maintain;

import io.chagres.archive.CorruptArchiveException;

/** Hears how compacting proceeds. */
public interface CompactListener {
    /** Bytes were written into new objects. */
    void progress(long doneBytes, long totalBytes);

    /** Something stays as it is, because what it needs is damaged. */
    void skipped(String subject, CorruptArchiveException cause);

    /** An object of an earlier compaction is damaged or gone: it is made again, of commits that say the same. */
    default void madeAgain(String object, CorruptArchiveException cause) {}

    /**
     * Something is about to be done; in a dry run it would be.
     *
     * @param subject an object or a range of a file
     * @param bytes size of an object to remove, else bytes of the file
     */
    default void step(CompactAction action, String subject, long bytes) {}
}
