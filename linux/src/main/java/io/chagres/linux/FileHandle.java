package io.chagres.linux;

import io.chagres.foreign.CString;
import io.chagres.foreign.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The handle by which a file system knows a file for as long as it exists, see name_to_handle_at(2): an inode number
 * that returns after deletion comes with another generation. The getters describe the last file asked for and are
 * undefined after a failure.
 *
 * <p>The bytes are laid out as {@code fs/*}{@code /export.c} and {@code include/linux/exportfs.h} say; inode and
 * generation are parsed, because the raw bytes of one file can change with mount options (XFS inode32). Used by one
 * thread at a time. Asking allocates nothing.
 */
public final class FileHandle implements AutoCloseable {
    private static final int MAX_HANDLE_SZ = 128;
    private static final int HEADER = 8;
    private static final int MOUNT_ID = HEADER + MAX_HANDLE_SZ;

    private static final int FILEID_INO32_GEN = 0x01;
    private static final int FILEID_INO32_GEN_PARENT = 0x02;
    private static final int FILEID_BTRFS_WITHOUT_PARENT = 0x4d;
    private static final int FILEID_BTRFS_WITH_PARENT_ROOT = 0x4f;
    private static final int FILEID_INO64_GEN = 0x81;
    private static final int FILEID_INO64_GEN_PARENT = 0x82;

    /** The size of tmpfs's handle, which is generation and 64-bit inode under the type of 32-bit ones. */
    private static final int SHMEM_BYTES = 12;

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment handle = arena.allocate(MOUNT_ID + Integer.BYTES, 8);
    private final MemorySegment mountId = handle.asSlice(MOUNT_ID);

    /** Makes a buffer, freed by {@link #close()}. */
    public FileHandle() {}

    /**
     * Asks for the handle of an open file. Where handles cannot be opened again (overlayfs), the kernel still gives one
     * as an identity since Linux 6.5.
     *
     * @param fd its descriptor
     * @return 0, or {@code -errno}; -EOPNOTSUPP if the file system has no handles
     */
    public int of(int fd) {
        int result = ask(fd, StatusCalls.AT_EMPTY_PATH);
        if (result != -Errno.EOPNOTSUPP) {
            return result;
        }
        result = ask(fd, StatusCalls.AT_EMPTY_PATH | StatusCalls.AT_HANDLE_FID);
        // EINVAL is how kernels before 6.5 answer the flag.
        return result == -Errno.EINVAL ? -Errno.EOPNOTSUPP : result;
    }

    /**
     * Returns the type the file system gave the handle.
     *
     * @return a {@code FILEID_} number
     */
    public int type() {
        return handle.get(INT, 4);
    }

    /**
     * Returns the inode number in the handle.
     *
     * @return the number, or 0 if the layout of this type is not known
     */
    public long inode() {
        return switch (type()) {
            case FILEID_INO32_GEN ->
                length() == SHMEM_BYTES ? handle.get(LONG, HEADER + 4) : Integer.toUnsignedLong(word(0));
            case FILEID_INO32_GEN_PARENT -> Integer.toUnsignedLong(word(0));
            case FILEID_INO64_GEN, FILEID_INO64_GEN_PARENT -> handle.get(LONG, HEADER);
            default -> isBtrfs() ? handle.get(LONG, HEADER) : 0;
        };
    }

    /**
     * Returns the generation, which distinguishes files that had one inode number after another.
     *
     * @return the generation; with btrfs mixed with the subvolume; a hash of the handle if its layout is not known
     */
    public long generation() {
        return switch (type()) {
            case FILEID_INO32_GEN -> Integer.toUnsignedLong(word(length() == SHMEM_BYTES ? 0 : 4));
            case FILEID_INO32_GEN_PARENT -> Integer.toUnsignedLong(word(4));
            case FILEID_INO64_GEN, FILEID_INO64_GEN_PARENT -> Integer.toUnsignedLong(word(8));
            default -> isBtrfs() ? btrfsGeneration() : hash();
        };
    }

    /**
     * Returns a copy of the handle without its header.
     *
     * @return up to 128 bytes
     */
    public byte[] bytes() {
        return handle.asSlice(HEADER, length()).toArray(ValueLayout.JAVA_BYTE);
    }

    /**
     * Opens a file by its handle, also when it no longer has a name, see open_by_handle_at(2). Needs
     * CAP_DAC_READ_SEARCH.
     *
     * @param mountFd a descriptor of any file or directory of the same file system, not of O_PATH
     * @param type what {@link #type()} said of the file
     * @param bytes what {@link #bytes()} said of the file
     * @param flags as for open(2); O_CLOEXEC is added
     * @return a raw descriptor that the caller owns, or {@code -errno}; -ESTALE if the file no longer exists
     */
    public int tryOpen(int mountFd, int type, byte[] bytes, int flags) {
        set(type, bytes);
        return StatusCalls.openByHandleAt(mountFd, handle, flags | Fd.O_CLOEXEC);
    }

    /**
     * Opens a file by what {@link #inode()} and {@link #generation()} said of it, whatever became of its names: it
     * makes the handle from the handle of another file of the same file system. Needs CAP_DAC_READ_SEARCH. It may open
     * another file if the handle's layout or the subvolume differs; the caller compares.
     *
     * @param alikeFd a descriptor of any file or directory of the same file system, not of O_PATH
     * @param flags as for open(2); O_CLOEXEC is added
     * @return a raw descriptor that the caller owns, or {@code -errno}; -ESTALE if the file no longer exists,
     *     -EOPNOTSUPP where handles cannot be opened or their layout is not known
     */
    public int tryOpenAlike(int alikeFd, long inode, long generation, int flags) {
        int asked = ask(alikeFd, StatusCalls.AT_EMPTY_PATH);
        if (asked < 0) {
            return asked;
        }
        int type = type();
        if (type == FILEID_INO32_GEN && length() == SHMEM_BYTES) {
            handle.set(INT, HEADER, (int) generation);
            handle.set(LONG, HEADER + 4, inode);
        } else if (type == FILEID_INO32_GEN) {
            handle.set(INT, HEADER, (int) inode);
            handle.set(INT, HEADER + 4, (int) generation);
        } else if (type == FILEID_INO64_GEN) {
            handle.set(LONG, HEADER, inode);
            handle.set(INT, HEADER + 8, (int) generation);
        } else if (type == FILEID_BTRFS_WITHOUT_PARENT) {
            long root = handle.get(LONG, HEADER + 8);
            handle.set(LONG, HEADER, inode);
            handle.set(INT, HEADER + 16, (int) (generation ^ root * FNV_PRIME));
        } else {
            return -Errno.EOPNOTSUPP;
        }
        return StatusCalls.openByHandleAt(alikeFd, handle, flags | Fd.O_CLOEXEC);
    }

    /** Frees the buffer. Idempotent. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    /** Puts a handle here as if the kernel had. */
    void set(int type, byte[] bytes) {
        handle.set(INT, 0, bytes.length);
        handle.set(INT, 4, type);
        MemorySegment.copy(bytes, 0, handle, ValueLayout.JAVA_BYTE, HEADER, bytes.length);
    }

    private int ask(int fd, int flags) {
        handle.set(INT, 0, MAX_HANDLE_SZ);
        return StatusCalls.nameToHandleAt(fd, CString.EMPTY, handle, mountId, flags);
    }

    private int length() {
        return handle.get(INT, 0);
    }

    private int word(int offset) {
        return handle.get(INT, HEADER + offset);
    }

    private boolean isBtrfs() {
        return type() >= FILEID_BTRFS_WITHOUT_PARENT && type() <= FILEID_BTRFS_WITH_PARENT_ROOT;
    }

    /** An inode number is unique within its subvolume (root) only, so that belongs to the identity. */
    private long btrfsGeneration() {
        long root = handle.get(LONG, HEADER + 8);
        return root * FNV_PRIME ^ Integer.toUnsignedLong(word(16));
    }

    /** FNV-1a over the bytes. */
    private long hash() {
        long hash = FNV_OFFSET;
        for (int i = 0; i < length(); i++) {
            hash = (hash ^ (handle.get(ValueLayout.JAVA_BYTE, HEADER + i) & 0xff)) * FNV_PRIME;
        }
        return hash;
    }
}
