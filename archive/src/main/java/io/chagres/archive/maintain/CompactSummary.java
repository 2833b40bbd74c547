package io.chagres.archive.maintain;

/**
 * Counts what was done, or would be.
 *
 * @param seq the commit up to which the host was compacted
 * @param objectsWritten new data objects
 * @param contentBytes bytes of files in them
 * @param storedBytes their size in the store; 0 in a dry run
 * @param expired what retention did
 * @param commitsRemoved commits
 * @param checkpointsRemoved checkpoints
 * @param objectsRemoved data objects
 * @param removedBytes size of all that was removed, but for filters
 */
public record CompactSummary(
        long seq,
        long objectsWritten,
        long contentBytes,
        long storedBytes,
        CompactExpired expired,
        long commitsRemoved,
        long checkpointsRemoved,
        long objectsRemoved,
        long removedBytes) {}
