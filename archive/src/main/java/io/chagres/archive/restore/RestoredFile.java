package io.chagres.archive.restore;

import io.chagres.archive.state.FileVersion;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A file that is being written: how much of it is missing. It has its name when it is whole, so that what an ended
 * restore leaves is never taken for the file. Safe for any thread.
 */
final class RestoredFile {
    /** Nobody else reads it before it is complete. */
    private static final int WORKING_MODE = 0600;

    private static final String PARTIAL = ".chagres-restore-";

    private final FileVersion version;
    private final Pathname place;
    private final Pathname parent;
    /** Its name until it is whole. */
    private final Pathname partial;

    private int missingParts;
    private boolean created;
    private boolean completed;
    private boolean failed;
    private boolean lastByteWritten;

    RestoredFile(FileVersion version, Pathname place) {
        this.version = version;
        this.place = place;
        Pathname above = place.parent();
        parent = above == null ? Pathname.of(".") : above;
        partial = Pathname.of(
                PARTIAL + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()));
    }

    FileVersion version() {
        return version;
    }

    /** Returns where it is, seen from the directory restored into. */
    Pathname place() {
        return place;
    }

    /** Opens the directory that it is in. */
    Directory directory(Fd root) throws ErrnoException {
        return Directory.of(Fd.openBeneath(root, parent, Fd.O_RDONLY | Fd.O_DIRECTORY, 0));
    }

    /** Opens it in its directory for writing; the first time there must be nothing in its place. */
    synchronized Fd open(Directory in) throws ErrnoException {
        if (!created) {
            requireAbsent(in);
        }
        int creating = created ? 0 : Fd.O_CREAT | Fd.O_EXCL;
        int mode = creating == 0 ? 0 : WORKING_MODE;
        Fd fd = Fd.openBeneath(in.fd(), partial, Fd.O_WRONLY | Fd.O_NOFOLLOW | creating, mode);
        created = true;
        return fd;
    }

    private void requireAbsent(Directory in) throws ErrnoException {
        int found = Fd.tryOpenBeneath(in.fd(), place.name(), Fd.O_PATH | Fd.O_NOFOLLOW, 0);
        if (found >= 0) {
            Fd.ofValue(found).close();
            throw new ErrnoException("open", Errno.EEXIST, place.toString());
        }
        if (found != -Errno.ENOENT) {
            throw new ErrnoException("open", -found, place.toString());
        }
    }

    /** Gives the whole file its name in its directory, unless something has that meanwhile. */
    synchronized void complete(Directory in) throws ErrnoException {
        try {
            in.rename(partial, in, place.name(), Directory.RENAME_NOREPLACE);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.EINVAL && e.errno() != Errno.ENOSYS) {
                throw e;
            }
            int linked = in.tryLink(in, partial, place.name()); // as file systems without that flag do
            if (linked < 0) {
                throw new ErrnoException("link", -linked, place.toString());
            }
            in.unlink(partial);
        }
        completed = true;
    }

    /** Says whether it is whole and has its name. */
    synchronized boolean isCompleted() {
        return completed;
    }

    /** Removes what was written of a file that will not be whole. */
    synchronized void discard(Fd root) {
        if (!created || completed) {
            return;
        }
        try (Directory in = directory(root)) {
            in.unlink(partial);
        } catch (ErrnoException _) {
            // it stays, under a name that says what it is
        }
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
