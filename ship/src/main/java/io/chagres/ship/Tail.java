package io.chagres.ship;

import io.chagres.archive.Attributes;
import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.watch.Dentry;
import io.chagres.watch.FileIdentity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Is one version of one file while it is followed: which file, which names it has, how far it was read and how far
 * the store has acknowledged it. Holds no policy: {@link Shipper} and its parts move it. Positions are bytes from the
 * start of the file. Confined to the shipper's thread.
 */
final class Tail {
    /** The life of a version, in order. */
    enum State {
        /** Has more to read than one turn takes. */
        CATCHING_UP,
        /** Was read to its end and is watched for more. */
        FOLLOWING,
        /** Has no name any more; its descriptor is held until it is read to its end and no writer is left. */
        ROTATED,
        /** Was truncated or rewritten: another version of the same file took over. */
        SUPERSEDED,
        /** Was read to its end for good. */
        DONE
    }

    /** What of the shipped prefix must be compared with the file before new bytes of it are committed. */
    enum Check {
        NOTHING,
        LAST_PIECES,
        WHOLE_PREFIX
    }

    static final int GUARD_BYTES = 4096;

    final long versionId;
    final FileIdentity identity;
    final long device;
    final PrefixChecksums prefix;
    private @Nullable Origins origins;

    private State state = State.CATCHING_UP;
    private @Nullable Dentry name;
    private @Nullable List<Dentry> moreNames;
    private @Nullable Fd fd;
    private long lastUse;

    private long position;
    private long acknowledged;
    private long size;
    private long mtimeNs = Long.MIN_VALUE;
    private int guardCrc;

    Check check = Check.NOTHING;
    boolean queued;
    boolean deferred;
    boolean closedByWriter;
    boolean movedOut;
    boolean inPlaceSuspect;
    boolean recheckDue;
    boolean originSought;
    boolean derivedSought;
    private long originNeeds = -1;
    int checkedPieces;

    @Nullable
    Tail predecessor;

    private int recordedMode;
    private int recordedUid;
    private int recordedGid;
    private long recordedMtimeNs = Long.MIN_VALUE;
    boolean active;
    int touchedCut = -1;
    long halfLineAt = -1;
    long heldBackBytes;
    /** The errno that was told of last, or 0 since the file was read to its end. */
    int refusedWith;

    long drainTarget = -1;
    long rotatedSinceMs;
    long rotatedAt = -1;
    boolean drained;

    @Nullable
    OriginMatch origin;

    @Nullable
    ArrayDeque<ObjectJob> jobs;

    private long dispatched;

    private long riskSinceMs;
    private long nextRiskSinceMs;

    Tail(long versionId, FileIdentity identity, long device, PrefixChecksums prefix, Origins origins) {
        this.versionId = versionId;
        this.identity = identity;
        this.device = device;
        this.prefix = prefix;
        this.origins = origins.isEmpty() ? null : origins;
        position = prefix.end();
        acknowledged = position;
        size = position;
        dispatched = position;
    }

    State state() {
        return state;
    }

    void enter(State next) {
        state = next;
    }

    boolean isLive() {
        return state != State.SUPERSEDED && state != State.DONE;
    }

    // -- names

