package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.MountInfo;
import io.chagres.linux.MountPoint;
import io.chagres.linux.Pathname;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One mount and its connection, whatever else is mounted on its path later. The kernel gives the numbers of ended
 * mounts and connections to others. Immutable.
 *
 * @param mountPoint where it was mounted
 * @param id of the mount; 0 if the kernel does not say, and then what is on the path is taken for it
 * @param unique id of the mount that no other ever has; 0 if the kernel does not say, and then {@code id} must do
 * @param number of the connection in the control file system; empty if it is not known
 */
record MountedConnection(Pathname mountPoint, long id, long unique, String number) {
    private static final Logger LOG = System.getLogger("io.chagres.fuse");
    private static final Pathname CONTROL = Pathname.of("/sys/fs/fuse/connections");

    /** One that somebody else mounted, wherever that is. */
    static final MountedConnection UNKNOWN = new MountedConnection(Pathname.of(""), -1, 0, "");

    /** Returns the most pages of a request: those of a mebibyte, or the limit set in Linux 6.13 and later. */
    static int maxPages() {
        // in one read, since such a file has nothing behind its first byte for a second one
        try (BufferedReader limit = Files.newBufferedReader(Path.of("/proc/sys/fs/fuse/max_pages_limit"))) {
            return Integer.parseInt(limit.readLine());
        } catch (IOException | NumberFormatException e) {
            return 256;
        }
    }

    /** Returns whether it is the same one, seen from another process. */
    boolean isSameAs(MountedConnection other) {
        return !number.isEmpty() && number.equals(other.number);
    }

    /** Looks at what was mounted on a path just now. */
    static MountedConnection of(Pathname mountPoint) {
        long id = Math.max(0, MountPoint.tryId(mountPoint));
        long unique = Math.max(0, MountPoint.tryUniqueId(mountPoint));
        return new MountedConnection(mountPoint, id, unique, number(mountPoint, id));
    }

    /** The device of a mount without one is 0 and the number of its connection. */
    private static String number(Pathname mountPoint, long id) {
        String device = "";
        try {
            for (MountInfo mount : MountInfo.all()) {
                boolean same = id == 0 ? mount.mountPoint().equals(mountPoint) : mount.id() == id;
                device = same ? mount.device() : device;
            }
        } catch (ErrnoException e) {
            LOG.log(Level.WARNING, "cannot tell which connection " + mountPoint + " has", e);
        }
        return device.substring(device.indexOf(':') + 1);
    }

    /** Returns whether the path leads to it, and not to another mount, or none. */
    boolean isOnTop() {
        return unique != 0
                ? MountPoint.tryUniqueId(mountPoint) == unique
                : id == 0 || MountPoint.tryId(mountPoint) == id;
    }

    /** Returns whether it is mounted in this mount namespace, seen or not. */
    boolean isMounted() {
        try {
            return id == 0 || MountInfo.all().stream().anyMatch(mount -> mount.id() == id);
        } catch (ErrnoException e) {
            return true;
        }
    }

    /**
     * Unmounts it, if the path leads to it.
     *
     * @return 0, or {@code -errno}; -EBUSY if somebody uses it or something else is mounted on it, -EINVAL if it is not
     *     mounted
     */
    int unmount(Mounter mounter, boolean lazily) {
        if (isOnTop()) {
            return mounter.unmount(mountPoint, lazily);
        }
        return isMounted() ? -Errno.EBUSY : -Errno.EINVAL;
    }

    /**
     * Ends the connection, wherever it is mounted: those who wait for an answer get an error, and every later request
     * fails. Through the control file system, which owners may use, see filesystems/fuse in the kernel's documentation;
     * the superuser mounts that for a moment where it is missing. Does nothing to a connection that is over: its number
     * may be another's by now.
     *
     * @param device of this connection
     */
    void abort(FdDevice device) {
        int result = tryAbort(device);
        if (result == -Errno.ENOENT && device.isConnected()) {
            Pathname type = Pathname.of("fusectl");
            if (MountPoint.tryMount(type, CONTROL, type, 0, Pathname.of("")) == 0) {
                result = tryAbort(device);
                MountPoint.tryUnmount(CONTROL, MountPoint.MNT_DETACH);
            }
        }
        if (result >= 0 || !device.isConnected()) {
            return;
        }
        if (isOnTop()) {
            MountPoint.tryUnmount(mountPoint, MountPoint.MNT_FORCE);
        } else {
            LOG.log(
                    Level.WARNING,
                    "cannot abort the mount " + mountPoint + " (" + Errno.message(-result)
                            + "); it ends with its last user");
        }
    }

    /** A file opened while the device was connected belongs to its connection, or to none if that has ended. */
    private int tryAbort(FdDevice device) {
        int file = Fd.tryOpen(Pathname.of(CONTROL + "/" + number + "/abort"), Fd.O_WRONLY, 0);
        if (file < 0) {
            return file;
        }
        try (Fd fd = Fd.ofValue(file);
                Arena scratch = Arena.ofConfined()) {
            return device.isConnected()
                    ? (int) fd.write(scratch.allocateFrom(ValueLayout.JAVA_BYTE, (byte) '1'), 0, 1)
                    : 0;
        }
    }
}
