package io.chagres.archive.store;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;

/**
 * The owner of objects made in an archive: their maker, but for the superuser, who gives it to the owner of the
 * archive's directory. Else a command of the superuser would leave directories in which that owner can make nothing.
 * Immutable.
 */
final class ArchiveOwner {
    static final ArchiveOwner OF_MAKER = new ArchiveOwner(-1, -1);
    private static final Pathname SELF = Pathname.of("/proc/self");

    private final int uid;
    private final int gid;

    private ArchiveOwner(int uid, int gid) {
        this.uid = uid;
        this.gid = gid;
    }

    /** Returns that in an archive with such a directory. */
    static ArchiveOwner in(Statx root) throws ErrnoException {
        return root.uid() != 0 && isSuperuser() ? new ArchiveOwner(root.uid(), root.gid()) : OF_MAKER;
    }

    private static boolean isSuperuser() throws ErrnoException {
        int self = Fd.tryOpen(SELF, Fd.O_PATH, 0);
        if (self < 0) {
            return false;
        }
        try (Fd opened = Fd.ofValue(self);
                Statx stat = new Statx()) {
            return stat.of(opened.value()) == 0 && stat.uid() == 0;
        }
    }

    /** Gives a new file or directory, by its descriptor: a name may lead to another one by now. */
    void give(Fd made) {
        if (this != OF_MAKER) {
            try {
                made.chown(uid, gid);
            } catch (ErrnoException e) {
                // a server that takes nobody for the superuser decides itself
            }
        }
    }
}
