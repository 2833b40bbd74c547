package io.chagres.archive;

/** What an object of an archive holds, as far as it matters for the right to read it. */
public enum ObjectKind {
    /** A commit: records in its header, bytes of files behind it. */
    COMMIT,
    /** What a log was condensed into: names, places, checksums. */
    RECORDS,
    /** Bytes of files, or an index that tells other programs where they are. */
    BYTES,
    /** Objects that every reader of the archive may read: hosts and heartbeats. */
    OPEN
}
