package io.chagres.ship.file;

import io.chagres.archive.InodeAttributes;
import io.chagres.foreign.Errno;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.bytes.Verification;
import io.chagres.ship.copy.Origins;
import io.chagres.watch.Dentry;
import io.chagres.watch.FileId;
import io.chagres.watch.FileIdentity;
import io.chagres.watch.WatchedDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One version of one file while it is followed: which file, which names it has, what is known of its bytes, and the
 * stage of its life. Holds no policy. A file that rests, as most do, costs no more than the fields of this object;
 * other facts about its bytes are computed when somebody asks for them. Confined to the shipper's thread.
 */
public final class Tail implements InodeTable.OfInode {
    private static final int HEADED = 1 << 8;
    private static final int GUARDED = 1 << 9;
    private static final int BEFORE_SHIFT = 10;
    private static final int BEFORE = 3 << BEFORE_SHIFT;
    private static final int KEPT_AT_REST =
            TailFact.DERIVED_SOUGHT.bit() | TailFact.HANDLE_REMADE.bit() | TailFact.USED_LATELY.bit() | HEADED;
    private static final Verification.Before[] BEFORES = Verification.Before.values();
    private static final long SECOND_MS = 1000;

    // -- which file
    public final long versionId;
    private final long inode;
    private final long generation;
    private FileClass common;

    private @Nullable Dentry name;
    private @Nullable Seldom seldom;

    private @Nullable Fd fd;

    // -- its bytes
    /** The state of its bytes; null while the file rests. */
    private @Nullable Verification bytes;

    private int headCrc;
    private long recordedMtimeNs = Long.MIN_VALUE;

    // -- the bytes of a file that rests; its modification time is the one recorded
    private long restingPosition;
    private long restingCtimeNs;
    /** The checksum of all bytes, unless there are checksums of pieces. */
    private int restingCrc;

    private int restingGuardCrc;
    private int restingQuietSinceSeconds;

    // -- its life
    private Stage stage = Stage.FOUND;
    /** One bit for each {@link FileQueue} it is in. */
    char marks;

    /** One bit for each {@link TailFact}, one for a known head, and the state of the bytes of a file that rests. */
    private short flags;
    /** When its file was looked at last on patrol, in milliseconds of the shipper's clock, which wrap. */
    private int lookedMs;

    /** Makes one of a version that is read from where its checksums end. */
    public Tail(
            long versionId,
            SourceVolume volume,
            long inode,
            long generation,
            PrefixChecksums prefix,
            Origins origins,
            Rules rules) {
        this.versionId = versionId;
        this.inode = inode;
        this.generation = generation;
        common = volume.common(rules, 0, 0, 0);
        bytes = new Verification(prefix);
        if (!origins.isEmpty()) {
            seldom().origins = origins;
        }
    }

    private Seldom seldom() {
        Seldom has = seldom;
        if (has == null) {
            has = new Seldom();
            seldom = has;
        }
        return has;
    }

    // -- which file

    /** Returns the file system it is on. */
    public SourceVolume volume() {
        return common.volume();
    }

    @Override
    public long inode() {
        return inode;
    }

    @Override
    public long generation() {
        return generation;
    }

    /** Returns which file it is. Allocates. */
    public FileIdentity identity() {
        return new FileIdentity(volume().fsHigh(), volume().fsLow(), inode, generation);
    }

    /** Says whether a file is its own, by a look at that file. */
    boolean is(FileId other) {
        return inode == other.inode()
                && generation == other.generation()
                && volume().fsHigh() == other.fsHigh()
                && volume().fsLow() == other.fsLow();
    }

    /** Returns the version of the same file before this one, as long as this may be its copy. */
    public @Nullable Tail predecessor() {
        return seldom == null ? null : seldom.predecessor;
    }

    /** Sets it. */
    void predecessor(@Nullable Tail before) {
        if (before != null || seldom != null) {
            seldom().predecessor = before;
        }
    }

    /** Returns the truncated version that ends with what this one, its copy, has behind it; null for none. */
    public @Nullable Tail truncated() {
        return seldom == null ? null : seldom.truncated;
    }

    /** Sets it. */
    public void truncated(@Nullable Tail version) {
        if (version != null || seldom != null) {
            seldom().truncated = version;
        }
    }

    /** Returns how its bytes are shipped. */
    public Rules rules() {
        return common.rules();
    }

