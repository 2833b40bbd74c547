package io.chagres.fuse;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.MountPoint;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;

/** Mounts by mount(2), as the superuser. */
final class KernelMounter implements Mounter {
    @Override
    public FdDevice mount(Pathname mountPoint, FuseOptions options) throws ErrnoException {
        FdDevice device = FdDevice.open();
        int flags = MountPoint.MS_NOSUID
                | MountPoint.MS_NODEV
                | (options.readOnly() ? MountPoint.MS_RDONLY : 0)
                | (options.noExec() ? MountPoint.MS_NOEXEC : 0)
                | (options.noAtime() ? MountPoint.MS_NOATIME : 0);
        int result = MountPoint.tryMount(
                Pathname.of(options.name()),
                mountPoint,
                Pathname.of("fuse." + options.subtype()),
                flags,
                Pathname.of(kernelOptions(device, rootMode(mountPoint), options)));
        if (result < 0) {
            device.close();
            throw new ErrnoException("mount", -result, mountPoint.toString());
        }
        return device;
    }

    @Override
    public int unmount(Pathname mountPoint, boolean lazily) {
        return MountPoint.tryUnmount(mountPoint, lazily ? MountPoint.MNT_DETACH : 0);
    }

    private static String kernelOptions(FdDevice device, int rootMode, FuseOptions options) {
        StringBuilder text = new StringBuilder("fd=").append(device.fd().value());
        text.append(",rootmode=").append(Integer.toOctalString(rootMode)).append(",user_id=0,group_id=0");
        if (options.allowOther()) {
            text.append(",allow_other");
        }
        if (options.defaultPermissions()) {
            text.append(",default_permissions");
        }
        return text.toString();
    }

    /** A file system with a file for its root is mounted on a file. */
    private static int rootMode(Pathname mountPoint) {
        try (Statx statx = new Statx()) {
            return statx.of(mountPoint, true) == 0 ? statx.mode() & Statx.S_IFMT : Statx.S_IFDIR;
        }
    }
}
