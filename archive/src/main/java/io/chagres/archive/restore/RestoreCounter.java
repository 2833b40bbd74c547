package io.chagres.archive.restore;

import io.chagres.archive.state.FileVersion;
import java.io.IOException;

/** Counts what a restore makes and passes on what its listener wants to hear. Confined to one thread. */
final class RestoreCounter {
    private final Restore.Listener listener;
    private long files;
    private long directories;
    private long links;
    private long doneBytes;
    private long totalBytes;
    private long faults;
    private long expiredFiles;
    private long expiredBytes;

    RestoreCounter(Restore.Listener listener) {
        this.listener = listener;
    }

    void file(FileVersion version) {
        files++;
        if (version.expiredBytes() > 0) {
            expiredFiles++;
            expiredBytes += version.expiredBytes();
        }
    }

    void directory() {
        directories++;
    }

    void link() {
        links++;
    }

    void expect(long bytes) {
        // sizes come from the archive: a hostile one must not turn the sum negative
        totalBytes += Math.min(bytes, Long.MAX_VALUE - totalBytes);
    }

    void bytes(long bytes) {
        doneBytes += bytes;
        listener.progress(doneBytes, totalBytes);
    }

    void fault(String subject, String cause) {
        faults++;
        listener.fault(subject, cause);
    }

    void fault(String subject, IOException cause) {
        fault(subject, String.valueOf(cause.getMessage()));
    }

    Restore.Summary summary() {
        return new Restore.Summary(files, directories, links, doneBytes, faults, expiredFiles, expiredBytes);
    }
}
