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
 * One version of one file while it is followed: which file, which names it has, what is known of its bytes. Holds no
 * policy: {@link Shipper} and its parts move it. Confined to the shipper's thread.
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

    final long versionId;
    final FileIdentity identity;
    final long device;
    /** What is known of its bytes. */
    final Verification bytes;

    private @Nullable Origins origins;

    private State state = State.CATCHING_UP;
    private @Nullable Dentry name;
    private @Nullable List<Dentry> moreNames;
    private @Nullable Fd fd;
    private long lastUse;

    boolean queued;
    boolean deferred;
    boolean closedByWriter;
    /** Whether an event told of a change since the file was looked at. */
    boolean touched;
    /** The kernel's handle, left when the descriptor was given back; and the last name, of a file that has neither. */
    byte @Nullable [] handle;

    int handleType;

    @Nullable
    Pathname lastPath;

    boolean movedOut;
    boolean derivedSought;

    @Nullable
    CopyComparison copy;

    boolean copySought;
    private long copyNeeds = -1;
    /** CRC32C of the first {@link CopyComparison#HEAD_BYTES}, once {@link #hasHead}. */
    int headCrc;

    boolean hasHead;

    /** Whether {@link Verifier} looks after it, and whether it waits for a comparison there. */
    boolean unproven;

    boolean comparisonDue;
    boolean comparisonRunning;

    @Nullable
    Tail predecessor;

    private int recordedMode;
    private int recordedUid;
    private int recordedGid;
    private long recordedMtimeNs = Long.MIN_VALUE;
    boolean active;
    int touchedCut = -1;
    /** The errno that was told of last, or 0 since the file was read to its end. */
    int refusedWith;

    long drainTarget = -1;
    long rotatedSinceMs;
    long rotatedAt = -1;
    boolean drained;
    /** Nobody can change the file any more: what it holds now is what it held last. */
    boolean lastLook;

    @Nullable
    ArrayDeque<ObjectJob> jobs;

    Tail(long versionId, FileIdentity identity, long device, PrefixChecksums prefix, Origins origins) {
        this.versionId = versionId;
        this.identity = identity;
        this.device = device;
        bytes = new Verification(prefix);
        this.origins = origins.isEmpty() ? null : origins;
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
        if (some == null && lastPath != null) {
            return lastPath.toString();
        }
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
            listener.problem(describe() + " cannot be read at byte " + bytes.position() + ": " + Errno.message(errno)
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

    /** Returns how much of an original must be acknowledged before this file is compared with it: as first seen. */
    long copyNeeds(long position) {
        if (copyNeeds < 0) {
            copyNeeds = position;
        }
        return copyNeeds;
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

    /** Stops comparing with an original: what follows is the file's own. */
    void endCopy() {
        CopyComparison ended = copy;
        copy = null;
        if (ended != null && !ended.running) { // else its answer closes it
            ended.close();
        }
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

    /** Takes a run that was put into a commit. */
    void advance(long lengthBytes, int crc) {
        bytes.advance(lengthBytes, crc);
        recordedMtimeNs = bytes.mtimeNs();
    }

    /** Says whether bytes of the file, as it was last looked at, are not in a commit yet. */
    boolean hasBacklog() {
        return bytes.position() != bytes.size() || ObjectUploads.pending(this);
    }

    /** Says whether the backlog goes on without anything happening to the file. */
    boolean canBeRead() {
        return refusedWith == 0 && bytes.heldBackBytes() == 0;
    }

    /** Returns the bytes a loss of the machine would lose now. */
    long riskBytes() {
        return bytes.riskBytes(isLive());
    }
}