    /** Ships it by other rules from now on. */
    public void rules(Rules now) {
        common = volume().common(now, common.mode(), common.uid(), common.gid());
    }

    // -- the stage

    /** Returns the stage it is in. */
    public Stage stage() {
        return stage;
    }

    /** Moves on to a stage. */
    public void enter(Stage next) {
        if (next instanceof Stage.Over) {
            bytes(); // what rests is followed
        }
        if (stage instanceof Stage.Copying copying) {
            copying.comparison().end();
        }
        stage = next;
    }

    /** Says whether the version may still grow. */
    public boolean isLive() {
        return !(stage instanceof Stage.Over);
    }

    /** Stops comparing with an original: all further bytes are the file's own. */
    public void endCopy() {
        if (stage instanceof Stage.Copying || stage instanceof Stage.Outgrowing) {
            enter(Stage.FOLLOWING);
        }
    }

    /** Says whether something is true of it. */
    public boolean has(TailFact fact) {
        return (flags & fact.bit()) != 0;
    }

    /** Notes whether something is true of it. */
    public void set(TailFact fact, boolean isTrue) {
        set(fact.bit(), isTrue);
    }

    private void set(int bit, boolean on) {
        flags = (short) (on ? flags | bit : flags & ~bit);
    }

    /** Says whether it is in a queue. */
    public boolean waits(FileQueue.For what) {
        return (marks & 1 << what.ordinal()) != 0;
    }

    // -- names

    /** Adds a name, once. */
    public void addName(Dentry added) {
        if (seldom != null) {
            seldom.unlinked = null;
        }
        if (name == null) {
            name = added;
        } else if (name != added) {
            Seldom has = seldom();
            List<Dentry> more = has.moreNames == null ? new ArrayList<>(1) : has.moreNames;
            more.add(added);
            has.moreNames = more;
        }
    }

    void removeName(Dentry removed) {
        List<Dentry> more = moreNames();
        if (!more.isEmpty()) {
            more.remove(removed);
        }
        if (name == removed) {
            name = more.isEmpty() ? null : more.removeLast();
        }
    }

    /** Returns the names but one; an empty list must not be changed. */
    private List<Dentry> moreNames() {
        List<Dentry> more = seldom == null ? null : seldom.moreNames;
        return more == null ? List.of() : more;
    }

    /** Returns the watch over the file since it lost its last name; null while it has one. */
    public @Nullable Unlinked unlinked() {
        return seldom == null ? null : seldom.unlinked;
    }

    /** Begins to watch the file, which has no name any longer. */
    public void loseNames() {
        seldom().unlinked = new Unlinked();
    }

    /** Notes the name that a file had which has none. */
    public void lostNameAt(Pathname path) {
        seldom().lastPath = path;
    }

    /** Returns the last name, of a file that has none. */
    @Nullable
    Pathname lastPath() {
        return seldom == null ? null : seldom.lastPath;
    }

    /** Says whether it has a name. */
    public boolean hasName() {
        return name != null;
    }

    /** Returns one of the names, or null when the file has none. */
    public @Nullable Dentry name() {
        return name;
    }

    /** Returns how many names it has. */
    public int nameCount() {
        return (name == null ? 0 : 1) + moreNames().size();
    }

    /** Says whether each close of it by one of its names is reported: not where a link from elsewhere is the name. */
    public boolean reportsCloses() {
        if (name != null && !reportsCloses(name)) {
            return false;
        }
        for (Dentry each : moreNames()) {
            if (!reportsCloses(each)) {
                return false;
            }
        }
        return true;
    }

    private static boolean reportsCloses(Dentry name) {
        WatchedDirectory parent = name.parent();
        return name.type() == Directory.DT_REG && parent != null && parent.reportsCloses();
    }

    /** Returns all names. Allocates. */
    public List<Dentry> names() {
        List<Dentry> all = new ArrayList<>();
        if (name != null) {
            all.add(name);
        }
        all.addAll(moreNames());
        return all;
    }

    /** Returns a path for messages. */
    public String describe() {
        Pathname path = name == null ? lastPath() : name.path();
        return path == null ? "a file without a name (version " + Long.toHexString(versionId) + ")" : path.toString();
    }

    /** Tells that the file cannot be read just now, once until it can. */
    public void refused(int errno, Consumer<String> problems) {
        if (bytes().refuses(errno)) {
            problems.accept(describe() + " cannot be read at byte " + position() + ": " + Errno.message(errno)
                    + "; its bytes stay at risk, it is tried again");
        }
    }

