package io.chagres.ship.file;

import io.chagres.archive.Attributes;
import io.chagres.linux.Pathname;
import io.chagres.ship.bytes.Crc32cMath;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.copy.Origins;
import io.chagres.watch.FileIdentity;
import org.jspecify.annotations.Nullable;

/**
 * What a log says about one version, collected for {@link ResumePoints}: one object, since there may be a million. Most
 * versions are one piece and copies of nothing. Confined to one thread.
 */
final class CollectedVersion implements InodeTable.OfInode {
    private static final SourceVolume NOWHERE = new SourceVolume(0, 0, 0);

    private final long versionId;
    /** The end of a single piece that begins with the file, unless there are checksums of pieces. */
    private long end;

    private int crc;
    private @Nullable PrefixChecksums prefix;
    private @Nullable Origins origins;

    private SourceVolume volume = NOWHERE;
    private long inode;
    private long generation;
    private short mode;
    private int uid;
    private int gid;
    /** The time when it began; once it is known where it continues, the one recorded last. */
    private long mtimeNs;
    /** The directory of the last path; the whole path where there is no name. */
    private @Nullable Pathname directory;

    private byte @Nullable [] name;
    private boolean growing;
    private boolean named;

    /** The next one of the same inode. */
    @Nullable
    CollectedVersion next;

    /** Begins a version when only the modification time of its file is known. */
    CollectedVersion(long versionId, long startPosition, long mtimeNs) {
        this.versionId = versionId;
        this.mtimeNs = mtimeNs;
        prefix = startPosition == 0 ? null : new PrefixChecksums(startPosition);
    }

    /** Makes a version when everything is known. */
    CollectedVersion(long versionId, PrefixChecksums prefix, Origins origins) {
        this.versionId = versionId;
        this.prefix = prefix;
        this.origins = origins;
    }

    // -- its bytes

    /** Appends a run of any length. */
    void append(long lengthBytes, int runCrc) {
        if (prefix != null || (end > 0 && end + lengthBytes > PrefixChecksums.PIECE_BYTES)) {
            checksums().append(lengthBytes, runCrc);
        } else {
            crc = end == 0 ? runCrc : Crc32cMath.combine(crc, runCrc, lengthBytes);
            end += lengthBytes;
        }
    }

    /** Lets the next run begin a piece. */
    void split() {
        if (prefix != null || end > 0) {
            checksums().split();
        }
    }

    /** Notes that another version stores a range. */
    void appendOrigin(long from, long to, long sourceVersion) {
        Origins all = origins == null ? new Origins() : origins;
        all.append(from, to, sourceVersion);
        origins = all;
    }

    /** Returns the checksums of all pieces. */
    PrefixChecksums checksums() {
        PrefixChecksums pieces = prefix;
        if (pieces == null) {
            pieces = PrefixChecksums.ofOnePiece(end, crc);
            prefix = pieces;
        }
        return pieces;
    }

    /** Takes what another knows of the same bytes. */
    void takePrefix(CollectedVersion other) {
        prefix = other.checksums();
    }

    Origins origins() {
        return origins == null ? Origins.NONE : origins;
    }

    long end() {
        return prefix == null ? end : prefix.end();
    }

    // -- where it continues

    void goOn(SourceVolume on, long itsInode, long itsGeneration) {
        volume = on;
        inode = itsInode;
        generation = itsGeneration;
    }

    void recorded(Attributes attributes) {
        mode = (short) attributes.mode();
        uid = attributes.uid();
        gid = attributes.gid();
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
            name = null;
        } else {
            directory = parent.equals(lastDirectory) ? lastDirectory : parent;
            name = last.bytes();
        }
    }

    void is(boolean isGrowing, boolean isNamed) {
        growing = isGrowing;
        named = isNamed;
    }

    long versionId() {
        return versionId;
    }

    @Override
    public long inode() {
        return inode;
    }

    @Override
    public long generation() {
        return generation;
    }

    boolean isOn(FileIdentity identity) {
        return volume.fsHigh() == identity.fsHigh() && volume.fsLow() == identity.fsLow();
    }

    FileIdentity identity() {
        return new FileIdentity(volume.fsHigh(), volume.fsLow(), inode, generation);
    }

    long mtimeNs() {
        return mtimeNs;
    }

    @Nullable
    Pathname directory() {
        return directory;
    }

    @Nullable
    Pathname lastPath() {
        Pathname in = directory;
        return in == null || name == null ? in : in.resolve(Pathname.ofBytes(name));
    }

    boolean isNamed() {
        return named;
    }

    /** Says where it continues. Allocates. */
    ResumePoint point() {
        return new ResumePoint(
                versionId, checksums(), origins(), new Attributes(mode, uid, gid, mtimeNs), lastPath(), growing, named);
    }
}
