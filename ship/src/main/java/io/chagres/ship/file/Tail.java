package io.chagres.ship.file;

import io.chagres.archive.InodeAttributes;
import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.bytes.Verification;
import io.chagres.ship.copy.Origins;
import io.chagres.watch.Dentry;
import io.chagres.watch.FileId;
import io.chagres.watch.FileIdentity;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One version of one file while it is followed: which file, which names it has, what is known of its bytes, and the
 * stage of its life. Holds no policy. A file that rests, as most do, costs no more than a row of its {@link FileBlock}:
 * this object is made when somebody asks for the file, and given up as soon as it rests and nobody needs it. Confined
 * to the shipper's thread.
 */
public final class Tail extends NamedVersion {
    private static final int HEADED = 1 << 8;
    private static final int GUARDED = 1 << 9;
    private static final int BEFORE_SHIFT = 10;
    private static final int BEFORE = 3 << BEFORE_SHIFT;
    private static final int FOUND = 1 << 12;
    private static final int KEPT_AT_REST = TailFact.DERIVED_SOUGHT.bit()
            | TailFact.HANDLE_REMADE.bit()
            | TailFact.USED_LATELY.bit()
            | TailFact.HELD.bit()
            | HEADED;
    private static final Verification.Before[] BEFORES = Verification.Before.values();
    private static final long SECOND_MS = 1000;

    // -- which file
    private final long inode;
    private final long generation;
    private FileClass common;

    private @Nullable Fd fd;

    /** Has its row, which knows the bytes while the file rests; null before it is followed, and behind its end. */
    private @Nullable FileBlock block;

    private short row;

    // -- its bytes
    /** The state of its bytes; null while the file rests. */
    private @Nullable Verification bytes;

