package io.chagres.cli.ship;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.FileSystemId;
import io.chagres.linux.MountInfo;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file system that the blocks of a file belong to.
 *
 * @param device its number, see {@link Statx#dev}; 0 when nobody can say
 * @param mountId the mount through which the file was looked at, see {@link Statx#mountId}
 * @param id what it calls itself
 * @param type its number in the kernel
 */
record PathVolume(long device, long mountId, byte[] id, long type) {
    private static final long TMPFS = 0x01021994L;
    private static final long RAMFS = 0x858458F6L;

    /** Returns that of a path, or of the nearest directory above it that there is; null when nobody can say. */
    static @Nullable PathVolume of(Pathname path) {
        for (Pathname place = path; place != null; place = place.parent()) {
            int opened = Fd.tryOpen(place, Fd.O_RDONLY | Fd.O_NONBLOCK, 0);
            if (opened >= 0) {
                try (Fd fd = Fd.ofValue(opened);
                        Statx stat = new Statx()) {
                    boolean known = stat.of(fd.value()) >= 0;
                    return new PathVolume(
                            known ? stat.dev() : 0,
                            known ? stat.mountId() : 0,
                            FileSystemId.ofVolume(fd.value()),
                            FileSystemId.typeOf(fd.value()));
                }
            }
        }
        return null;
    }

    boolean isMemory() {
        return type == TMPFS || type == RAMFS;
    }

    boolean isSame(PathVolume other) {
        boolean sameVolume = type == FileSystemId.BTRFS && Arrays.equals(id, other.id); // one device each
        return sameVolume || (device != 0 && device == other.device);
    }

    /** Returns the disks that hold its blocks, as directories of sysfs; empty when nobody can say. */
    Set<Path> disks() {
        String block = blockDevice();
        return block == null ? Set.of() : new Disks(Path.of("/sys/dev/block"), PathVolume::blockDeviceOf).of(block);
    }

    private static @Nullable String blockDeviceOf(Path file) {
        PathVolume volume = of(Pathname.of(file.toString()));
        return volume == null ? null : volume.blockDevice();
    }

    /** Returns the block device as {@code major:minor}; the number of btrfs is none, so there its mount names it. */
    private @Nullable String blockDevice() {
        if (device >>> 32 != 0) {
            return (device >>> 32) + ":" + (int) device;
        }
        try (Statx stat = new Statx()) {
            for (MountInfo mount : MountInfo.all()) {
                if (mount.id() == mountId && mount.source().toString().startsWith("/dev/")) {
                    int number = stat.of(mount.source(), true) < 0 ? 0 : stat.rdev();
                    return ((number >>> 8) & 0xfff) + ":" + ((number & 0xff) | ((number >>> 12) & 0xfff00));
                }
            }
        } catch (ErrnoException e) {
            return null; // without /proc
        }
        return null;
    }
}