    /** Says whether the kernel refused it, and it was not read to its end since. */
    public boolean isRefused() {
        return bytes != null && bytes.isRefused();
    }

    /** Notes that it can be read. */
    public void notRefused() {
        if (bytes != null) {
            bytes.refuses(0);
        }
    }

    // -- descriptor

    /** Returns the open file, or null. */
    public @Nullable Fd fd() {
        return fd;
    }

    /** Takes a descriptor; null when another version took it over. */
    public void open(@Nullable Fd opened) {
        fd = opened;
    }

    /** Leaves the kernel's handle, by which a file without a name is opened again. */
    void leaveHandle(int type, byte[] handle) {
        seldom().handleType = type;
        seldom().handle = handle;
    }

    /** Returns the kernel's handle, or null. */
    byte @Nullable [] handle() {
        return seldom == null ? null : seldom.handle;
    }

    /** Returns the type of the handle. */
    int handleType() {
        return seldom == null ? 0 : seldom.handleType;
    }

    // -- its bytes

    /** Returns the state of its bytes; for a file that rests it is made anew, and the file no longer rests. */
    public Verification bytes() {
        Verification known = bytes;
        if (known == null) {
            known = awake();
            bytes = known;
            volume().moves(this, restingPosition);
        }
        return known;
    }

    private Verification awake() {
        PrefixChecksums pieces = seldom == null ? null : seldom.prefix;
        if (seldom != null) {
            seldom.prefix = null;
        }
        Verification known = Verification.afterRest(
                pieces == null ? PrefixChecksums.ofOnePiece(restingPosition, restingCrc) : pieces,
                recordedMtimeNs,
                restingCtimeNs,
                quietSinceMs(),
                BEFORES[(flags & BEFORE) >> BEFORE_SHIFT]);
        if ((flags & GUARDED) != 0) {
            known.guard(restingGuardCrc);
        }
        return known;
    }

    /**
     * Lets the file rest if nothing is to be done about it: all is acknowledged and proven, it has been quiet for a
     * while, and nobody waits for it.
     */
    public void rest(long nowMs) {
        Verification known = bytes;
        if (known == null || !mayRest() || !known.mayRest(nowMs) || recordedMtimeNs != known.mtimeNs()) {
            return;
        }
        PrefixChecksums prefix = known.prefix();
        restingPosition = known.position();
        restingCtimeNs = known.ctimeNs();
        restingQuietSinceSeconds = (int) ((known.quietSinceMs() + SECOND_MS - 1) / SECOND_MS);
        restingGuardCrc = known.guardCrc();
        boolean guarded = known.position() > 0 && known.hasGuard();
        flags = (short) ((flags & KEPT_AT_REST)
                | (guarded ? GUARDED : 0)
                | known.comparesFirst().ordinal() << BEFORE_SHIFT);
        if (prefix.isOnePiece()) {
            restingCrc = prefix.pieces() == 0 ? 0 : prefix.pieceCrc(0);
        } else {
            seldom().prefix = prefix;
        }
        bytes = null;
        volume().rests(restingPosition);
    }

    private boolean mayRest() {
        return name != null
                && !has(TailFact.TOUCHED)
                && !has(TailFact.CLOSED_BY_WRITER)
                && !isRefused()
                && (marks & ~FileQueue.OF_FILES_AT_REST) == 0
                && truncated() == null
                && (stage == Stage.FOLLOWING || stage instanceof Stage.Found);
    }

    /** Says whether it rests: as far as is known, all that it holds is shipped, acknowledged and proven. */
    public boolean isResting() {
        return bytes == null;
    }

    /** Says whether the checksum of its first bytes is known. */
    public boolean hasHead() {
        return (flags & HEADED) != 0;
    }

    /** Returns the CRC32C of its first bytes, by which copies are found; the last one known where it was forgotten. */
    public int headCrc() {
        return headCrc;
    }

    /** Notes it. */
    public void head(int crc) {
        headCrc = crc;
        set(HEADED, true);
    }

    /** Forgets it: the file may have other bytes now. */
    public void forgetHead() {
        set(HEADED, false);
    }

    /** Returns the position of the next byte that is not in a commit yet. */
    public long position() {
        return bytes == null ? restingPosition : bytes.position();
    }

