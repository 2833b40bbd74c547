package io.chagres.fuse;

import io.chagres.fuse.wire.Abi;
import io.chagres.linux.FileTimes;
import io.chagres.linux.Statx;
import java.lang.foreign.MemorySegment;

/**
 * The attributes of a node: type, size, owner, times, and how long the kernel may believe them ({@code struct
 * fuse_attr} and the fields around it). Mutable and made to be reused; setters return this object. Times are
 * nanoseconds since 1970, sizes are bytes. Not safe for several threads at once.
 */
public final class Attributes {
    private static final long NS = 1_000_000_000L;

    private long ino;
    private long size;
    private long blocks;
    private long atimeNs;
    private long mtimeNs;
    private long ctimeNs;
    private long btimeNs;
    private int mode;
    private int nlink = 1;
    private int uid;
    private int gid;
    private int rdev;
    private int blockSize;
    private long generation;
    private long entryTimeoutNs;
    private long attributeTimeoutNs;

    /** Makes attributes of nothing: all zero, one link. */
    public Attributes() {}

    /**
     * Sets all to zero, and the number of links to one.
     *
     * @return this
     */
    public Attributes clear() {
        ino = 0;
        size = 0;
        blocks = 0;
        atimeNs = 0;
        mtimeNs = 0;
        ctimeNs = 0;
        btimeNs = 0;
        mode = 0;
        nlink = 1;
        uid = 0;
        gid = 0;
        rdev = 0;
        blockSize = 0;
        generation = 0;
        entryTimeoutNs = 0;
        attributeTimeoutNs = 0;
        return this;
    }

    /**
     * Copies all from another.
     *
     * @param other what to copy
     * @return this
     */
    public Attributes set(Attributes other) {
        ino = other.ino;
        size = other.size;
        blocks = other.blocks;
        atimeNs = other.atimeNs;
        mtimeNs = other.mtimeNs;
        ctimeNs = other.ctimeNs;
        btimeNs = other.btimeNs;
        mode = other.mode;
        nlink = other.nlink;
        uid = other.uid;
        gid = other.gid;
        rdev = other.rdev;
        blockSize = other.blockSize;
        generation = other.generation;
        entryTimeoutNs = other.entryTimeoutNs;
        attributeTimeoutNs = other.attributeTimeoutNs;
        return this;
    }

    /**
     * Copies what another file system says about a file, and leaves generation and timeouts.
     *
     * @param statx answered
     * @return this
     */
    public Attributes set(Statx statx) {
        ino = statx.ino();
        size = statx.size();
        blocks = statx.blocks();
        atimeNs = statx.atimeNs();
        mtimeNs = statx.mtimeNs();
        ctimeNs = statx.ctimeNs();
        btimeNs = statx.btimeNs();
        mode = statx.mode();
        nlink = statx.nlink();
        uid = statx.uid();
        gid = statx.gid();
        rdev = statx.rdev();
        blockSize = statx.blockSize();
        return this;
    }

    /**
     * Sets the number shown as st_ino.
     *
     * @param value the number; 0 shows the node number
     * @return this
     */
    public Attributes ino(long value) {
        ino = value;
        return this;
    }

    /**
     * Returns the number shown as st_ino.
     *
     * @return the number; 0 shows the node number
     */
    public long ino() {
        return ino;
    }

    /**
     * Sets the size, and the blocks of 512 bytes that hold it.
     *
     * @param value bytes
     * @return this
     */
    public Attributes size(long value) {
        size = value;
        blocks = (value + 511) >>> 9;
        return this;
    }

    /**
     * Returns the size, and the blocks of 512 bytes that hold it.
     *
     * @return bytes
     */
    public long size() {
        return size;
    }

    /**
     * Sets the space taken.
     *
     * @param value blocks of 512 bytes
     * @return this
     */
    public Attributes blocks(long value) {
        blocks = value;
        return this;
    }

    /**
     * Returns the space taken.
     *
     * @return blocks of 512 bytes
     */
    public long blocks() {
        return blocks;
    }

    /**
     * Sets the last access.
     *
     * @param value nanoseconds since 1970
     * @return this
     */
    public Attributes atimeNs(long value) {
        atimeNs = value;
        return this;
    }

    /**
     * Returns the last access.
     *
     * @return nanoseconds since 1970
     */
    public long atimeNs() {
        return atimeNs;
    }

    /**
     * Sets the last modification of the content.
     *
     * @param value nanoseconds since 1970
     * @return this
     */
    public Attributes mtimeNs(long value) {
        mtimeNs = value;
        return this;
    }

    /**
     * Returns the last modification of the content.
     *
     * @return nanoseconds since 1970
     */
    public long mtimeNs() {
        return mtimeNs;
    }

    /**
     * Sets the last change of content or attributes.
     *
     * @param value nanoseconds since 1970
     * @return this
     */
    public Attributes ctimeNs(long value) {
        ctimeNs = value;
        return this;
    }

