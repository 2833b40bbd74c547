package io.chagres.ship.file;

import io.chagres.archive.Attributes;
import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.bytes.Verification;
import io.chagres.ship.copy.Origins;
import io.chagres.watch.Dentry;
import io.chagres.watch.FileIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One version of one file while it is followed: which file, which names it has, what is known of its bytes, and the
 * stage of its life. Holds no policy. Confined to the shipper's thread.
 */
public final class Tail {
    // -- which file
    public final long versionId;
    public final FileIdentity identity;
    public final long device;
    /** How its bytes are shipped. */
    public Rules rules;

    /** The version of the same file before this one, as long as this may be its copy. */
    public @Nullable Tail predecessor;

    /** A truncated version that ends with what this one, its copy, has behind it; null when there is none. */
    public @Nullable Tail truncated;

    private @Nullable Dentry name;
    private @Nullable List<Dentry> moreNames;
    /** What is watched of it since it lost its last name; null while it has one. */
    public @Nullable Nameless nameless;
    /** The last name, of a file that has none. */
    @Nullable
    Pathname lastPath;

    private @Nullable Fd fd;
    private long lastUse;
    /** The kernel's handle, left when the descriptor was given back. */
    byte @Nullable [] handle;

    int handleType;

    // -- its bytes
    /** What is known of them. */
    public final Verification bytes;

    private @Nullable Origins origins;
    /** CRC32C of the first bytes, by which copies are found, once {@link #hasHead}. */
    public int headCrc;

    public boolean hasHead;
    private int recordedMode;
    private int recordedUid;
    private int recordedGid;
    private long recordedMtimeNs = Long.MIN_VALUE;

    // -- what happens to it
    private Stage stage = new Stage.Found();
    /** One bit for each {@link FileQueue} it is in. */
    int marks;
    /** Whether an event told of it, or of a change, since it had a turn. */
    public boolean touched;
    /** Whether a writer closed it, or none is left, since it was read to its end. */
    public boolean closedByWriter;
    /** Whether it is known what it was compressed from. */
    public boolean derivedSought;
    /** When its file was looked at last on patrol, in milliseconds of the shipper's clock. */
    public long lookedMs;
    /** The errno that was told of last, or 0 since the file was read to its end. */
    public int refusedWith;

    /** A file without a name: it ends when no writer has it open and all of it was read, twice in a row. */
    public static final class Nameless {
        private long restedSinceMs;
        private long restedAt = -1;
        /** Whether it was over when it was looked at last. */
        public boolean over;
        /** Since when it is over, in milliseconds of the shipper's clock. */
        public long overSinceMs;
        /** It is where it was, and not followed any more: what it holds now is shipped, and that is all. */
        public boolean letGo;
        /** Nobody can change the file any more: what it holds now is what it held last. */
        public boolean lastLook;

        /** Returns for how long nothing was read, in milliseconds. */
        public long restedMs(long position, long nowMs) {
            if (position != restedAt) {
                restedAt = position;
                restedSinceMs = nowMs;
            }
            return nowMs - restedSinceMs;
        }
    }

    /** Makes one of a version that is read from where its checksums end. */
    public Tail(
            long versionId, FileIdentity identity, long device, PrefixChecksums prefix, Origins origins, Rules rules) {
        this.rules = rules;
        this.versionId = versionId;
        this.identity = identity;
        this.device = device;
        bytes = new Verification(prefix);
        this.origins = origins.isEmpty() ? null : origins;
    }

    // -- the stage

    /** Returns the stage it is in. */
    public Stage stage() {
        return stage;
    }

    /** Moves on to a stage. */
    public void enter(Stage next) {
        stage.leave();
        stage = next;
    }

    /** Says whether the version may still grow. */
    public boolean isLive() {
        return !(stage instanceof Stage.Over);
    }

    /** Stops comparing with an original: what follows is the file's own. */
    public void endCopy() {
        if (stage instanceof Stage.Copying) {
            enter(Stage.FOLLOWING);
        }
    }

    /** Says whether it is in a queue. */
    public boolean waits(FileQueue.For what) {
        return (marks & 1 << what.ordinal()) != 0;
    }

    // -- names

