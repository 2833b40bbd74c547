package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Set;

/**
 * Which file system a file is on, in a way that survives reboots and renumbered devices. Safe for any thread.
 */
public final class FileSystemId {
    /** The bytes of an id. */
    public static final int BYTES = 16;

    /** {@code _IOR(0x15, 0, struct fsuuid2)} of {@code include/uapi/linux/fs.h}, since Linux 6.9. */
    private static final long FS_IOC_GETFSUUID = 0x8011_1500L;

    private static final int FSUUID2_BYTES = 17;
    private static final int STATFS_BYTES = 120;
    private static final long STATFS_FSID = 56;

    private static final long BTRFS_SUPER_MAGIC = 0x9123_683EL;

    /** File systems whose files change elsewhere or without the kernel's knowledge, by statfs(2) f_type. */
    private static final Set<Long> SILENT = Set.of(
            0x6969L, // NFS
            0x6573_5546L, // FUSE
            0xFF53_4D42L, // CIFS
            0xFE53_4D42L, // SMB2
            0x517BL, // SMB
            0x0102_1997L, // 9p
            0x00C3_6400L, // Ceph
            0x5346_414FL, // AFS
            0x7375_7245L, // Coda
            0x0BD0_0BD0L, // Lustre
            0x786F_4256L); // vboxsf

    private FileSystemId() {}

    /**
     * Identifies the file system of an open file: its UUID, or f_fsid and f_type of statfs(2) where the kernel gives none
     * and on btrfs, whose subvolumes share a UUID. Two mounted copies of one image have equal ids.
     *
     * @param fd a descriptor of any file on it
     * @return a new array of {@value #BYTES} bytes
     * @throws ErrnoException if the descriptor is bad
     */
    public static byte[] of(int fd) throws ErrnoException {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment statfs = statfs(fd, frame);
            long type = statfs.get(ValueLayout.JAVA_LONG, 0);
            MemorySegment uuid = frame.allocate(FSUUID2_BYTES, 1);
            uuid.fill((byte) 0);
            boolean known = type != BTRFS_SUPER_MAGIC && StatusCalls.ioctl(fd, FS_IOC_GETFSUUID, uuid) == 0;
            int length = known ? Math.min(BYTES, uuid.get(ValueLayout.JAVA_BYTE, 0)) : 0;
            if (length > 0) {
                byte[] bytes = uuid.asSlice(1, length).toArray(ValueLayout.JAVA_BYTE);
                return Arrays.copyOf(bytes, BYTES);
            }
            MemorySegment id = frame.allocate(BYTES, 8);
            MemorySegment.copy(statfs, STATFS_FSID, id, 0, 8);
            id.set(ValueLayout.JAVA_LONG, 8, type);
            return id.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /**
     * Returns the type of the file system of an open file.
     *
     * @param fd a descriptor of any file on it
     * @return f_type of statfs(2)
     * @throws ErrnoException if the descriptor is bad
     */
    public static long typeOf(int fd) throws ErrnoException {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return statfs(fd, frame).get(ValueLayout.JAVA_LONG, 0);
        }
    }

    /**
     * Tells whether inotify sees every change of files on a type of file system.
     *
     * @param type f_type of statfs(2)
     * @return false for NFS, FUSE, CIFS, 9p and others whose files can change elsewhere
     */
    public static boolean raisesEvents(long type) {
        return !SILENT.contains(type);
    }

    private static MemorySegment statfs(int fd, Frame frame) throws ErrnoException {
        MemorySegment buffer = frame.allocate(STATFS_BYTES, 8);
        int result = StatusCalls.fstatfs(fd, buffer);
        if (result < 0) {
            throw new ErrnoException("fstatfs", -result, "descriptor " + fd);
        }
        return buffer;
    }
}