    /** Returns the size the file had when it was last looked at. */
    public long size() {
        return bytes == null ? restingPosition : bytes.size();
    }

    /** Returns the modification time the file had when it was last looked at. */
    public long mtimeNs() {
        return bytes == null ? recordedMtimeNs : bytes.mtimeNs();
    }

    /** Says whether the file shows other times or another size than when it was looked at last. */
    public boolean hasMoved(long sizeBytes, long modifiedNs, long changedNs) {
        return bytes == null
                ? sizeBytes != restingPosition || modifiedNs != recordedMtimeNs || changedNs != restingCtimeNs
                : bytes.hasMoved(sizeBytes, modifiedNs, changedNs);
    }

    /** Says whether the times of the file prove that it holds the shipped bytes. */
    public boolean isToldByTimes() {
        return bytes == null || bytes.isToldByTimes();
    }

    /** Returns since when the file has not changed, in milliseconds of the shipper's clock, or a little more. */
    public long quietSinceMs() {
        return bytes == null ? Integer.toUnsignedLong(restingQuietSinceSeconds) * SECOND_MS : bytes.quietSinceMs();
    }

    /** Somebody waits for the bytes up to an end to be acknowledged. */
    public void demand(long end) {
        if (bytes != null || end > restingPosition) {
            bytes().demand(end);
        }
    }

    /** Returns how many of the bytes demanded are not acknowledged. */
    public long missingBytes() {
        return bytes == null ? 0 : bytes.missingBytes();
    }

    /** Notes that the patrol looked at its file. */
    public void looked(long nowMs) {
        lookedMs = (int) nowMs;
    }

    /** Returns how long ago that was, in milliseconds, which wrap after 24 days. */
    public long lookedAgoMs(long nowMs) {
        int agoMs = (int) nowMs - lookedMs;
        return agoMs;
    }

    // -- its part of the log

    /** Returns who stores the first bytes. */
    public Origins origins() {
        Origins has = seldom == null ? null : seldom.origins;
        return has == null ? Origins.NONE : has;
    }

    /** Appends a range that another version stores. */
    public void appendOrigin(long start, long end, long sourceVersion) {
        Seldom has = seldom();
        Origins all = has.origins == null ? new Origins() : has.origins;
        all.append(start, end, sourceVersion);
        has.origins = all;
    }

    /** Returns the attributes as the log has them. */
    public InodeAttributes recorded() {
        return new InodeAttributes(common.mode(), common.uid(), common.gid(), recordedMtimeNs);
    }

    /** Says whether the log has these. */
    public boolean hasRecorded(int mode, int uid, int gid) {
        return mode == common.mode() && uid == common.uid() && gid == common.gid();
    }

    /** Notes the attributes that the log has. */
    public void recorded(InodeAttributes attributes) {
        if (attributes.mtimeNs() != recordedMtimeNs) {
            bytes(); // one that rests has one modification time
        }
        common = volume().common(common.rules(), attributes.mode(), attributes.uid(), attributes.gid());
        recordedMtimeNs = attributes.mtimeNs();
    }

    /** Returns the modification time the log has, from attributes or from the last run. */
    public long recordedMtimeNs() {
        return recordedMtimeNs;
    }

    /** Takes a run that was put into a commit. */
    public void advance(long lengthBytes, int crc) {
        bytes().advance(lengthBytes, crc);
        recordedMtimeNs = mtimeNs();
    }

    /** Says whether bytes of the file, as it was last looked at, are not in a commit yet. */
    public boolean hasBacklog() {
        return position() != size() || stage == Stage.UPLOADING;
    }

    /** Says whether the file may hold unread bytes: zeros that wait, or a change that an event named or a look saw. */
    public boolean mayHoldMore() {
        if (has(TailFact.TOUCHED) || hasBacklog()) {
            return true;
        }
        if (bytes == null) {
            return false;
        }
        boolean seen = bytes.mustCompareFirst() && bytes.mtimeNs() != Long.MIN_VALUE;
        return bytes.isSuspect() || (seen && bytes.mtimeNs() != recordedMtimeNs);
    }

    /** Says whether the backlog can be read without anything happening to the file first. */
    public boolean canBeRead() {
        return bytes == null || (!bytes.isRefused() && bytes.heldBackBytes() == 0);
    }

    /** Returns the bytes a loss of the machine would lose now. */
    public long riskBytes() {
        return bytes == null ? 0 : bytes.riskBytes(isLive());
    }
}
