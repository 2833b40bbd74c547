package io.chagres.linux;

import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Tells file systems apart in a way that outlives a reboot. Stateless, safe for any thread; allocates. */
public final class FileSystemId {
    private static final long FS_IOC_GETFSUUID = 0x80111500L;
    private static final long BTRFS_SUPER_MAGIC = 0x9123683EL;
    private static final long OVERLAYFS_SUPER_MAGIC = 0x794c7630L;
    private static final long[] WITHOUT_EVENTS = {
        0x6969L /* NFS */, 0x65735546L /* FUSE */, 0xFF534D42L /* CIFS */, 0xFE534D42L /* SMB2 */, 0x01021997L /* 9p */
    };

    private FileSystemId() {}

    /**
     * Returns 16 bytes that identify the file system of an open descriptor: its UUID, or on btrfs (where subvolumes
     * matter) and where there is none, f_fsid and f_type of statfs(2).
     */
    public static byte[] of(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment stat = statfs(arena, fd);
            long type = stat.get(ValueLayout.JAVA_LONG, 0);
            MemorySegment uuid = arena.allocate(17);
            if (type != BTRFS_SUPER_MAGIC
                    && SystemCall.repeatable(Nr.IOCTL, fd, FS_IOC_GETFSUUID, uuid.address(), 0, 0, 0) == 0
                    && uuid.get(ValueLayout.JAVA_BYTE, 0) == 16) {
                byte[] id = uuid.asSlice(1, 16).toArray(ValueLayout.JAVA_BYTE);
                if (!Arrays.equals(id, new byte[16])) {
                    return id;
                }
            }
            byte[] id = new byte[16];
            MemorySegment.copy(stat, ValueLayout.JAVA_BYTE, 56, id, 0, 8);
            MemorySegment.copy(stat, ValueLayout.JAVA_BYTE, 0, id, 8, 8);
            return id;
        }
    }

    /** Returns f_type of statfs(2), the magic number of include/uapi/linux/magic.h; 0 when unknown. */
    public static long typeOf(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            return statfs(arena, fd).get(ValueLayout.JAVA_LONG, 0);
        }
    }

    private static MemorySegment statfs(Arena arena, int fd) {
        MemorySegment stat = arena.allocate(120, 8);
        SystemCall.repeatable(Nr.FSTATFS, fd, stat.address(), 0, 0, 0, 0);
        return stat;
    }

    /** Says whether writers on this type of file system raise inotify events here. */
    public static boolean raisesEvents(long type) {
        return Arrays.stream(WITHOUT_EVENTS).noneMatch(each -> each == type);
    }

    /** Says whether it is overlayfs, whose birth times change at copy-up. */
    public static boolean isOverlay(long type) {
        return type == OVERLAYFS_SUPER_MAGIC;
    }
}
