package io.chagres.archive;

/** What an object of an archive holds, as far as it matters to who may read it. */
public enum ObjectKind {
    /** A commit: records in its header, bytes of files behind it. */
    COMMIT,
    /** What a log was condensed into: names, places, checksums. */
    RECORDS,
    /** Bytes of files, or what tells other programs where they are. */
    BYTES,
    /** What anybody may read who may read the archive: hosts and heartbeats. */
    OPEN
}
