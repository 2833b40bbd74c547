package io.chagres.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * How large and how full a file system is, read into memory that is used again; see statfs(2) and {@code struct statfs}
 * in {@code asm-generic/statfs.h}. The getters describe the last one asked for and are undefined after a failure.
 *
 * <p>Used by one thread at a time. Allocates nothing.
 */
public final class Statfs {
    /** The size of the structure that the kernel fills, bytes. */
    public static final int BYTES = 120;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final MemorySegment buffer;

    /**
     * Uses memory of somebody else, such as a stack frame's.
     *
     * @param memory {@value #BYTES} bytes, aligned to 8; borrowed as long as this object is used
     */
    public Statfs(MemorySegment memory) {
        buffer = Segments.structure(memory, BYTES, Long.BYTES);
    }

    /**
     * Asks about the file system of a file.
     *
     * @param fd a descriptor of any file on it, maybe one that only refers to a path
     * @return 0, or {@code -errno}
     */
    public int of(int fd) {
        return StatusCalls.fstatfs(fd, buffer);
    }

    /**
     * Returns the type, see {@code linux/magic.h}.
     *
     * @return f_type
     */
    public long type() {
        return buffer.get(LONG, 0);
    }

    /**
     * Returns the size of good reads and writes.
     *
     * @return bytes
     */
    public long blockSize() {
        return buffer.get(LONG, 8);
    }

    /**
     * Returns the size.
     *
     * @return fragments
     */
    public long blocks() {
        return buffer.get(LONG, 16);
    }

    /**
     * Returns the space that is free for the superuser.
     *
     * @return fragments
     */
    public long freeBlocks() {
        return buffer.get(LONG, 24);
    }

    /**
     * Returns the space that is free for others.
     *
     * @return fragments
     */
    public long availableBlocks() {
        return buffer.get(LONG, 32);
    }

    /**
     * Returns how many inodes there can be.
     *
     * @return a number, 0 where there is no limit
     */
    public long files() {
        return buffer.get(LONG, 40);
    }

    /**
     * Returns how many inodes are free.
     *
     * @return a number
     */
    public long freeFiles() {
        return buffer.get(LONG, 48);
    }

    /**
     * Returns a number that distinguishes file systems as long as they are mounted.
     *
     * @return f_fsid
     */
    public long id() {
        return buffer.get(LONG, 56);
    }

    /**
     * Returns how long names may be.
     *
     * @return bytes
     */
    public long nameLength() {
        return buffer.get(LONG, 64);
    }

    /**
     * Returns the unit of sizes.
     *
     * @return bytes of a fragment
     */
    public long fragmentSize() {
        return buffer.get(LONG, 72);
    }
}
