package io.chagres.fuse;

/**
 * A lock on a range of a file ({@code struct fuse_file_lock}), see fcntl(2) and flock(2). In a request it is a view
 * that is valid as long as the {@link Request}.
 */
public final class FileLock {
    /** Shared. */
    public static final int F_RDLCK = 0;

    /** Exclusive. */
    public static final int F_WRLCK = 1;

    /** None: to give a lock back, or to say that nothing is in the way. */
    public static final int F_UNLCK = 2;

    private long owner;
    private long start;
    private long end;
    private int type = F_UNLCK;
    private int pid;

    /** Makes a lock of nothing. */
    public FileLock() {}

    /**
     * Sets all fields.
     *
     * @param newOwner who holds it: opaque, equal for one owner
     * @param newStart its first byte
     * @param newEnd its last byte; Long.MAX_VALUE is the end of the file
     * @param newType {@link #F_RDLCK}, {@link #F_WRLCK} or {@link #F_UNLCK}
     * @param newPid the process that holds it
     * @return this
     */
    public FileLock set(long newOwner, long newStart, long newEnd, int newType, int newPid) {
        owner = newOwner;
        start = newStart;
        end = newEnd;
        type = newType;
        pid = newPid;
        return this;
    }

    /**
     * Returns the owner.
     *
     * @return opaque, equal for one owner
     */
    public long owner() {
        return owner;
    }

    /**
     * Returns its first byte.
     *
     * @return bytes from the start of the file
     */
    public long start() {
        return start;
    }

    /**
     * Returns its last byte.
     *
     * @return bytes from the start of the file; Long.MAX_VALUE is the end of the file
     */
    public long end() {
        return end;
    }

    /**
     * Returns the type.
     *
     * @return {@link #F_RDLCK}, {@link #F_WRLCK} or {@link #F_UNLCK}
     */
    public int type() {
        return type;
    }

    /**
     * Returns the process that holds it.
     *
     * @return its id
     */
    public int pid() {
        return pid;
    }
}