    private int headCrc;
    private long recordedMtimeNs = Long.MIN_VALUE;

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
        super(versionId, null, null);
        this.inode = inode;
        this.generation = generation;
        common = volume.common(rules, 0, 0, 0);
        bytes = new Verification(prefix);
        if (!origins.isEmpty()) {
            seldom().origins = origins;
        }
    }

    /** Makes that of a file that rests and has none. */
    Tail(FileBlock block, int row) {
        super(block.versionId(row), block.name(row), block.takeSeldom(row));
        inode = block.inode(row);
        generation = block.generation(row);
        common = block.common(row);
        headCrc = block.headCrc(row);
        recordedMtimeNs = block.mtimeNs(row);
        flags = (short) (block.flags(row) & ~FOUND);
        stage = (block.flags(row) & FOUND) != 0 ? Stage.FOUND : Stage.FOLLOWING;
        this.block = block;
        this.row = (short) row;
        attachNames(this);
    }

    /** Returns the file of a name, or null: what is attached to the name is the file, or a block with its row. */
    public static @Nullable Tail of(Dentry name) {
        return switch (name.attachment()) {
            case Tail tail -> tail;
            case FileBlock block -> block.tail(name);
            case null, default -> null;
        };
    }

    // -- which file

    /** Returns the file system it is on. */
    public SourceVolume volume() {
        return common.volume();
    }

    /** Returns the inode number. */
    public long inode() {
        return inode;
    }

    /** Returns the generation, which tells apart files that had this inode number in turn. */
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
        if (next instanceof Stage.Copying copying) {
            copying.originals().forEach(each -> each.set(TailFact.HELD, true));
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
        settle();
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
            volume().moves(this, known.position());
        }
        return known;
    }

    private Verification awake() {
        FileBlock rested = block();
        PrefixChecksums pieces = seldom == null ? null : seldom.prefix;
        if (seldom != null) {
            seldom.prefix = null;
        }
        Verification known = Verification.afterRest(
                pieces == null ? PrefixChecksums.ofOnePiece(rested.position(row), rested.crc(row)) : pieces,
                recordedMtimeNs,
                rested.ctimeNs(row),
                quietSinceMs(),
                BEFORES[(flags & BEFORE) >> BEFORE_SHIFT]);
        if ((flags & GUARDED) != 0) {
            known.guard(rested.guardCrc(row));
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
        int crc = prefix.isOnePiece() && prefix.pieces() > 0 ? prefix.pieceCrc(0) : 0;
        int quietSinceSeconds = (int) ((known.quietSinceMs() + SECOND_MS - 1) / SECOND_MS);
        block().rest(row, known.position(), crc, known.mtimeNs(), known.ctimeNs(), quietSinceSeconds);
        boolean guarded = known.position() > 0 && known.hasGuard();
        if (guarded) {
            block().guard(row, known.guardCrc());
        }
        flags = (short) ((flags & KEPT_AT_REST)
                | (guarded ? GUARDED : 0)
                | known.comparesFirst().ordinal() << BEFORE_SHIFT);
        if (!prefix.isOnePiece()) {
            seldom().prefix = prefix;
        }
        bytes = null;
        volume().rests(known.position());
        settle();
    }

    private boolean mayRest() {
        return hasName()
                && block != null
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

    // -- its row

    private FileBlock block() {
        return Objects.requireNonNull(block);
    }

    /** Takes a row. */
    void take(FileBlock in, int its) {
        block = in;
        row = (short) its;
        in.put(its, this, common);
    }

    /** Gives the row to others. */
    void leave() {
        block().free(row);
        block = null;
    }

    /** Returns the number of its row, or -1. */
    public int row() {
        return block == null ? -1 : block.number(row);
    }

    /** Gives up this object before long, if the file rests then and nothing holds it. */
    void settle() {
        if (block != null && isResting()) {
            block.table().settle(this);
        }
    }

    /** Gives up this object if the file rests and nothing holds it: from then on it must not be used. */
    void giveUp() {
        FileBlock rested = block;
        if (rested == null || !isResting() || marks != 0 || fd != null || !mayGiveUp()) {
            return;
        }
        int kept = flags | (stage == Stage.FOUND ? FOUND : 0);
        rested.giveUp(row, this, common, kept, seldom);
        attachNames(rested);
        block = null;
    }

    /** Where a store need not move the times, a look at them does not say that the file is as it was. */
    private boolean mayGiveUp() {
        boolean plain = stage == Stage.FOLLOWING || stage == Stage.FOUND;
        return plain && !has(TailFact.HELD) && volume().timesStores(null) && isAttachedToNames();
    }

    /** Says whether it was given up: its file has another object now, or none. */
    boolean isGivenUp() {
        return bytes == null && block == null;
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
        return bytes == null ? block().position(row) : bytes.position();
    }

    /** Returns the size the file had when it was last looked at. */
    public long size() {
        return bytes == null ? block().position(row) : bytes.size();
    }

    /** Returns the modification time the file had when it was last looked at. */
    public long mtimeNs() {
        return bytes == null ? recordedMtimeNs : bytes.mtimeNs();
    }

    /** Says whether the file shows other times or another size than when it was looked at last. */
    public boolean hasMoved(long sizeBytes, long modifiedNs, long changedNs) {
        return bytes == null
                ? block().hasMoved(row, sizeBytes, modifiedNs, changedNs)
                : bytes.hasMoved(sizeBytes, modifiedNs, changedNs);
    }

    /** Says whether the times of the file prove that it holds the shipped bytes. */
    public boolean isToldByTimes() {
        return bytes == null || bytes.isToldByTimes();
    }

    /** Returns since when the file has not changed, in milliseconds of the shipper's clock, or a little more. */
    public long quietSinceMs() {
        return bytes == null
                ? Integer.toUnsignedLong(block().quietSinceSeconds(row)) * SECOND_MS
                : bytes.quietSinceMs();
    }

    /** Somebody waits for the bytes up to an end to be acknowledged. */
    public void demand(long end) {
        if (bytes != null || end > position()) {
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
