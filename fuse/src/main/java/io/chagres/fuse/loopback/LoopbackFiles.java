package io.chagres.fuse.loopback;

import io.chagres.linux.Fd;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Files and directories that are open, by their descriptors, which are their handles. Safe for any thread. */
final class LoopbackFiles {
    private static final int FIRST_CAPACITY = 1024;

    private volatile AtomicReferenceArray<@Nullable Fd> files = new AtomicReferenceArray<>(FIRST_CAPACITY);

    /** Returns an open file. */
    Fd get(long handle) {
        AtomicReferenceArray<@Nullable Fd> now = files;
        Fd file = handle < 0 || handle >= now.length() ? null : now.get((int) handle);
        if (file == null) {
            throw new IllegalArgumentException("handle " + handle + " is not open");
        }
        return file;
    }

    /** Keeps a descriptor that was opened. */
    synchronized void add(int fd) {
        AtomicReferenceArray<@Nullable Fd> now = files;
        if (fd >= now.length()) {
            AtomicReferenceArray<@Nullable Fd> larger = new AtomicReferenceArray<>(Math.max(fd + 1, 2 * now.length()));
            for (int i = 0; i < now.length(); i++) {
                larger.set(i, now.get(i));
            }
            files = larger;
            now = larger;
        }
        now.set(fd, Fd.ofValue(fd));
    }

    /** Returns an open file for the last time: it is the caller's, to be closed. */
    synchronized Fd remove(long handle) {
        Fd file = get(handle);
        files.set((int) handle, null);
        return file;
    }

    /** Closes all. */
    synchronized void close() {
        AtomicReferenceArray<@Nullable Fd> now = files;
        for (int i = 0; i < now.length(); i++) {
            Fd file = now.getAndSet(i, null);
            if (file != null) {
                file.close();
            }
        }
    }
}
