package io.chagres.archive.restore;

import io.chagres.archive.state.FileVersion;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;

/** A file that is being written: how much of it is missing. Safe for any thread. */
final class RestoredFile {
    /** Nobody else reads it before it is complete. */
    private static final int WORKING_MODE = 0600;

    private final FileVersion version;
    private final Pathname place;
    private int missingParts;
    private boolean created;
    private boolean failed;
    private boolean lastByteWritten;

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
    synchronized Fd open(Fd root) throws ErrnoException {
        int creating = created ? 0 : Fd.O_CREAT | Fd.O_EXCL;
        Fd fd = Fd.openBeneath(root, place, Fd.O_WRONLY | Fd.O_NOFOLLOW | creating, creating == 0 ? 0 : WORKING_MODE);
        created = true;
        return fd;
    }

    synchronized void expectPart() {
        missingParts++;
    }

    synchronized boolean isComplete() {
        return missingParts == 0;
    }

    /** Notes that a part was written; returns whether it was the last. */
    synchronized boolean partDone() {
        missingParts--;
        return missingParts == 0;
    }

    /** Notes that bytes up to an end, of the version, were written. */
    void written(long end) {
        if (end == version.length()) {
            lastByteWritten();
        }
    }

    private synchronized void lastByteWritten() {
        lastByteWritten = true;
    }

    /** Says whether its size is that of the version: nothing is written behind its end. */
    synchronized boolean hasSize() {
        return lastByteWritten;
    }

    /** Gives it up; returns whether it was not given up before. */
    synchronized boolean fail() {
        boolean first = !failed;
        failed = true;
        return first;
    }

    synchronized boolean hasFailed() {
        return failed;
    }
}
