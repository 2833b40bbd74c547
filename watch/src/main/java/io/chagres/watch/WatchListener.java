package io.chagres.watch;

import io.chagres.linux.Pathname;
import org.jspecify.annotations.Nullable;

/**
 * Hears what a {@link DirectoryWatcher} finds. Called from {@link DirectoryWatcher#poll} on its thread, in the order of
 * the events. Inside a call the dentry has the path of the event; a listener must not call the watcher back. Every
 * method but {@link #problem} may be left out.
 */
public interface WatchListener {
    /** Reports a name found by a scan or an event; a directory before its children. */
    default void appeared(Dentry d) {}

    /**
     * Reports that the file was modified ({@code IN_MODIFY}), or may have been: by polling. For a file with several
     * names it reports only the name that was opened.
     */
    default void modified(Dentry d) {}

    /**
     * Reports that events of a file may be missing: it may have been modified, and closed. So it is after an overflow,
     * and just before {@link #vanished} where no event told that the name goes.
     */
    default void untold(Dentry d) {
        modified(d);
    }

    /** Reports that a descriptor opened for writing was closed ({@code IN_CLOSE_WRITE}). */
    default void closed(Dentry d) {}

    /**
     * Reports an event for a name that is not known: it came and went between two looks, was removed while its file was
     * open, or is left out. If it was a further name of a file, or of a directory with such names, nothing else shows
     * that the content or the attributes of that file may have changed.
     *
     * @param directory where the name was
     */
    default void missed(WatchedDirectory directory) {}

    /**
     * Reports that attributes or the number of links changed ({@code IN_ATTRIB}); or, of all but regular files, that
     * they may have: by polling, or because events may be missing. A symbolic link may lead elsewhere then, too.
     */
    default void attributes(Dentry d) {}

    /**
     * Reports a rename within the watched tree; the dentry (and the dentries below a directory) stay the same objects.
     * The file that was replaced, if any, vanished just before.
     *
     * @param fromParent the directory it was in
     * @param fromName the name it had there
     */
    default void renamed(Dentry d, WatchedDirectory fromParent, Pathname fromName) {}

    /**
     * Reports that a name is gone; children before their directory. The file may live on, open or elsewhere.
     *
     * @param movedOut true when it was renamed to a place that is not watched, false when it was unlinked or replaced
     */
    default void vanished(Dentry d, boolean movedOut) {}

    /**
     * Reports a regular file, reported before or too short-lived for that, that was renamed to a name in a
     * watched directory that does not belong to the tree.
     *
     * @param known the old name, if the listener knows it: then {@link #vanished} follows
     * @param from the name that belonged to the tree
     * @param to the name it has now; by now it may lead to another file
     */
    default void departed(@Nullable Dentry known, Pathname from, Pathname to) {}

    /** Reports that events were lost. Every directory is listed again and every name reported by itself. */
    default void overflow() {}

    /**
     * Reports what cannot be watched and what to do about it, once per path and cause.
     *
     * @param errno the error number, positive, or 0 when there is none
     */
    void problem(Pathname path, String what, int errno);
}
