package io.chagres.fuse;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;

/** Attaches a connection to a directory and detaches it. The superuser asks the kernel, others ask fusermount3. */
sealed interface Mounter permits KernelMounter, Fusermount {
    /**
     * Mounts.
     *
     * @return the device of the new connection, owned by the caller
     */
    FdDevice mount(Pathname mountPoint, FuseOptions options) throws ErrnoException;

    /**
     * Unmounts.
     *
     * @param lazily whether to detach it at once and end when its last user ends
     * @return 0, or {@code -errno}; -EBUSY if somebody uses it, -EINVAL if it is not mounted
     */
    int unmount(Pathname mountPoint, boolean lazily);

    /** Chooses by the rights of this process and the options. */
    static Mounter of(FuseOptions options) throws ErrnoException {
        return options.autoUnmount() ? new Fusermount() : ofProcess();
    }

    /** Chooses by the rights of this process. */
    static Mounter ofProcess() throws ErrnoException {
        try (Statx self = new Statx();
                Fd directory = Fd.open(Pathname.of("/proc/self"), Fd.O_RDONLY | Fd.O_DIRECTORY, 0)) {
            boolean superuser = self.of(directory.value()) == 0 && self.uid() == 0;
            return superuser ? new KernelMounter() : new Fusermount();
        }
    }
}