    void addName(Dentry added) {
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

    boolean hasName() {
        return name != null;
    }

    /** Returns one of the names, or null when the file has none. */
    @Nullable
    Dentry name() {
        return name;
    }

    /** Returns all names. Allocates. */
    List<Dentry> names() {
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
    String describe() {
        Dentry some = name;
        if (some == null) {
            return "a file without a name (version " + Long.toHexString(versionId) + ")";
        }
        Pathname path = some.path();
        return path.toString();
    }

    /** Tells that the file cannot be read just now, once until it can. */
    void refused(int errno, ShipListener listener) {
        if (refusedWith != errno) {
            refusedWith = errno;
            listener.problem(describe() + " cannot be read at byte " + position + ": " + Errno.message(errno)
                    + "; its bytes stay at risk, it is tried again");
        }
    }

    // -- descriptor

    @Nullable
    Fd fd() {
        return fd;
    }

    void open(Fd opened) {
        fd = opened;
    }

    /** Gives up the descriptor without closing it; a successor version takes it over. */
    @Nullable
    Fd releaseFd() {
        Fd released = fd;
        fd = null;
        return released;
    }

    void closeFd() {
        if (fd != null) {
            fd.close();
            fd = null;
        }
    }

    long lastUse() {
        return lastUse;
    }

    void used(long tick) {
        lastUse = tick;
    }

    /** Returns how much of the original must be acknowledged before this copy is compared with it: as first seen. */
    long originNeeds(long position) {
        if (originNeeds < 0) {
            originNeeds = position;
        }
        return originNeeds;
    }

    /** Returns who stores the first bytes. */
    Origins origins() {
        return origins == null ? Origins.NONE : origins;
    }

    /** Appends a range that another version stores. */
    void appendOrigin(long start, long end, long sourceVersion) {
        if (origins == null) {
            origins = new Origins();
        }
        origins.append(start, end, sourceVersion);
    }

    // -- attributes

    /** Returns the attributes as the log has them. */
    Attributes recorded() {
        return new Attributes(recordedMode, recordedUid, recordedGid, recordedMtimeNs);
    }

    /** Says whether the log has these. */
    boolean hasRecorded(int mode, int uid, int gid) {
        return mode == recordedMode && uid == recordedUid && gid == recordedGid;
    }

    /** Notes what the log has been told. */
    void recorded(Attributes attributes) {
        recordedMode = attributes.mode();
        recordedUid = attributes.uid();
        recordedGid = attributes.gid();
        recordedMtimeNs = attributes.mtimeNs();
    }

    /** Returns the modification time the log has, from attributes or from the last run. */
    long recordedMtimeNs() {
        return recordedMtimeNs;
    }

    // -- positions

    /** Returns the position of the next byte that is not in a commit yet. */
    long position() {
        return position;
    }

    /** Returns the position up to which the store has acknowledged every byte. */
    long acknowledged() {
        return acknowledged;
    }

    /** Returns the position up to which bytes are in commits or in data objects under way. */
    long dispatched() {
        return Math.max(dispatched, position);
    }

    void dispatch(long end) {
        dispatched = end;
    }

    long size() {
        return size;
    }

    long mtimeNs() {
        return mtimeNs;
    }

    int guardCrc() {
        return guardCrc;
    }

    int guardLength() {
        return (int) Math.min(GUARD_BYTES, position);
    }

    void guard(int crc) {
        guardCrc = crc;
    }

    /** Makes the next reading fail its verification, so that a new version begins at what is proven. */
    void distrust() {
        guardCrc = ~guardCrc;
        check = Check.WHOLE_PREFIX;
        checkedPieces = 0;
    }

    /** Takes a run that was put into a commit. */
    void advance(long lengthBytes, int crc) {
        position += lengthBytes;
        prefix.append(lengthBytes, crc);
        recordedMtimeNs = mtimeNs;
    }

    /** Notes the size and time the file has now; new bytes begin to be at risk at that moment. */
    void observe(long sizeBytes, long modifiedNs, long nowMs) {
        size = sizeBytes;
        mtimeNs = modifiedNs;
        if (sizeBytes > acknowledged) {
            if (riskSinceMs == 0) {
                riskSinceMs = nowMs;
            } else if (nextRiskSinceMs == 0) {
                nextRiskSinceMs = nowMs;
            }
        } else {
            riskSinceMs = 0;
            nextRiskSinceMs = 0;
        }
    }

    /** Marks the cut of a commit: bytes that are not in it, now or noticed later, keep their own age. */
    void cut() {
        nextRiskSinceMs = position < size ? riskSinceMs : 0;
    }

    /** Takes the store's acknowledgement of everything up to a position. */
    void acknowledge(long upTo, long nowMs) {
        acknowledged = Math.max(acknowledged, upTo);
        riskSinceMs = acknowledged >= size ? 0 : nextRiskSinceMs != 0 ? nextRiskSinceMs : nowMs;
        nextRiskSinceMs = 0;
    }

    /** Says whether bytes of the file, as it was last looked at, are not in a commit yet. */
    boolean hasBacklog() {
        return position < size || check != Check.NOTHING && size != position || ObjectUploads.pending(this);
    }

    /** Says whether the backlog goes on without anything happening to the file. */
    boolean canBeRead() {
        return refusedWith == 0 && heldBackBytes == 0;
    }

    /** Returns the bytes a loss of the machine would lose now. */
    long riskBytes() {
        return isLive() ? Math.max(0, size - acknowledged) : Math.max(0, position - acknowledged);
    }

    /**
     * Returns when the oldest byte at risk was noticed, in milliseconds of the shipper's clock; 0 when there is none.
     */
    long riskSinceMs() {
        return riskSinceMs;
    }
}
