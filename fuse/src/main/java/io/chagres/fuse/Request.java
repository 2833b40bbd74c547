package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.Opcode;
import java.lang.foreign.MemorySegment;

/**
 * The header of a request: the caller and the operation ({@code struct fuse_in_header}). Valid until the request is
 * answered and its handler returned; then the object describes another request. Allocates nothing.
 */
public final class Request {
    /** See {@link #supplementaryGroup()}. */
    public static final int NO_GROUP = -1;

    /** The kernel's number of the request: kept apart, because a caller whose answer has another waits for ever. */
    long unique;

    /** Where the request is. The payload, which handlers see, is read-only. */
    MemorySegment header = MemorySegment.NULL;

    long headerAt;
    MemorySegment payload = MemorySegment.NULL;
    long payloadEnd;

    /** The request that got a signal, 0 for none: the signal may come so late that another request is here. */
    private volatile long interruptedUnique;

    /** Not part of every request: what the operation found in its arguments. */
    private int umask;

    private long lockOwner;

    Request() {}

    /**
     * Returns the kernel's number of this request.
     *
     * @return unique among those not answered yet
     */
    public long unique() {
        return unique;
    }

    /**
     * Returns whether a server that died may have handled this request already, in part or whole, with {@link
     * FuseFeature#RESEND}. What that server made is there then: a mkdir is answered for a directory that exists.
     *
     * @return true if the kernel sends it not for the first time
     */
    public boolean isResent() {
        return (unique & Abi.UNIQUE_RESEND) != 0;
    }

    /**
     * Returns the node the request is about.
     *
     * @return the number given at lookup; the root is {@link FuseFileSystem#ROOT}
     */
    public long node() {
        return Abi.getLong(header, headerAt + Abi.IN_HEADER_NODEID);
    }

    /**
     * Returns the user for permission checks.
     *
     * @return the file system user id of the calling thread; see {@link FuseFeature#IDMAPPED_MOUNTS}
     */
    public int uid() {
        return Abi.getInt(header, headerAt + Abi.IN_HEADER_UID);
    }

    /**
     * Returns the group for permission checks.
     *
     * @return the file system group id of the calling thread; see {@link FuseFeature#IDMAPPED_MOUNTS}
     */
    public int gid() {
        return Abi.getInt(header, headerAt + Abi.IN_HEADER_GID);
    }

    /**
     * Returns the calling thread.
     *
     * @return its id; 0 for requests that the kernel makes by itself, such as writing back, or from another namespace
     */
    public int pid() {
        return Abi.getInt(header, headerAt + Abi.IN_HEADER_PID);
    }

    /**
     * Returns the operation.
     *
     * @return a number of {@code enum fuse_opcode}
     */
    int opcode() {
        return Abi.getInt(header, headerAt + Abi.IN_HEADER_OPCODE);
    }

    /**
     * Returns the operation in words.
     *
     * @return such as {@code getattr}
     */
    public String operation() {
        return Opcode.name(opcode());
    }

    /**
     * Returns the caller's umask, already applied to the mode unless {@link FuseFeature#OWN_UMASK} was agreed on.
     *
     * @return permission bits; 0 where the request has none
     */
    public int umask() {
        return umask;
    }

    /**
     * Returns a group that the caller belongs to besides {@link #gid()}: the group of the directory in which a name is
     * made, if the caller belongs to it and {@link FuseFeature#CREATE_GROUP} was agreed on.
     *
     * @return a group id, or {@link #NO_GROUP}
     */
    public int supplementaryGroup() {
        MemorySegment from = payload;
        long at = payloadEnd;
        long end = at + 8L * Abi.getShort(header, headerAt + Abi.IN_HEADER_TOTAL_EXTLEN);
        while (end - at >= Abi.EXT_HEADER) {
            int size = Abi.getInt(from, at + Abi.EXT_HEADER_SIZE);
            if (size < Abi.EXT_HEADER || size > end - at) {
                throw new MalformedRequest(operation() + " has an extension of " + size + " bytes");
            }
            if (Abi.getInt(from, at + Abi.EXT_HEADER_TYPE) == Abi.EXT_GROUPS && size >= Abi.EXT_HEADER + 8) {
                return Abi.getInt(from, at + Abi.EXT_HEADER + 4);
            }
            at += size;
        }
        return NO_GROUP;
    }

    /**
     * Returns the owner of locks: opaque, equal for one owner.
     *
     * @return 0 where the request has none
     */
    public long lockOwner() {
        return lockOwner;
    }

    /**
     * Returns whether the caller got a signal and waits only for the answer. A slow operation then answers EINTR, or
     * finishes.
     *
     * @return true from the moment on that the kernel said so
     */
    public boolean interrupted() {
        long told = interruptedUnique;
        return told != 0 && told == unique;
    }

    @Override
    public String toString() {
        return operation() + " of node " + node() + ", request " + unique();
    }

    void reset() {
        umask = 0;
        lockOwner = 0;
    }

    void umask(int value) {
        umask = value;
    }

    void lockOwner(long value) {
        lockOwner = value;
    }

    void interrupt(long ofUnique) {
        interruptedUnique = ofUnique;
    }
}