    /**
     * Returns the last change of content or attributes.
     *
     * @return nanoseconds since 1970
     */
    public long ctimeNs() {
        return ctimeNs;
    }

    /**
     * Sets the birth, which only statx shows.
     *
     * @param value nanoseconds since 1970
     * @return this
     */
    public Attributes btimeNs(long value) {
        btimeNs = value;
        return this;
    }

    /**
     * Returns the birth, which only statx shows.
     *
     * @return nanoseconds since 1970
     */
    public long btimeNs() {
        return btimeNs;
    }

    /**
     * Sets type and permissions.
     *
     * @param value {@code S_IFMT} type and permission bits
     * @return this
     */
    public Attributes mode(int value) {
        mode = value;
        return this;
    }

    /**
     * Returns type and permissions.
     *
     * @return {@code S_IFMT} type and permission bits
     */
    public int mode() {
        return mode;
    }

    /**
     * Sets the number of names.
     *
     * @param value 1 or more
     * @return this
     */
    public Attributes nlink(int value) {
        nlink = value;
        return this;
    }

    /**
     * Returns the number of names.
     *
     * @return 1 or more
     */
    public int nlink() {
        return nlink;
    }

    /**
     * Sets the owner.
     *
     * @param value a user id
     * @return this
     */
    public Attributes uid(int value) {
        uid = value;
        return this;
    }

    /**
     * Returns the owner.
     *
     * @return a user id
     */
    public int uid() {
        return uid;
    }

    /**
     * Sets the group.
     *
     * @param value a group id
     * @return this
     */
    public Attributes gid(int value) {
        gid = value;
        return this;
    }

    /**
     * Returns the group.
     *
     * @return a group id
     */
    public int gid() {
        return gid;
    }

    /**
     * Sets the device of a device file.
     *
     * @param value encoded as by the kernel
     * @return this
     */
    public Attributes rdev(int value) {
        rdev = value;
        return this;
    }

    /**
     * Returns the device of a device file.
     *
     * @return encoded as by the kernel
     */
    public int rdev() {
        return rdev;
    }

    /**
     * Sets the size of good reads and writes.
     *
     * @param value bytes; 0 is 4096
     * @return this
     */
    public Attributes blockSize(int value) {
        blockSize = value;
        return this;
    }

    /**
     * Returns the size of good reads and writes.
     *
     * @return bytes; 0 is 4096
     */
    public int blockSize() {
        return blockSize;
    }

    /**
     * Sets the generation, which distinguishes the uses of a node number.
     *
     * @param value with the number unique for the life of the file system
     * @return this
     */
    public Attributes generation(long value) {
        generation = value;
        return this;
    }

    /**
     * Returns the generation, which distinguishes the uses of a node number.
     *
     * @return with the number unique for the life of the file system
     */
    public long generation() {
        return generation;
    }

    /**
     * Sets how long the kernel may believe the name.
     *
     * @param value nanoseconds; Long.MAX_VALUE is for ever
     * @return this
     */
    public Attributes entryTimeoutNs(long value) {
        entryTimeoutNs = value;
        return this;
    }

    /**
     * Sets how long the kernel may believe these attributes.
     *
     * @param value nanoseconds; Long.MAX_VALUE is for ever
     * @return this
     */
    public Attributes attributeTimeoutNs(long value) {
        attributeTimeoutNs = value;
        return this;
    }

    /**
     * Sets access, modification, change and birth to one time.
     *
     * @param value nanoseconds since 1970
     * @return this
     */
    public Attributes timesNs(long value) {
        atimeNs = value;
        mtimeNs = value;
        ctimeNs = value;
        btimeNs = value;
        return this;
    }

    /**
     * Sets how long the kernel may believe name and attributes.
     *
     * @param value nanoseconds; Long.MAX_VALUE is for ever
     * @return this
     */
    public Attributes timeoutsNs(long value) {
        entryTimeoutNs = value;
        attributeTimeoutNs = value;
        return this;
    }

    /**
     * Makes this a directory.
     *
     * @param permissions 0 to 07777
     * @return this
     */
    public Attributes directory(int permissions) {
        mode = Statx.S_IFDIR | permissions;
        nlink = 2;
        return this;
    }

    /**
     * Makes this a regular file.
     *
     * @param permissions 0 to 07777
     * @param sizeBytes its size
     * @return this
     */
    public Attributes file(int permissions, long sizeBytes) {
        mode = Statx.S_IFREG | permissions;
        return size(sizeBytes);
    }

    /**
     * Returns whether this is a directory.
     *
     * @return true if the mode says so
     */
    public boolean isDirectory() {
        return (mode & Statx.S_IFMT) == Statx.S_IFDIR;
    }

