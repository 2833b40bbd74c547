package io.chagres.ship;

import io.chagres.linux.Fd;
import io.chagres.linux.FileHandle;
import io.chagres.linux.MountPoint;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;

/** File systems in memory that are mounted over directories; none for users to whom the kernel refuses that. */
final class ModelMounts implements AutoCloseable {
    private static final Pathname TMPFS = Pathname.of("tmpfs");

    private final Set<Path> mounted = new LinkedHashSet<>();

    /** Mounts an empty file system, unless there is one. */
    void mount(Path directory) {
        boolean free = Files.isDirectory(directory) && !isMounted(directory);
        if (free
                && MountPoint.tryMount(TMPFS, Pathname.of(directory.toString()), TMPFS, 0, Pathname.of("size=8m"))
                        == 0) {
            mounted.add(directory);
        }
    }

    boolean isMounted(Path directory) {
        return mounted.contains(directory);
    }

    /** Unmounts, however busy it is: anybody who has a file open there continues. */
    void unmount(Path directory) {
        if (mounted.remove(directory)) {
            detach(directory);
        }
    }

    /** Unmounts what is mounted on a directory, also by a run that ended before it could. */
    static void detach(Path directory) {
        MountPoint.tryUnmount(Pathname.of(directory.toString()), MountPoint.MNT_DETACH);
    }

    /** Says whether the kernel opens files by handle for us in the file system of a directory. */
    static boolean opensByHandle(Path directory) throws IOException {
        try (Fd fd = Fd.open(Pathname.of(directory.toString()), Fd.O_RDONLY, 0);
                FileHandle handle = new FileHandle()) {
            int opened = handle.of(fd.value()) < 0
                    ? -1
                    : handle.tryOpen(fd.value(), handle.type(), handle.bytes(), Fd.O_RDONLY);
            if (opened >= 0) {
                Fd.ofValue(opened).close();
            }
            return opened >= 0;
        }
    }

    @Override
    public void close() {
        for (Path each : Set.copyOf(mounted)) {
            unmount(each);
        }
    }
}
