package io.chagres.linux;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.CapturedCall;

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

    /** Abort what is in progress where the file system can. */
    public static final int MNT_FORCE = 1;

    /** Detach now, end when nobody uses it any more. */
    public static final int MNT_DETACH = 2;

    /** Do not follow a symbolic link. */
    public static final int UMOUNT_NOFOLLOW = 8;

    private static final CapturedCall MOUNT = CapturedCall.of("mount");
    private static final CapturedCall UMOUNT2 = CapturedCall.of("umount2");

    private MountPoint() {}

    /**
     * Mounts a file system, see mount(2). Needs CAP_SYS_ADMIN.
     *
     * @param source what is mounted, as the type understands it
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
     * Unmounts what is mounted last on a directory, see umount2(2). Needs CAP_SYS_ADMIN.
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
}
