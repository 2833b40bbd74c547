package io.chagres.linux;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

/** The id of the file system of a file, which survives reboots and renumbered devices. Safe for any thread. */
public final class FileSystemId {
    /** Type of btrfs, {@code include/uapi/linux/magic.h}. */
    public static final long BTRFS = 0x9123683EL;
    /** Type of XFS, {@code include/uapi/linux/magic.h}. */
    public static final long XFS = 0x58465342L;

    /** The bytes of an id. */
    public static final int BYTES = 16;

    /** {@code _IOR(0x15, 0, struct fsuuid2)} of {@code include/uapi/linux/fs.h}, since Linux 6.9. */
    private static final long FS_IOC_GETFSUUID = 0x8011_1500L;

    private static final int FSUUID2_BYTES = 17;

    /** {@code _IOR(0x94, 31, struct btrfs_ioctl_fs_info_args)} of {@code include/uapi/linux/btrfs.h}. */
    private static final long BTRFS_IOC_FS_INFO = 0x8400_941FL;

    private static final int FS_INFO_BYTES = 1024;
    private static final int FS_INFO_FSID = 16;

    private static final long OVERLAYFS_SUPER_MAGIC = 0x794C_7630L;

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

    /** File systems whose files have no bytes until they are read, and sizes that say nothing of them. */
    private static final Set<Long> PSEUDO = Set.of(
            0x9FA0L, // proc
            0x6265_6572L, // sysfs
            0x0027_E0EBL, // cgroup
            0x6367_7270L, // cgroup2
            0x6462_6720L, // debugfs
            0x7472_6163L, // tracefs
            0x7363_6673L, // securityfs
            0xF97C_FF8CL, // selinuxfs
            0x6265_6570L); // configfs

    /**
     * File systems that write pages back and then learn of the first store into each page (page_mkwrite), upon which
     * they move the file's times; by statfs(2) f_type.
     */
    private static final Set<Long> TIMED_STORES = Set.of(
            0xEF53L, // ext2, ext3, ext4
            XFS,
            BTRFS,
            0xF2F5_2010L); // F2FS

    /** What mount(8) calls types, by statfs(2) f_type. */
    private static final Map<Long, String> NAMES = Map.ofEntries(
            Map.entry(0xEF53L, "ext4"), // ext2 and ext3 as well
            Map.entry(XFS, "xfs"),
            Map.entry(BTRFS, "btrfs"),
            Map.entry(0x0102_1994L, "tmpfs"),
            Map.entry(0x8584_58F6L, "ramfs"),
            Map.entry(OVERLAYFS_SUPER_MAGIC, "overlayfs"),
            Map.entry(0x6969L, "nfs"),
            Map.entry(0x6573_5546L, "fuse"),
            Map.entry(0xFF53_4D42L, "cifs"),
            Map.entry(0xFE53_4D42L, "smb2"),
            Map.entry(0x0102_1997L, "9p"),
            Map.entry(0x00C3_6400L, "ceph"),
            Map.entry(0x4D44L, "vfat"),
            Map.entry(0x2011_BAB0L, "exfat"),
            Map.entry(0x7371_7368L, "squashfs"),
            Map.entry(0xF2F5_2010L, "f2fs"),
            Map.entry(0x2FC1_2FC1L, "zfs"));

    private static final byte[] NO_UUID = new byte[BYTES];

    private FileSystemId() {}

    /**
     * Identifies the file system of an open file: its UUID, or f_fsid and f_type of statfs(2) where the kernel gives
     * none (or zeros, of an image made without) and on btrfs, whose subvolumes share a UUID. Two mounted copies of one
     * image have equal ids.
     *
     * @param fd a descriptor of any file on it
     * @return a new array of {@value #BYTES} bytes; zeros if the kernel says nothing, as for a bad descriptor
     */
    public static byte[] of(int fd) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            Statfs statfs = statfs(fd, frame);
            long type = statfs.type();
            MemorySegment uuid = frame.allocate(FSUUID2_BYTES, 1).fill((byte) 0);
            if (type != BTRFS) {
                StatusCalls.ioctl(fd, FS_IOC_GETFSUUID, uuid);
            }
            byte[] bytes = uuid.asSlice(1).toArray(ValueLayout.JAVA_BYTE);
            if (!Arrays.equals(bytes, NO_UUID)) {
                return bytes;
            }
            MemorySegment id = frame.allocate(BYTES, 8);
            id.set(ValueLayout.JAVA_LONG, 0, statfs.id());
            id.set(ValueLayout.JAVA_LONG, 8, type);
            return id.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /**
     * Identifies what the blocks of a file belong to: the file system with all its subvolumes, whose files can share
     * blocks.
     *
     * @param fd a descriptor of any file on it
     * @return a new array of {@value #BYTES} bytes: the UUID, of btrfs too, or what {@link #of} says
     */
    public static byte[] ofVolume(int fd) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment info = frame.allocate(FS_INFO_BYTES, 8).fill((byte) 0);
            if (statfs(fd, frame).type() != BTRFS || StatusCalls.ioctl(fd, BTRFS_IOC_FS_INFO, info) < 0) {
                return of(fd);
            }
            return info.asSlice(FS_INFO_FSID, BYTES).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /**
     * Returns the type of the file system of an open file.
     *
     * @param fd a descriptor of any file on it
     * @return f_type of statfs(2), or 0 if the kernel says nothing
     */
    public static long typeOf(int fd) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return statfs(fd, frame).type();
        }
    }

    /**
     * Names a type of file system for people.
     *
     * @param type f_type of statfs(2)
     * @return {@code ext4}, or {@code type 0x...} when it has no name here
     */
    public static String nameOf(long type) {
        String name = NAMES.get(type);
        return name == null ? "type 0x" + Long.toHexString(type) : name;
    }

    /**
     * Returns whether inotify sees every change of files on a type of file system.
     *
     * @param type f_type of statfs(2)
     * @return false for NFS, FUSE, CIFS, 9p and others whose files can change elsewhere
     */
    public static boolean raisesEvents(long type) {
        return !SILENT.contains(type);
    }

    /**
     * Returns whether the files of a type of file system are made by the kernel when they are read.
     *
     * @param type f_type of statfs(2)
     * @return true for proc, sysfs, cgroup and others like them
     */
    public static boolean isPseudo(long type) {
        return PSEUDO.contains(type);
    }

    /**
     * Returns whether a store through a mapping moves the times of the file when the page was written back before.
     *
     * @param type f_type of statfs(2)
     * @return false for tmpfs, ramfs and overlayfs, which may lie on them, and for types that are not known to
     */
    public static boolean timesStores(long type) {
        return TIMED_STORES.contains(type);
    }

    /**
     * Returns whether a type is overlayfs, where a file's birth time changes when it is copied up.
     *
     * @param type f_type of statfs(2)
     * @return true for overlayfs
     */
    public static boolean isOverlay(long type) {
        return type == OVERLAYFS_SUPER_MAGIC;
    }

    /** All zeros if the kernel says nothing. */
    private static Statfs statfs(int fd, Frame frame) {
        Statfs statfs = new Statfs(frame.allocate(Statfs.BYTES, 8).fill((byte) 0));
        statfs.of(fd);
        return statfs;
    }
}