    /** Writes {@code fuse_entry_out}. */
    void writeEntry(MemorySegment to, long at, long node) {
        Abi.putLong(to, at + Abi.ENTRY_OUT_NODEID, node);
        Abi.putLong(to, at + Abi.ENTRY_OUT_GENERATION, generation);
        Abi.putLong(to, at + Abi.ENTRY_OUT_ENTRY_VALID, entryTimeoutNs / NS);
        Abi.putLong(to, at + Abi.ENTRY_OUT_ATTR_VALID, attributeTimeoutNs / NS);
        Abi.putInt(to, at + Abi.ENTRY_OUT_ENTRY_VALID_NSEC, (int) (entryTimeoutNs % NS));
        Abi.putInt(to, at + Abi.ENTRY_OUT_ATTR_VALID_NSEC, (int) (attributeTimeoutNs % NS));
        write(to, at + Abi.ENTRY_OUT_ATTR, node);
    }

    /** Writes {@code fuse_attr_out}. */
    void writeAttributes(MemorySegment to, long at, long node) {
        Abi.putLong(to, at + Abi.ATTR_OUT_ATTR_VALID, attributeTimeoutNs / NS);
        Abi.putLong(to, at + Abi.ATTR_OUT_ATTR_VALID_NSEC, attributeTimeoutNs % NS);
        write(to, at + Abi.ATTR_OUT_ATTR, node);
    }

    /** Writes {@code fuse_statx_out}. */
    void writeStatx(MemorySegment to, long at, long node) {
        for (int i = 0; i < Abi.STATX_OUT; i += Long.BYTES) {
            Abi.putLong(to, at + i, 0);
        }
        Abi.putLong(to, at + Abi.STATX_OUT_ATTR_VALID, attributeTimeoutNs / NS);
        Abi.putInt(to, at + Abi.STATX_OUT_ATTR_VALID_NSEC, (int) (attributeTimeoutNs % NS));
        long stat = at + Abi.STATX_OUT_STAT;
        Abi.putInt(to, stat + Abi.STATX_MASK, btimeNs == 0 ? 0x7ff : 0xfff); // STATX_BASIC_STATS, STATX_BTIME
        Abi.putInt(to, stat + Abi.STATX_BLKSIZE, blockSize == 0 ? 4096 : blockSize);
        Abi.putInt(to, stat + Abi.STATX_NLINK, nlink);
        Abi.putInt(to, stat + Abi.STATX_UID, uid);
        Abi.putInt(to, stat + Abi.STATX_GID, gid);
        Abi.putShort(to, stat + Abi.STATX_MODE, mode);
        Abi.putLong(to, stat + Abi.STATX_INO, ino == 0 ? node : ino);
        Abi.putLong(to, stat + Abi.STATX_SIZE, size);
        Abi.putLong(to, stat + Abi.STATX_BLOCKS, blocks);
        writeTime(to, stat + Abi.STATX_ATIME, atimeNs);
        writeTime(to, stat + Abi.STATX_BTIME, btimeNs);
        writeTime(to, stat + Abi.STATX_CTIME, ctimeNs);
        writeTime(to, stat + Abi.STATX_MTIME, mtimeNs);
        Abi.putInt(to, stat + Abi.STATX_RDEV_MAJOR, rdev >>> 8 & 0xfff);
        Abi.putInt(to, stat + Abi.STATX_RDEV_MINOR, (rdev & 0xff) | (rdev >>> 12 & 0xfff00));
    }

    private static void writeTime(MemorySegment to, long at, long timeNs) {
        Abi.putLong(to, at, FileTimes.seconds(timeNs));
        Abi.putInt(to, at + Long.BYTES, FileTimes.nanos(timeNs));
    }

    private void write(MemorySegment to, long at, long node) {
        Abi.putLong(to, at + Abi.ATTR_INO, ino == 0 ? node : ino);
        Abi.putLong(to, at + Abi.ATTR_SIZE, size);
        Abi.putLong(to, at + Abi.ATTR_BLOCKS, blocks);
        Abi.putLong(to, at + Abi.ATTR_ATIME, FileTimes.seconds(atimeNs));
        Abi.putLong(to, at + Abi.ATTR_MTIME, FileTimes.seconds(mtimeNs));
        Abi.putLong(to, at + Abi.ATTR_CTIME, FileTimes.seconds(ctimeNs));
        Abi.putInt(to, at + Abi.ATTR_ATIMENSEC, FileTimes.nanos(atimeNs));
        Abi.putInt(to, at + Abi.ATTR_MTIMENSEC, FileTimes.nanos(mtimeNs));
        Abi.putInt(to, at + Abi.ATTR_CTIMENSEC, FileTimes.nanos(ctimeNs));
        Abi.putInt(to, at + Abi.ATTR_MODE, mode);
        Abi.putInt(to, at + Abi.ATTR_NLINK, nlink);
        Abi.putInt(to, at + Abi.ATTR_UID, uid);
        Abi.putInt(to, at + Abi.ATTR_GID, gid);
        Abi.putInt(to, at + Abi.ATTR_RDEV, rdev);
        Abi.putInt(to, at + Abi.ATTR_BLKSIZE, blockSize == 0 ? 4096 : blockSize);
        Abi.putInt(to, at + Abi.ATTR_FLAGS, 0);
    }
}
