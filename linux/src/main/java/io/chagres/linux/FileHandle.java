package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Reads the kernel's handle of an open file ({@code name_to_handle_at(2)}): what stays the same as long as the file
 * exists and is never given to another. Reusable buffer, confined to one thread, allocates nothing per call.
 */
public final class FileHandle implements AutoCloseable {
    private static final int MAX_HANDLE_BYTES = 128;
    private static final int AT_HANDLE_FID = 0x200;
    private static final int FILEID_INO32_GEN = 1;
    private static final int FILEID_INO32_GEN_PARENT = 2;
    private static final int FILEID_INO64_GEN = 0x81;
    private static final int FILEID_INO64_GEN_PARENT = 0x82;
    private static final int FILEID_BTRFS = 0x4d;
    private static final int FILEID_BTRFS_PARENT = 0x4e;
    private static final int FILEID_BTRFS_PARENT_ROOT = 0x4f;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(8 + MAX_HANDLE_BYTES, 8);
    private final MemorySegment mountId = arena.allocate(8, 8);
    private final MemorySegment empty = arena.allocate(1);

    /** Makes a buffer; close it. */
    public FileHandle() {}

    /** Reads the handle of an open descriptor; returns 0 or -errno (EOPNOTSUPP: the file system has none). */
    public int of(int fd) {
        int result = call(fd, Nr.AT_EMPTY_PATH);
        return result == -Errno.EOPNOTSUPP ? call(fd, Nr.AT_EMPTY_PATH | AT_HANDLE_FID) : result;
    }

    private int call(int fd, int flags) {
        buffer.set(ValueLayout.JAVA_INT, 0, MAX_HANDLE_BYTES);
        return (int) SystemCall.repeatable(
                Nr.NAME_TO_HANDLE_AT, fd, empty.address(), buffer.address(), mountId.address(), flags, 0);
    }

    /** Returns the type of the handle, which says how the file system builds it. */
    public int type() {
        return buffer.get(ValueLayout.JAVA_INT, 4);
    }

    private int length() {
        return Math.min(MAX_HANDLE_BYTES, buffer.get(ValueLayout.JAVA_INT, 0));
    }

    /**
     * Returns the generation that tells apart files that had one inode number in turn. Of handle types this class does
     * not know it is a hash of all bytes, which never changes for a file either.
     */
    public long generation() {
        return switch (type()) {
            case FILEID_INO32_GEN, FILEID_INO32_GEN_PARENT -> length() == 12 ? hash() : u32(12);
            case FILEID_INO64_GEN, FILEID_INO64_GEN_PARENT -> u32(16);
            case FILEID_BTRFS, FILEID_BTRFS_PARENT, FILEID_BTRFS_PARENT_ROOT -> u32(24) ^ (rootObject() << 32);
            default -> hash();
        };
    }

    /** btrfs: one inode number may exist in many subvolumes. */
    private long rootObject() {
        return buffer.get(LONG, 16);
    }

    private long u32(long offset) {
        return buffer.get(ValueLayout.JAVA_INT, offset) & 0xffffffffL;
    }

    private long hash() {
        long hash = type();
        for (int i = 0; i < length(); i++) {
            hash = (hash ^ (buffer.get(ValueLayout.JAVA_BYTE, 8L + i) & 0xff)) * 0x100000001b3L;
        }
        return hash;
    }

    /** Returns a copy of the handle's bytes. */
    public byte[] bytes() {
        return buffer.asSlice(8, length()).toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void close() {
        arena.close();
    }
}
