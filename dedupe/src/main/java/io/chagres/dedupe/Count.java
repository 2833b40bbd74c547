package io.chagres.dedupe;

/** The counts of {@link DedupeTotals}. */
public enum Count {
    /** Directories listed. */
    DIRECTORIES,
    /** Regular files found, of the sizes and names wanted. */
    FILES,
    /** Their sizes, bytes. */
    FILE_BYTES,
    /** Names of files that were found by another name already. */
    HARD_LINKS,
    /** Files whose size others on the same file system have, if one of these is new. */
    CANDIDATES,
    /** Their sizes, bytes. */
    CANDIDATE_BYTES,
    /** The settled part of these. */
    DONE_BYTES,
    /** Files that a database knew, and no file of their size is new: they were not opened. */
    KNOWN,
    /** Files that shared all their blocks with an equal one before. */
    ALREADY_SHARED,
    /** Files that share all their blocks with an equal one now; in a dry run: that could. */
    SHARED_FILES,
    /** Their sizes, without space that is only reserved, and the bytes that were shared of others. */
    SHARED_BYTES,
    /** The blocks that became free, or would, bytes; found by where the data lies, not by sizes. */
    FREED_BYTES,
    /** Files that seemed equal to another and are not. */
    DIFFERENT,
    /** Files that were changed or removed meanwhile and left alone. */
    CHANGED,
    /** Files that could not be read or shared. */
    FAILED,
    /** Files without blocks of their own. */
    INLINE,
    /** Bytes read to compare in user space. */
    READ_BYTES,
    /** Calls of FIDEDUPERANGE. */
    CALLS,
    /** Ranges that share blocks with a range elsewhere now; in a dry run: that could. */
    EXTENTS,
    /** Blocks of zeros that became holes, or would, bytes. */
    ZERO_BYTES
}
