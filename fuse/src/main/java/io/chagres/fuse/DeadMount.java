package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.MountInfo;
import io.chagres.linux.MountPoint;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The mount that a killed server leaves behind: a directory in which every look fails. */
final class DeadMount {
    private static final Logger LOG = System.getLogger("io.chagres.fuse");

    /** How long it may take until it is settled what a mount is. */
    private static final long GRACE_MS = 1000;

    /** How long between two looks at a dead mount that cannot be detached yet. */
    private static final long REPAIR_PAUSE_NS = 20_000_000;

    private DeadMount() {}

    /**
     * A mount of ours whose server died is in the way of every later one. While the kernel still clears that server
     * away it can be busy, or be gone between two looks, so this looks again until it is settled which it is.
     */
    static void repair(Pathname mountPoint, Mounter mounter, FuseOptions options) throws ErrnoException {
        long endNs = MonotonicClock.nowNs() + TimeUnit.MILLISECONDS.toNanos(GRACE_MS);
        while (isDead(mountPoint)) {
            String type = type(mountPoint);
            boolean settled = MonotonicClock.nowNs() - endNs > 0;
            if (!type.equals("fuse." + options.subtype()) && isDead(mountPoint)) {
                throw new ErrnoException(
                        "mount over a dead mount of type '" + type + "' (detach it with fusermount3 -u -z)",
                        Errno.ENOTCONN,
                        mountPoint.toString());
            }
            int result = mounter.unmount(mountPoint, true);
            if (result == 0) {
                LOG.log(Level.INFO, "detached a dead mount of our own from " + mountPoint);
                return;
            }
            if (settled && isDead(mountPoint)) {
                throw new ErrnoException("umount a dead mount", -result, mountPoint.toString());
            }
            LockSupport.parkNanos(REPAIR_PAUSE_NS);
        }
    }

    private static boolean isDead(Pathname mountPoint) {
        try (Statx statx = new Statx()) {
            int result = statx.of(mountPoint, true);
            // A caller is aborted who asked while the kernel still cleared a killed server away.
            return result == -Errno.ENOTCONN || result == -Errno.ECONNABORTED;
        }
    }

    private static String type(Pathname mountPoint) throws ErrnoException {
        String type = "";
        long id = MountPoint.tryId(mountPoint);
        for (MountInfo mount : MountInfo.all()) {
            boolean same = id > 0 ? mount.id() == id : mount.mountPoint().equals(mountPoint);
            type = same ? mount.type() : type;
        }
        return type;
    }
}
