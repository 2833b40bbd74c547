package io.chagres.watch;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Holds the directories that are to be listed, and counts those never listed completely. */
final class ScanQueue {
    private final ArrayDeque<WatchedDirectory> queue = new ArrayDeque<>();
    private int directories;
    private int unknown;
    private int owed;
    private final Set<WatchedDirectory> unreadable = new HashSet<>();

    /** Takes in a new directory. */
    void add(WatchedDirectory directory) {
        directories++;
        unknown++;
        repeat(directory);
    }

    /** Forgets a directory that vanished. */
    void remove(WatchedDirectory directory) {
        directories--;
        if (!directory.scan().done) {
            unknown--;
        }
        unreadable.remove(directory);
        if (directory.scan().owed) {
            directory.scan().owed = false;
            owed--;
        }
    }

    /** Owes a directory one whole listing that begins from now on, disturbed or not: other roots are followed. */
    void owe(WatchedDirectory directory) {
        ScanState scan = directory.scan();
        scan.pays = false;
        if (!scan.owed) {
            scan.owed = true;
            owed++;
        }
    }

    /** Notes that a directory was listed to its end, or cannot be. */
    void listed(WatchedDirectory directory) {
        ScanState scan = directory.scan();
        if (scan.owed && scan.pays) {
            scan.owed = false;
            owed--;
        }
    }

    /** Lists a directory once more, though its names are believed to be known. */
    void repeat(WatchedDirectory directory) {
        if (!directory.scan().queued) {
            directory.scan().queued = true;
            queue.add(directory);
        }
    }

    /** Lists a directory whose names may no longer be the known ones. */
    void doubt(WatchedDirectory directory) {
        if (directory.scan().done) {
            directory.scan().done = false;
            unknown++;
        }
        repeat(directory);
    }

    /** Notes that the names of a directory are known, as far as they can be. */
    void done(WatchedDirectory directory) {
        ScanState scan = directory.scan();
        if (!scan.done) {
            scan.done = true;
            unknown--;
        }
        if (!scan.failed) {
            unreadable.remove(directory);
        }
    }

    /** Notes that a directory may hold unknown names, until a whole scan of it meets none. */
    void failed(WatchedDirectory directory) {
        directory.scan().failed = true;
        if (directory.exists()) {
            unreadable.add(directory);
        }
    }

    /** Returns the next directory to list, or null. */
    @Nullable
    WatchedDirectory take() {
        for (WatchedDirectory next = queue.poll(); next != null; next = queue.poll()) {
            next.scan().queued = false;
            // one between the halves of a rename has no path; it is queued again when it has
            if (next.exists() && next.isAttached()) {
                return next;
            }
        }
        return null;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    int directories() {
        return directories;
    }

    int unknown() {
        return unknown;
    }

    int owed() {
        return owed;
    }

    /** Returns the directories that may hold unknown names; they are polled. */
    Set<WatchedDirectory> unreadable() {
        return unreadable;
    }
}
