package io.chagres.archive.restore;

import io.chagres.archive.read.GoneTree;
import io.chagres.archive.state.FileVersion;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Pathname;

/** Counts what a restore makes and passes on what its listener wants to hear. Safe for any thread. */
final class RestoreCounter {
    private final RestoreListener listener;
    private long files;
    private long directories;
    private long links;
    private long doneBytes;
    private long totalBytes;
    private long faults;
    private long lostCommits;
    private long expiredFiles;
    private long expiredBytes;
    private GoneTree.Count gone = GoneTree.Count.NONE;
    private GoneTree.Count earlier = GoneTree.Count.NONE;

    RestoreCounter(RestoreListener listener) {
        this.listener = listener;
    }

    synchronized void file(FileVersion version) {
        files++;
        if (version.expiredBytes() > 0) {
            expiredFiles++;
            expiredBytes += version.expiredBytes();
        }
    }

    /** Notes what of a host is left out because nobody asked for it. */
    synchronized void leave(GoneTree.Count moreGone, GoneTree.Count moreEarlier) {
        gone = gone.plus(moreGone);
        earlier = earlier.plus(moreEarlier);
    }

    /** Notes commits that a repair named as lost; -1 for an unknown number, which the sum is then. */
    synchronized void lost(long commits) {
        lostCommits = commits < 0 || lostCommits < 0 ? -1 : lostCommits + commits;
    }

    synchronized void directory() {
        directories++;
    }

    synchronized void link() {
        links++;
    }

    synchronized void expect(long bytes) {
        // sizes come from the archive: a hostile one must not turn the sum negative
        totalBytes += Math.min(bytes, Long.MAX_VALUE - totalBytes);
    }

    synchronized void bytes(long bytes) {
        doneBytes += bytes;
        listener.progress(doneBytes, totalBytes);
    }

    synchronized void fault(String subject, String cause) {
        faults++;
        listener.fault(subject, cause);
    }

    /** Counts what is wrong with one place; throws what ends the restore. */
    void faultOrThrow(Pathname place, ErrnoException cause) throws ErrnoException {
        if (isFatal(cause.errno())) {
            throw cause;
        }
        fault(place.toString(), String.valueOf(cause.getMessage()));
    }

    /** Says whether an error means that continuing makes no sense. */
    private static boolean isFatal(int errno) {
        return errno == Errno.ENOSPC || errno == Errno.EDQUOT || errno == Errno.EROFS || errno == Errno.EIO;
    }

    synchronized RestoreSummary summary() {
        return new RestoreSummary(
                files, directories, links, doneBytes, faults, lostCommits, expiredFiles, expiredBytes, gone, earlier);
    }
}
