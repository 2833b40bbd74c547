package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * One mounted file system, a line of /proc/self/mountinfo, see proc_pid_mountinfo(5). Immutable.
 *
 * @param id distinguishes mounts that exist at the same time; it is used again later, see {@link MountPoint#tryId}
 * @param device its device number, {@code major:minor}
 * @param mountPoint the directory, seen from the root of this process
 * @param type the file system, with its subtype, such as {@code fuse.sshfs}
 * @param source what is mounted, as the type names it
 */
public record MountInfo(long id, String device, Pathname mountPoint, String type, Pathname source) {
    private static final int ID = 0;
    private static final int DEVICE = 2;
    private static final int MOUNT_POINT = 4;

    /**
     * Reads the mounts of this process's mount namespace.
     *
     * @return in the order of the kernel; of several mounts on one directory the last is the one seen
     * @throws ErrnoException if /proc is not mounted
     */
    public static List<MountInfo> all() throws ErrnoException {
        return parse(ProcFile.read(Pathname.of("/proc/self/mountinfo")));
    }

    static List<MountInfo> parse(byte[] bytes) {
        List<MountInfo> mounts = new ArrayList<>();
        int start = 0;
        for (int at = 0; at < bytes.length; at++) {
            if (bytes[at] == '\n') {
                mounts.add(parse(fields(bytes, start, at)));
                start = at + 1;
            }
        }
        return mounts;
    }

    /** The fields after the mount options are optional and end with a dash; type and source follow it. */
    private static MountInfo parse(List<Pathname> fields) {
        int dash = fields.indexOf(Pathname.of("-"));
        return new MountInfo(
                Long.parseLong(fields.get(ID).toString()),
                fields.get(DEVICE).toString(),
                fields.get(MOUNT_POINT),
                fields.get(dash + 1).toString(),
                fields.get(dash + 2));
    }

    private static List<Pathname> fields(byte[] bytes, int start, int end) {
        List<Pathname> fields = new ArrayList<>();
        ByteArrayOutputStream field = new ByteArrayOutputStream();
        for (int at = start; at < end; at++) {
            if (bytes[at] == ' ') {
                fields.add(Pathname.ofBytes(field.toByteArray()));
                field.reset();
            } else if (bytes[at] == '\\' && at + 3 < end) {
                // Space, tab, newline and backslash are three octal digits.
                field.write((bytes[at + 1] - '0') << 6 | (bytes[at + 2] - '0') << 3 | bytes[at + 3] - '0');
                at += 3;
            } else {
                field.write(bytes[at]);
            }
        }
        fields.add(Pathname.ofBytes(field.toByteArray()));
        return fields;
    }
}
