package io.chagres.watch;

import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;

/**
 * Looks at names in known directories. Renames of directories that have happened but are not yet reported make a path
 * lead elsewhere, so each look first makes sure that the path still leads to the right directory.
 */
final class Lookup implements AutoCloseable {
    /** The path does not lead to the directory, nothing is known about the name. */
    static final int STALE = Integer.MIN_VALUE; // no errno: ESTALE is what a file server says of the name itself

    private static final int PATH_MAX = 4096;
    private static final int TYPE_SHIFT = 12;

    private final Statx stat = new Statx();
    private long count;

    /** Looks at a name; returns 0, {@link #STALE} or another -errno. */
    int of(WatchedDirectory directory, byte[] name) {
        count++;
        if (!directory.scan().opened || !directory.isAttached() || directory.pathLength() >= PATH_MAX) {
            return STALE;
        }
        int opened = Fd.tryOpen(directory.path(), Fd.O_PATH | Fd.O_DIRECTORY | Fd.O_NOFOLLOW, 0);
        if (opened < 0) {
            return STALE;
        }
        try (Fd fd = Fd.ofValue(opened)) {
            if (stat.of(opened) != 0 || stat.ino() != directory.ino() || stat.dev() != directory.scan().device) {
                return STALE;
            }
            return stat.of(fd, Pathname.ofBytes(name), false);
        }
    }

    /** Returns how often a name was looked at so far. */
    long count() {
        return count;
    }

    /** Says whether a look found that there is no such name. */
    static boolean isAbsent(int result) {
        return Directory.isAbsent(result);
    }

    /** Returns the inode number that the last look found. */
    long ino() {
        return stat.ino();
    }

    /** Returns the device that it is on. */
    long device() {
        return stat.dev();
    }

    /** Returns the DT_ constant that the last look found. */
    int type() {
        return stat.mode() >> TYPE_SHIFT;
    }

    @Override
    public void close() {
        stat.close();
    }
}
