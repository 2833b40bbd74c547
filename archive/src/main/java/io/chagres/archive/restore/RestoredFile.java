package io.chagres.archive.restore;

import io.chagres.archive.state.FileVersion;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;

/** A file that is being written: how much of it is missing. Confined to one thread. */
final class RestoredFile {
    /** Nobody else reads it before it is complete. */
    private static final int WORKING_MODE = 0600;

    private final FileVersion version;
    private final Pathname place;
    private int missingParts;
    private boolean created;
    private boolean failed;

    RestoredFile(FileVersion version, Pathname place) {
        this.version = version;
        this.place = place;
    }

    FileVersion version() {
        return version;
    }

    /** Returns where it is, seen from the directory restored into. */
    Pathname place() {
        return place;
    }

    /** Opens it for writing; the first time it must not exist. */
    Fd open(Fd root) throws ErrnoException {
        int creating = created ? 0 : Fd.O_CREAT | Fd.O_EXCL;
        Fd fd = Fd.openBeneath(root, place, Fd.O_WRONLY | Fd.O_NOFOLLOW | creating, creating == 0 ? 0 : WORKING_MODE);
        created = true;
        return fd;
    }

    void expectPart() {
        missingParts++;
    }

    boolean isComplete() {
        return missingParts == 0;
    }

    /** Notes that a part was written; returns whether it was the last. */
    boolean partDone() {
        missingParts--;
        return missingParts == 0;
    }

    void fail() {
        failed = true;
    }

    boolean hasFailed() {
        return failed;
    }
}
