package io.chagres.ship.file;

import io.chagres.archive.Codec;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import io.chagres.ship.bytes.Crc32cMath;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.copy.Origins;
import io.chagres.watch.FileIdentity;
import org.jspecify.annotations.Nullable;

/**
 * The facts that a log states about one version, collected for {@link ResumePoints}: one object, since there may be a
 * million. Most versions are one piece and copies of nothing. Confined to one thread.
 */
final class CollectedVersion {
    private static final SourceVolume NOWHERE = new SourceVolume(0, 0, 0);
    /** Its file has not been found, and nobody knows yet how it is shipped. */
    private static final Rules NO_RULES = new Rules(0, Codec.NONE);

    private final long versionId;
    /** The end of a single piece that begins with the file, unless there are checksums of pieces. */
    private int end;

    private int crc;
    private @Nullable More more;

    private FileClass common = NOWHERE.common(NO_RULES, 0, 0, 0);
    private long inode;
    private long generation;
    /** The one recorded last. */
    private long mtimeNs;
    /** The directory of the last path; the whole path where there is no name. */
    private @Nullable Pathname directory;

    /** Has its last name, beside those of others. */
    private byte @Nullable [] names;

    private int nameStart;
    private short nameLength;
    private boolean named;
    /** It was looked for, and not found. */
    private boolean missing;
    /** The reason for which it ended last; null while it grows. */
    private LogRecord.@Nullable Reason closed;

    private long length;
    /** When the log last said something of it, in seconds since 1970, unsigned. */
    private int changedSeconds;

    /** What few versions have. */
    private static final class More {
        @Nullable
        PrefixChecksums prefix;

        @Nullable
        Origins origins;

        @Nullable
        CollectedVersion next;
    }

    /** Begins a version. */
    CollectedVersion(LogRecord.VersionOpened opened, SourceVolume on) {
        versionId = opened.versionId();
        length = opened.startPosition();
        if (length > 0) {
            more().prefix = new PrefixChecksums(length);
        }
        goOn(on, opened.key().inode(), opened.key().generation());
        recorded(opened.attributes());
    }

    /** Makes a version when everything is known. */
    CollectedVersion(long versionId, PrefixChecksums prefix, Origins origins) {
        this.versionId = versionId;
        more().prefix = prefix;
        more().origins = origins.isEmpty() ? null : origins;
        length = prefix.end();
        closed = LogRecord.Reason.SEALED;
    }

    private More more() {
        More has = more;
        if (has == null) {
            has = new More();
            more = has;
        }
        return has;
    }

    /** Returns the next one of the same inode. */
    @Nullable
    CollectedVersion next() {
        return more == null ? null : more.next;
    }

    void next(@Nullable CollectedVersion version) {
        if (version != null || more != null) {
            more().next = version;
        }
    }

    // -- its bytes

    private @Nullable PrefixChecksums prefix() {
        return more == null ? null : more.prefix;
    }

    /** Appends a run of any length. */
    void append(long lengthBytes, int runCrc) {
        if (prefix() != null || end + lengthBytes > PrefixChecksums.PIECE_BYTES) {
            checksums().append(lengthBytes, runCrc);
        } else {
            crc = end == 0 ? runCrc : Crc32cMath.combine(crc, runCrc, lengthBytes);
            end += (int) lengthBytes;
        }
    }

    /** Lets the next run begin a piece. */
    void split() {
        if (prefix() != null || end > 0) {
            checksums().split();
        }
    }

    /** Notes that another version stores a range. */
    void appendOrigin(long from, long to, long sourceVersion) {
        More has = more();
        Origins all = has.origins == null ? new Origins() : has.origins;
        all.append(from, to, sourceVersion);
        has.origins = all;
    }

    /** Returns the checksums of all pieces. */
    PrefixChecksums checksums() {
        More has = more();
        PrefixChecksums pieces = has.prefix;
        if (pieces == null) {
            pieces = PrefixChecksums.ofOnePiece(end, crc);
            has.prefix = pieces;
        }
        return pieces;
    }

    /** Takes the facts that another one holds about the same bytes. */
    void takePrefix(CollectedVersion other) {
        more().prefix = other.checksums();
    }

    Origins origins() {
        return more == null || more.origins == null ? Origins.NONE : more.origins;
    }

