package io.chagres.archive;

import io.chagres.linux.Pathname;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One fact in a commit or checkpoint. Records are applied in order; extents of one version follow each other
 * without gaps. All checksums are CRC32C of uncompressed bytes, all times since 1970. Immutable; arrays are not copied
 * and must not be changed. The bytes of every record are in docs/FORMAT.md.
 */
public sealed interface LogRecord {
    /** Largest run within a commit, largest copy, and the bytes of a data object that one checksum covers. */
    int PIECE_BYTES = 256 * 1024;

    /** The kind of file that a name leads to. */
    enum Kind {
        /** A regular file: a version. */
        FILE,
        /** A directory. */
        DIRECTORY,
        /** A symbolic link. */
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
        /** The file no longer exists. */
        GONE
    }

    /**
     * A shipper began to write.
     *
     * @param incarnation 16 random bytes that name this run of the shipper
     * @param hostName what the host is called
     * @param machineId /etc/machine-id
     * @param productUuid DMI product UUID, empty when unknown
     * @param bootId the kernel's boot id
     * @param pid process id
     * @param version of the program
     * @param timeMs when it began
     */
    record IncarnationOpened(
            byte[] incarnation,
            String hostName,
            String machineId,
            String productUuid,
            String bootId,
            long pid,
            String version,
            long timeMs)
            implements LogRecord {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof IncarnationOpened that
                    && Arrays.equals(incarnation, that.incarnation)
                    && hostName.equals(that.hostName)
                    && machineId.equals(that.machineId)
                    && productUuid.equals(that.productUuid)
                    && bootId.equals(that.bootId)
                    && pid == that.pid
                    && version.equals(that.version)
                    && timeMs == that.timeMs;
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(incarnation);
        }
    }

    /** The shipper ended by itself; {@code drained}: everything it had seen was acknowledged. */
    record IncarnationClosed(boolean drained) implements LogRecord {}

    /**
     * Everything from here on is encrypted to these recipients, so that a compaction knows them.
     *
     * @param bytes recipients of everything, {@code age1...}, with a space between; empty when nothing is encrypted
     * @param own the recipient of the shipper, who can open records but no bytes; empty when nothing is encrypted
     */
    record Recipients(String bytes, String own) implements LogRecord {
        /** Nothing is encrypted. */
        public static final Recipients NONE = new Recipients("", "");
    }

    /**
     * A name exists; one that existed before now means this, but a directory keeps what is in it.
     *
     * @param path absolute path
     * @param kind what it leads to
     * @param versionId the version of a file, else 0
     * @param target where a symbolic link leads as it is written, else empty
     * @param attributes of a directory or link; those of a file belong to its version
     */
    record NameAdded(Pathname path, Kind kind, long versionId, Pathname target, InodeAttributes attributes)
            implements LogRecord {
        /** Says whether it leads to what its kind has: a file to a version, a link to a target, and nothing else. */
        public boolean isOfItsKind() {
            return (kind == Kind.FILE) == versionId > 0 && (target.length() == 0 || kind == Kind.SYMLINK);
        }
    }

    /** Says whether a path from a log can be a name: absolute, without empty components, {@code .} and {@code ..}. */
    static boolean isName(Pathname path) {
        int start = 1;
        boolean is = path.isAbsolute();
        for (int i = 1; is && i <= path.length() && path.length() > 1; i++) {
            if (i == path.length() || path.byteAt(i) == '/') {
                int length = i - start;
                boolean dots = length == 1 || (length == 2 && path.byteAt(i - 1) == '.');
                is = length > 0 && !(dots && path.byteAt(start) == '.');
                start = i + 1;
            }
        }
        return is;
    }

    /** A name is gone, of a directory with everything below it; {@code movedOut}: to where nobody looks. */
    record NameRemoved(Pathname path, boolean movedOut) implements LogRecord {}

    /** A name moved, of a directory with everything below it; a name that was there is replaced. */
    record NameMoved(Pathname from, Pathname to) implements LogRecord {}

    /**
     * A version of a file begins.
     *
     * @param versionId positive, greater than that of every version before it
     * @param key the file
     * @param previousVersion the version of the same file it takes over from, or 0
     * @param startPosition position of its first byte; what lies before it is not archived
     * @param path the name the file had, empty when none
     * @param attributes of the file
     */
    record VersionOpened(
            long versionId,
            FileKey key,
            long previousVersion,
            long startPosition,
            Pathname path,
            InodeAttributes attributes)
            implements LogRecord {}

    /** A version takes no more bytes; extents that follow all the same let it grow again (a sealed file came back). */
    record VersionClosed(long versionId, Reason reason) implements LogRecord {}

    /**
     * InodeAttributes changed: of a version, or when its id is 0 of the directory or link at a path.
     *
     * @param path empty for a version
     */
    record AttributesChanged(long versionId, Pathname path, InodeAttributes attributes) implements LogRecord {}

    /**
     * The version is a compressed file whose content is another version.
     *
     * @param codec gz, zst, xz or bz2
     */
    record Derived(long versionId, long fromVersion, String codec) implements LogRecord {}

    /**
     * When the log recorded a version, and its last name. Not in commits.
     *
     * @param openedMs when it was opened; {@link #AS_BEFORE} where that is not of this span
     * @param changedMs when the log last recorded its bytes, attributes or end
     * @param lastPath the last name it had, if it has none now; else empty
     */
    record VersionTimes(long versionId, long openedMs, long changedMs, Pathname lastPath) implements LogRecord {
        /** Stands for the time that is known already. */
        public static final long AS_BEFORE = Long.MIN_VALUE;
    }

    /** The retention of a host. Only in checkpoints.
     *
     * @param nextVersionId greater than that of every version there was
     * @param horizonMs versions that ended before this time of the store may be gone
     */
    record Retention(long nextVersionId, long horizonMs) implements LogRecord {}

    /** The retention of a version, by the clock of the store. Only in checkpoints.
     *
     * @param expiredBefore the bytes before this position are expired; those that are still stored go later
     * @param expiredMs when that was decided; 0 before the first time
     * @param endedMs a time at which the version was over and had no name; 0 when none is known
     */
    record VersionRetention(long versionId, long expiredBefore, long expiredMs, long endedMs) implements LogRecord {}

    /**
     * A version has grown to a length. Stands for its extents where they are recorded elsewhere. Only in tables and
     * histories.
     *
     * @param length the position after its last byte
     * @param firstSeq the first commit behind the checkpoint that has extents of it; 0 for none, and in histories
     * @param lastSeq the last of them
     */
    record VersionLength(long versionId, long length, long mtimeNs, long firstSeq, long lastSeq) implements LogRecord {
        /** Makes one that does not say which commits have extents. */
        public VersionLength(long versionId, long length, long mtimeNs) {
            this(versionId, length, mtimeNs, 0, 0);
        }
    }

    /**
     * How many names a version has; without such a record it has one. Only in checkpoints and tables.
     *
     * @param names 0, or 2 and more
     */
    record VersionNames(long versionId, long names) implements LogRecord {}

    /**
     * Begins a moment: the records up to the next one are the changes from the moment before to the state after a
     * commit. Only in histories.
     *
     * @param seq the commit
     * @param timeMs when it was cut
     */
    record Moment(long seq, long timeMs) implements LogRecord {}

    /**
     * Repeats what an earlier commit holds, so that a reader of this one need not fetch that one. Only in commits,
     * behind their own records.
     *
     * @param seq the earlier commit
     * @param timeMs when it was cut
     * @param records its own records, encoded; not copied
     */
    record Repeated(long seq, long timeMs, byte[] records) implements LogRecord {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Repeated r
                    && seq == r.seq
                    && timeMs == r.timeMs
                    && Arrays.equals(records, r.records);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(seq);
        }
    }

    /** Where a range of a version's bytes comes from. */
    sealed interface Extent extends LogRecord {
        /** Returns the version the bytes belong to. */
        long versionId();

        /** Returns the position of the first byte, which is where the extent before ended. */
        long start();

        /** Returns the number of bytes, at least 1. */
        long length();

        /** Returns the modification time the file had when they were read, in nanoseconds. */
        long mtimeNs();

        /** Returns the position after the last byte. */
        default long end() {
            return start() + length();
        }
    }

    /**
     * Bytes in the data area of a commit, at most {@link #PIECE_BYTES}.
     *
     * @param seq the commit; 0 for the commit the record is in
     * @param dataOffset where they begin in the uncompressed data area
     * @param crc of the whole run
     */
    record Run(long versionId, long start, long length, long seq, long dataOffset, int crc, long mtimeNs)
            implements Extent {}

    /**
     * Bytes of a data object, all of it.
     *
     * @param unique distinguishes objects of one range
     * @param objectLength size of the object in the store
     * @param crcs one for each {@link #PIECE_BYTES} of the run, counted from its start
     */
    record ObjectRun(
            long versionId,
            long start,
            long length,
            long unique,
            long objectLength,
            Codec codec,
            int[] crcs,
            long mtimeNs)
            implements Extent {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ObjectRun that
                    && versionId == that.versionId
                    && start == that.start
                    && length == that.length
                    && unique == that.unique
                    && objectLength == that.objectLength
                    && codec == that.codec
                    && mtimeNs == that.mtimeNs
                    && Arrays.equals(crcs, that.crcs);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(unique);
        }
    }

    /**
     * Bytes in a pack, a data object that holds pieces of many versions; at most {@link #PIECE_BYTES}. Only in
     * checkpoints.
     *
     * @param unique distinguishes packs
     * @param packLength bytes of the content of the pack
     * @param dataOffset where they begin in that content
     * @param crc of the whole run
     */
    record PackedRun(
            long versionId,
            long start,
            long length,
            long unique,
            long packLength,
            long dataOffset,
            int crc,
            long mtimeNs)
            implements Extent {}

    /**
     * The digest of the bytes of a data object as they are stored. A signed commit has it for each object that it
     * refers to, in front of its run.
     *
     * @param unique of the object
     * @param sha256 32 bytes
     */
    record ObjectDigest(long versionId, long unique, byte[] sha256) implements LogRecord {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ObjectDigest that
                    && versionId == that.versionId
                    && unique == that.unique
                    && Arrays.equals(sha256, that.sha256);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(unique);
        }
    }

    /** Zeros that are not stored: a hole. */
    record ZeroRun(long versionId, long start, long length, long mtimeNs) implements Extent {}

    /**
     * Bytes equal to others that stand earlier in the log of the same host, proven by comparing them when this was
     * written; at most {@link #PIECE_BYTES}.
     *
     * @param sourceVersion the version that holds them; it may be newer, a file can be copied over an older one
     * @param sourceStart position in the source
     * @param crc of the whole run
     */
    record CopyRun(long versionId, long start, long length, long sourceVersion, long sourceStart, int crc, long mtimeNs)
            implements Extent {
        /** No log has this version. */
        private static final long LOST = Long.MAX_VALUE;

        /** Returns what stands for bytes that were lost with damaged commits, however many. */
        public static CopyRun lost(long versionId, long start, long end) {
            return new CopyRun(versionId, start, end - start, LOST, 0, 0, 0);
        }

        /** Says whether a copy from a version stands for lost bytes. */
        public static boolean isLost(long sourceVersion) {
            return sourceVersion == LOST;
        }

        /** Says whether it stands for bytes that were lost. */
        public boolean isLost() {
            return isLost(sourceVersion);
        }
    }
}
