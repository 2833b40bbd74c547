package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;
import io.chagres.linux.FileTimes;
import io.chagres.linux.Statx;

/**
 * The changes that a setattr asks for ({@code struct fuse_setattr_in}). A view that is valid as long as its {@link
 * Request}; fields whose {@code has...} is false are unspecified.
 */
public final class AttributeChange {
    private static final int SET_USER_ID = 04000;
    private static final int SET_GROUP_ID = 02000;
    private static final int GROUP_EXECUTES = 010;

    private final Exchange exchange;

    AttributeChange(Exchange exchange) {
        this.exchange = exchange;
    }

    /**
     * Returns whether the size changes: truncate(2), or open(2) with O_TRUNC.
     *
     * @return true if it does
     */
    public boolean hasSize() {
        return has(Abi.FATTR_SIZE);
    }

    /**
     * Returns the new size.
     *
     * @return bytes
     */
    public long size() {
        return getLong(Abi.SETATTR_IN_SIZE);
    }

    /**
     * Returns whether the permissions change.
     *
     * @return true if they do
     */
    public boolean hasMode() {
        return has(Abi.FATTR_MODE);
    }

    /**
     * Returns the new permissions.
     *
     * @return type and permission bits; the type is the present one
     */
    public int mode() {
        return getInt(Abi.SETATTR_IN_MODE);
    }

    /**
     * Returns whether the owner changes.
     *
     * @return true if it does
     */
    public boolean hasUid() {
        return has(Abi.FATTR_UID);
    }

    /**
     * Returns the new owner.
     *
     * @return a user id
     */
    public int uid() {
        return getInt(Abi.SETATTR_IN_UID);
    }

    /**
     * Returns whether the group changes.
     *
     * @return true if it does
     */
    public boolean hasGid() {
        return has(Abi.FATTR_GID);
    }

    /**
     * Returns the new group.
     *
     * @return a group id
     */
    public int gid() {
        return getInt(Abi.SETATTR_IN_GID);
    }

    /**
     * Returns whether the time of the last access changes.
     *
     * @return true if it does
     */
    public boolean hasAtime() {
        return has(Abi.FATTR_ATIME);
    }

    /**
     * Returns the new time of the last access.
     *
     * @param nowNs the present time, for a caller that asked for it
     * @return nanoseconds since 1970
     */
    public long atimeNs(long nowNs) {
        return has(Abi.FATTR_ATIME_NOW) ? nowNs : time(Abi.SETATTR_IN_ATIME, Abi.SETATTR_IN_ATIMENSEC);
    }

    /**
     * Returns whether the time of the last modification changes.
     *
     * @return true if it does
     */
    public boolean hasMtime() {
        return has(Abi.FATTR_MTIME);
    }

    /**
     * Returns the new time of the last modification.
     *
     * @param nowNs the present time, for a caller that asked for it
     * @return nanoseconds since 1970
     */
    public long mtimeNs(long nowNs) {
        return has(Abi.FATTR_MTIME_NOW) ? nowNs : time(Abi.SETATTR_IN_MTIME, Abi.SETATTR_IN_MTIMENSEC);
    }

    /** Returns the new time of the last change: the kernel's own where it counts, as with WRITEBACK_CACHE. */
    private long ctimeNs(long nowNs) {
        return has(Abi.FATTR_CTIME) ? time(Abi.SETATTR_IN_CTIME, Abi.SETATTR_IN_CTIMENSEC) : nowNs;
    }

    /**
     * Returns whether the change is made through an open file: ftruncate(2), fchmod(2) and their family.
     *
     * @return true if {@link #handle()} is one
     */
    public boolean hasHandle() {
        return has(Abi.FATTR_FH);
    }

    /**
     * Returns the open file.
     *
     * @return the handle given at open
     */
    public long handle() {
        return getLong(Abi.SETATTR_IN_FH);
    }

    /**
     * Returns whether set-user-id and set-group-id bits must go, see {@link FuseFeature#HANDLE_KILLPRIV}.
     *
     * @return true if they must
     */
    public boolean killsPrivileges() {
        return has(Abi.FATTR_KILL_SUIDGID);
    }

    /**
     * Makes the change, for file systems that keep {@link Attributes}. The time of the last change becomes the present.
     * Where the kernel left that to the file system, set-user-id goes, and set-group-id of what the group may execute.
     *
     * @param attributes the attributes to change
     * @param nowNs the present time, nanoseconds since 1970
     */
    public void applyTo(Attributes attributes, long nowNs) {
        if (hasMode()) {
            attributes.mode((attributes.mode() & Statx.S_IFMT) | (mode() & ~Statx.S_IFMT));
        }
        if (killsPrivileges()) {
            attributes.mode(withoutPrivileges(attributes.mode()));
        }
        if (hasUid()) {
            attributes.uid(uid());
        }
        if (hasGid()) {
            attributes.gid(gid());
        }
        if (hasSize()) {
            attributes.size(size());
            attributes.mtimeNs(nowNs);
        }
        if (hasAtime()) {
            attributes.atimeNs(atimeNs(nowNs));
        }
        if (hasMtime()) {
            attributes.mtimeNs(mtimeNs(nowNs));
        }
        attributes.ctimeNs(ctimeNs(nowNs));
    }

    /** Without execution by the group the bit is a mark of mandatory locks. */
    private static int withoutPrivileges(int mode) {
        return mode & ~((mode & GROUP_EXECUTES) == 0 ? SET_USER_ID : SET_USER_ID | SET_GROUP_ID);
    }

    private boolean has(int bit) {
        return (getInt(Abi.SETATTR_IN_VALID) & bit) != 0;
    }

    private long time(int seconds, int nanoseconds) {
        return FileTimes.of(getLong(seconds), getInt(nanoseconds));
    }

    private long getLong(int field) {
        return exchange.argumentLong(field);
    }

    private int getInt(int field) {
        return exchange.argumentInt(field);
    }
}