    long end() {
        PrefixChecksums pieces = prefix();
        return pieces == null ? end : pieces.end();
    }

    /** Returns the position of the first byte. */
    long start() {
        PrefixChecksums pieces = prefix();
        return pieces == null ? 0 : pieces.startPosition();
    }

    /** Returns the position behind the last byte, as the log says; checksums may still be missing before it. */
    long length() {
        return length;
    }

    /** Notes what the log says of its bytes. */
    void grow(long to, long modifiedNs, long timeMs) {
        length = Math.max(length, to);
        mtimeNs = modifiedNs;
        closed = isOver() ? closed : null;
        changed(timeMs);
    }

    // -- where it continues

    void goOn(SourceVolume on, long itsInode, long itsGeneration) {
        common = on.common(NO_RULES, common.mode(), common.uid(), common.gid());
        inode = itsInode;
        generation = itsGeneration;
    }

    void recorded(InodeAttributes attributes) {
        common = common.volume().common(NO_RULES, attributes.mode(), attributes.uid(), attributes.gid());
        mtimeNs = attributes.mtimeNs();
    }

    /**
     * Notes the path it had last.
     *
     * @param lastDirectory one that it may be in, which others share
     */
    void at(@Nullable Pathname path, @Nullable Pathname lastDirectory) {
        Pathname parent = path == null ? null : path.parent();
        Pathname last = path == null ? null : path.name();
        if (parent == null || last == null || !parent.resolve(last).equals(path)) {
            directory = path;
            names = null;
        } else {
            Pathname in = parent;
            if (lastDirectory != null && parent.equals(lastDirectory)) {
                in = lastDirectory;
            }
            at(in, last.bytes(), 0, last.length());
        }
    }

    private void at(Pathname in, byte[] bytes, int start, int length) {
        directory = in;
        names = bytes;
        nameStart = start;
        nameLength = (short) length;
    }

    /** Notes that it no longer grows; it may again if it is not over. */
    void close(LogRecord.Reason reason, long timeMs) {
        closed = reason;
        changed(timeMs);
    }

    void changed(long timeMs) {
        changedSeconds = (int) (timeMs / 1000);
    }

    long changedMs() {
        return Integer.toUnsignedLong(changedSeconds) * 1000;
    }

    /** Notes that it has a name, a part of bytes that are kept; of several the first in the order of bytes counts. */
    void named(Pathname in, byte[] bytes, int start, int length) {
        Pathname known = named ? lastPath() : null;
        if (known == null || in.resolve(Pathname.ofBytes(bytes, start, length)).compareTo(known) < 0) {
            at(in, bytes, start, length);
        }
        named = true;
    }

    boolean isOver() {
        return closed != null && closed != LogRecord.Reason.SEALED;
    }

    /** Returns the reason for which it ended; null while it grows. */
    LogRecord.@Nullable Reason closed() {
        return closed;
    }

    long versionId() {
        return versionId;
    }

    long inode() {
        return inode;
    }

    long generation() {
        return generation;
    }

    boolean isOn(FileIdentity identity) {
        return common.volume().fsHigh() == identity.fsHigh() && common.volume().fsLow() == identity.fsLow();
    }

    FileIdentity identity() {
        return new FileIdentity(common.volume().fsHigh(), common.volume().fsLow(), inode, generation);
    }

    @Nullable
    Pathname directory() {
        return directory;
    }

    @Nullable
    Pathname lastPath() {
        Pathname in = directory;
        return in == null || names == null ? in : in.resolve(Pathname.ofBytes(names, nameStart, nameLength));
    }

    boolean isNamed() {
        return named;
    }

    void setMissing() {
        missing = true;
    }

    boolean isMissing() {
        return missing;
    }

    /** Says where it continues. Allocates. */
    ResumePoint point() {
        PrefixChecksums pieces = prefix();
        return new ResumePoint(
                versionId,
                pieces == null ? PrefixChecksums.ofOnePiece(end, crc) : pieces,
                origins(),
                attributes(),
                lastPath(),
                closed == null || named,
                named);
    }

    InodeAttributes attributes() {
        return new InodeAttributes(common.mode(), common.uid(), common.gid(), mtimeNs);
    }
}
