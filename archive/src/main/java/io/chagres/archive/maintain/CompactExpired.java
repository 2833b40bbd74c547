package io.chagres.archive.maintain;

/**
 * Counts what retention did, or would do.
 *
 * @param versions versions that were over, whole
 * @param bytes bytes of files
 * @param laterBytes bytes that were declared expired and go later
 */
public record CompactExpired(long versions, long bytes, long laterBytes) {
    /** Nothing. */
    public static final CompactExpired NOTHING = new CompactExpired(0, 0, 0);
}