    /** Adds a name, once. */
    public void addName(Dentry added) {
        nameless = null;
        if (name == null) {
            name = added;
        } else if (name != added) {
            if (moreNames == null) {
                moreNames = new ArrayList<>(1);
            }
            moreNames.add(added);
        }
    }

    void removeName(Dentry removed) {
        if (moreNames != null) {
            moreNames.remove(removed);
        }
        if (name == removed) {
            name = moreNames == null || moreNames.isEmpty() ? null : moreNames.removeLast();
        }
    }

    /** Notes the name that a file had which was found without one. */
    public void lostNameAt(Pathname path) {
        lastPath = path;
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
        return (name == null ? 0 : 1) + (moreNames == null ? 0 : moreNames.size());
    }

    /** Returns all names. Allocates. */
    public List<Dentry> names() {
        List<Dentry> all = new ArrayList<>();
        if (name != null) {
            all.add(name);
        }
        if (moreNames != null) {
            all.addAll(moreNames);
        }
        return all;
    }

    /** Returns a path for messages. */
    public String describe() {
        Pathname path = name == null ? lastPath : name.path();
        return path == null ? "a file without a name (version " + Long.toHexString(versionId) + ")" : path.toString();
    }

    /** Tells that the file cannot be read just now, once until it can. */
    public void refused(int errno, Consumer<String> problems) {
        if (refusedWith != errno) {
            refusedWith = errno;
            problems.accept(describe() + " cannot be read at byte " + bytes.position() + ": " + Errno.message(errno)
                    + "; its bytes stay at risk, it is tried again");
        }
    }

    // -- descriptor

    /** Returns the open file, or null. */
    public @Nullable Fd fd() {
        return fd;
    }

    /** Takes a descriptor; null when another version took it over. */
    public void open(@Nullable Fd opened, long tick) {
        fd = opened;
        lastUse = tick;
    }

    long lastUse() {
        return lastUse;
    }

    void used(long tick) {
        lastUse = tick;
    }

    // -- what the log has of it

    /** Returns who stores the first bytes. */
    public Origins origins() {
        return origins == null ? Origins.NONE : origins;
    }

    /** Appends a range that another version stores. */
    public void appendOrigin(long start, long end, long sourceVersion) {
        if (origins == null) {
            origins = new Origins();
        }
        origins.append(start, end, sourceVersion);
    }

    /** Returns the attributes as the log has them. */
    public Attributes recorded() {
        return new Attributes(recordedMode, recordedUid, recordedGid, recordedMtimeNs);
    }

    /** Says whether the log has these. */
    public boolean hasRecorded(int mode, int uid, int gid) {
        return mode == recordedMode && uid == recordedUid && gid == recordedGid;
    }

    /** Notes what the log has been told. */
    public void recorded(Attributes attributes) {
        recordedMode = attributes.mode();
        recordedUid = attributes.uid();
        recordedGid = attributes.gid();
        recordedMtimeNs = attributes.mtimeNs();
    }

    /** Returns the modification time the log has, from attributes or from the last run. */
    public long recordedMtimeNs() {
        return recordedMtimeNs;
    }

    /** Takes a run that was put into a commit. */
    public void advance(long lengthBytes, int crc) {
        bytes.advance(lengthBytes, crc);
        recordedMtimeNs = bytes.mtimeNs();
    }

    /** Says whether bytes of the file, as it was last looked at, are not in a commit yet. */
    public boolean hasBacklog() {
        return bytes.position() != bytes.size() || stage == Stage.UPLOADING;
    }

    /** Says whether the file may hold what was not read: zeros that wait, or a change that was told of or seen. */
    public boolean mayHoldMore() {
        boolean seen = bytes.mustCompareFirst() && bytes.mtimeNs() != Long.MIN_VALUE;
        return touched || hasBacklog() || bytes.isSuspect() || seen && bytes.mtimeNs() != recordedMtimeNs;
    }

    /** Says whether the backlog goes on without anything happening to the file. */
    public boolean canBeRead() {
        return refusedWith == 0 && bytes.heldBackBytes() == 0;
    }

    /** Returns the bytes a loss of the machine would lose now. */
    public long riskBytes() {
        return bytes.riskBytes(isLive());
    }
}
