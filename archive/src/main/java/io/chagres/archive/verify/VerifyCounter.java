package io.chagres.archive.verify;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.store.BlobInfo;
import java.io.IOException;

/** Counts what a check has seen and passes on what its listener wants to hear. Confined to one thread. */
final class VerifyCounter {
    private final Verify.Listener listener;
    private long hosts;
    private long commits;
    private long checkpoints;
    private long objects;
    private long doneBytes;
    private long totalBytes;
    private long garbageObjects;
    private long garbageBytes;
    private long faults;

    VerifyCounter(Verify.Listener listener) {
        this.listener = listener;
    }

    void host() {
        hosts++;
    }

    void expect(BlobInfo object) {
        totalBytes += object.lengthBytes();
    }

    void commit(BlobInfo object) {
        commits++;
        done(object);
    }

    void checkpoint(BlobInfo object) {
        checkpoints++;
        done(object);
    }

    void object(BlobInfo object) {
        objects++;
        done(object);
    }

    private void done(BlobInfo object) {
        doneBytes += object.lengthBytes();
        listener.progress(doneBytes, totalBytes);
    }

    void garbage(BlobInfo object) {
        garbageObjects++;
        garbageBytes += object.lengthBytes();
        totalBytes -= object.lengthBytes();
        listener.garbage(object);
    }

    void fault(String object, String what, String consequence) {
        faults++;
        listener.fault(new Verify.Fault(object, what, consequence));
    }

    void fault(CorruptArchiveException cause, String consequence) {
        fault(cause.object(), cause.fault(), consequence);
    }

    /** Takes what cannot be read, be it damaged or refused. */
    void fault(String object, IOException cause, String consequence) {
        if (cause instanceof CorruptArchiveException damage) {
            fault(damage, consequence);
        } else {
            fault(object, "it cannot be read: " + cause.getMessage(), consequence);
        }
    }

    long faults() {
        return faults;
    }

    Verify.Summary summary() {
        return new Verify.Summary(
                hosts, commits, checkpoints, objects, doneBytes, garbageObjects, garbageBytes, faults);
    }
}
