package io.chagres.archive;

import io.chagres.linux.Pathname;

/**
 * Is one fact in a commit. Records are applied in order; runs of one version follow each other without gaps. All
 * checksums are CRC32C of uncompressed bytes. Immutable; arrays are not copied and must not be changed.
 */
public sealed interface Record {
    /** What a name leads to. */
    enum Kind {
        FILE,
        DIRECTORY,
        SYMLINK
    }

    /** Why a version takes no more bytes. */
    enum Reason {
        /** Read to its end; its file left the watched tree and may come back. */
        SEALED,
        /** The file became shorter. */
        TRUNCATED,
        /** Bytes that were shipped changed. */
        REWRITTEN,
        /** The file does not exist any more. */
        GONE
    }

    /** A shipper began to write. */
    record IncarnationOpened(
            byte[] incarnation,
            String hostName,
            String machineId,
            String productUuid,
            String bootId,
            long pid,
            String version,
            long timeMs)
            implements Record {}

    /** The shipper ended by itself; {@code drained}: everything it had seen was acknowledged. */
    record IncarnationClosed(boolean drained) implements Record {}

    /** A name exists; one that existed before now means this. */
    record NameAdded(Pathname path, Kind kind, long versionId, Pathname target, Attributes attributes)
            implements Record {}

    /** A name is gone, of a directory with everything below it. */
    record NameRemoved(Pathname path, boolean movedOut) implements Record {}

    /** A name moved, of a directory with everything below it; a name that was there is replaced. */
    record NameMoved(Pathname from, Pathname to) implements Record {}

    /** A version begins at {@code startPosition}; what lies before it is not archived. */
    record VersionOpened(
            long versionId, FileKey key, long previousVersion, long startPosition, Pathname path, Attributes attributes)
            implements Record {}

    /** A version takes no more bytes. */
    record VersionClosed(long versionId, Reason reason) implements Record {}

    /** Attributes changed, of a version or, when its id is 0, of the directory at a path. */
    record AttributesChanged(long versionId, Pathname path, Attributes attributes) implements Record {}

    /** Where a range of a version's bytes comes from. Extents of a version follow each other without gaps. */
    sealed interface Extent extends Record {
        /** Returns the version the bytes belong to. */
        long versionId();

        /** Returns the position of the first byte. */
        long start();

        /** Returns the number of bytes, at least 1. */
        long length();

        /** Returns the modification time the file had when they were read. */
        long mtimeNs();

        /** Returns the position after the last byte. */
        default long end() {
            return start() + length();
        }
    }

    /** Bytes in the data area of commit {@code seq} (0: the commit the record is in). */
    record Run(long versionId, long start, long length, long seq, long dataOffset, int crc, long mtimeNs)
            implements Extent {}

    /** Bytes in a data object; a checksum per 256 KiB of it. */
    record ObjectRun(
            long versionId,
            long start,
            long length,
            long unique,
            long objectLength,
            Codec codec,
            int[] crcs,
            long mtimeNs)
            implements Extent {}

    /** Zeros that are not stored: a hole. */
    record ZeroRun(long versionId, long start, long length, long mtimeNs) implements Extent {}

    /** Bytes equal to those of an older version, proven when this was written; at most 256 KiB. */
    record CopyRun(
            long versionId, long start, long length, long sourceVersion, long sourceStart, int crc, long mtimeNs)
            implements Extent {}

    /** The version is a compressed file whose content is another version. */
    record Derived(long versionId, long fromVersion, String codec) implements Record {}

    /** In a checkpoint: when a version was opened and last told of, and the name it had last (empty: none). */
    record VersionTimes(long versionId, long openedMs, long changedMs, Pathname lastPath) implements Record {}
}
