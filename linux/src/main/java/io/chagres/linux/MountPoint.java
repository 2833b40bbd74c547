package io.chagres.linux;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.CapturedCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Attaches file systems to directories and detaches them, see mount(2) and umount2(2). Safe for any thread. */
public final class MountPoint {
    /** Nobody can write. */
    public static final int MS_RDONLY = 1;

    /** Set-user-id and set-group-id bits mean nothing. */
    public static final int MS_NOSUID = 2;

    /** Device files cannot be opened. */
    public static final int MS_NODEV = 4;

    /** Nothing can be executed. */
    public static final int MS_NOEXEC = 8;

    /** Access times are not kept. */
    public static final int MS_NOATIME = 1024;

    /** Abort requests in progress where the file system can. */
    public static final int MNT_FORCE = 1;

    /** Detach now, end when its last user ends. */
    public static final int MNT_DETACH = 2;

    /** Do not follow a symbolic link. */
    public static final int UMOUNT_NOFOLLOW = 8;

    /** From struct statx: what it holds, and its field of the mount. */
    private static final int STX_MASK = 0;

    private static final int STX_MNT_ID = 0x90;
    private static final int STATX_MNT_ID = 0x1000;
    private static final int STATX_MNT_ID_UNIQUE = 0x4000;

    private static final CapturedCall MOUNT = CapturedCall.of("mount");
    private static final CapturedCall UMOUNT2 = CapturedCall.of("umount2");

    private MountPoint() {}

    /**
     * Mounts a file system, see mount(2). Needs CAP_SYS_ADMIN.
     *
     * @param source the device or name, as the type understands it
     * @param target the directory
     * @param type the file system, such as {@code tmpfs}
     * @param flags {@code MS_} constants
     * @param options of the type, separated by commas; maybe empty
     * @return 0, or {@code -errno}
     */
    public static int tryMount(Pathname source, Pathname target, Pathname type, long flags, Pathname options) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            long from = source.toCString(frame).address();
            long to = target.toCString(frame).address();
            long typeAt = type.toCString(frame).address();
            return MOUNT.callInt(
                    from, to, typeAt, flags, options.toCString(frame).address());
        }
    }

    /**
     * Unmounts the topmost mount of a directory, see umount2(2). Needs CAP_SYS_ADMIN.
     *
     * @param target the directory
     * @param flags {@code MNT_} constants
     * @return 0, or {@code -errno}; -EBUSY if somebody uses it, -EINVAL if nothing is mounted there
     */
    public static int tryUnmount(Pathname target, int flags) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return UMOUNT2.callInt(target.toCString(frame).address(), flags);
        }
    }

    /**
     * Asks which mount a path leads to, without asking the file system. Of several mounts on one directory it is the
     * visible one.
     *
     * @param path any file or directory; the last symbolic link is followed
     * @return the number that {@link MountInfo#id()} has; 0 before Linux 5.8; or {@code -errno}
     */
    public static long tryId(Pathname path) {
        return tryId(path, STATX_MNT_ID);
    }

    /**
     * Asks which mount a path leads to, as {@link #tryId} does, by a number that no other mount is ever given.
     *
     * @param path any file or directory; the last symbolic link is followed
     * @return the number; 0 before Linux 6.8; or {@code -errno}
     */
    public static long tryUniqueId(Pathname path) {
        return tryId(path, STATX_MNT_ID_UNIQUE);
    }

    private static long tryId(Pathname path, int kind) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment cString = path.toCString(frame);
            MemorySegment status = frame.allocate(Statx.BYTES, Long.BYTES);
            int flags = StatusCalls.AT_NO_AUTOMOUNT | StatusCalls.AT_STATX_DONT_SYNC;
            int result = StatusCalls.statx(StatusCalls.AT_FDCWD, cString, 0, flags, kind, status);
            if (result < 0) {
                return result;
            }
            boolean known = (status.get(ValueLayout.JAVA_INT, STX_MASK) & kind) != 0;
            return known ? status.get(ValueLayout.JAVA_LONG, STX_MNT_ID) : 0;
        }
    }
}
