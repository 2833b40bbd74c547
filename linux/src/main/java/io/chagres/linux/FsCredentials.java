package io.chagres.linux;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.CapturedCall;
import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The credentials with which the calling thread makes or opens files, until {@link #close()}: user and group, see
 * setfsuid(2), one supplementary group, and the umask. File servers make files in the name of others with it. Other
 * threads keep their credentials.
 *
 * <p>Only the superuser becomes somebody else; for others all but the umask has no effect, as no call here fails. A
 * thread that takes these has a working directory and umask of its own from then on, see CLONE_FS in unshare(2).
 *
 * <p>Confined to the thread that took it; no other may be taken before it is closed, and a virtual thread must not wait
 * meanwhile.
 */
public final class FsCredentials implements AutoCloseable {
    /** No supplementary group. */
    public static final int NO_GROUP = -1;

    private static final int CLONE_FS = 0x200;
    private static final CapturedCall SETFSUID = CapturedCall.of("setfsuid");
    private static final CapturedCall SETFSGID = CapturedCall.of("setfsgid");
    private static final CapturedCall GETGROUPS = CapturedCall.of("getgroups");
    private static final CapturedCall UNSHARE = CapturedCall.of("unshare");
    private static final CapturedCall UMASK = CapturedCall.of("umask");

    /** The C library's setgroups is for all threads, the kernel's for one. */
    private static final SystemCall SETGROUPS = SystemCall.of(Architecture.IS_AARCH64 ? 159 : 116);

    private static final int[] UNCHANGED = {};

    private final int uid;
    private final int gid;
    private final int umask;
    private final int[] groups;

    private FsCredentials(int uid, int gid, int umask, int[] groups) {
        this.uid = uid;
        this.gid = gid;
        this.umask = umask;
        this.groups = groups;
    }

    /**
     * Makes the calling thread somebody else.
     *
     * @param uid the user
     * @param gid the group
     * @param group a group to belong to besides, alone; or {@link #NO_GROUP} to belong to those it does
     * @param umask permission bits that files are made without
     * @return closing it gives the thread its credentials back, owned by the caller
     */
    public static FsCredentials take(int uid, int gid, int group, int umask) {
        UNSHARE.callInt(CLONE_FS);
        int[] ownGroups = group == NO_GROUP ? UNCHANGED : groups();
        if (group != NO_GROUP) {
            setGroups(group);
        }
        int ownUmask = UMASK.callInt(umask);
        // The user last: a thread that is not the superuser can change no group.
        int ownGid = SETFSGID.callInt(gid);
        int ownUid = SETFSUID.callInt(uid);
        return new FsCredentials(ownUid, ownGid, ownUmask, ownGroups);
    }

    /** Gives the thread its credentials back. Once only. */
    @Override
    public void close() {
        SETFSUID.callInt(uid);
        SETFSGID.callInt(gid);
        UMASK.callInt(umask);
        if (groups != UNCHANGED) {
            setGroups(groups);
        }
    }

    private static int[] groups() {
        try (Frame frame = MemoryStack.ofThread().push()) {
            int count = GETGROUPS.callInt(0, 0);
            MemorySegment list = frame.allocate(Math.max(1, count) * 4L, 4);
            count = GETGROUPS.callInt(count, list.address());
            return list.asSlice(0, Math.max(0, count) * 4L).toArray(ValueLayout.JAVA_INT);
        }
    }

    private static void setGroups(int... groups) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment list = frame.allocateFrom(ValueLayout.JAVA_INT, groups);
            SETGROUPS.callInt(list, groups.length, list.address(), 0, 0, 0);
        }
    }
}
