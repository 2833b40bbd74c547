package io.chagres.archive;

/** The content of an object of an archive, as far as it matters for the right to read it. */
public enum ObjectKind {
    /** A commit: records in its header, bytes of files behind it. */
    COMMIT,
    /** The condensed log: names, places, checksums. */
    RECORDS,
    /** Bytes of files, or an index that tells other programs where they are. */
    BYTES,
    /** Objects that every reader of the archive may read: hosts and heartbeats. */
    OPEN
}
