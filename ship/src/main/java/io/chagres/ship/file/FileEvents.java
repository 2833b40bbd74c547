package io.chagres.ship.file;

import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import io.chagres.watch.Dentry;
import io.chagres.watch.FileId;
import io.chagres.watch.FileIdentity;

/** Gets the files that {@link DentryEvents} finds, and what happens to them. Confined to the shipper's thread. */
public interface FileEvents {
    /** Takes a regular file under a name, which was looked at just now; the descriptor is handed over. */
    void found(Dentry name, Fd fd, FileId looked);

    /** Takes a file that left before it was seen; the descriptor is handed over. */
    void departed(Pathname from, Fd fd, FileIdentity identity, long device, Statx stat);

    /** Hears that a file that was followed before is gone. */
    void vanished(Pathname path, FileIdentity identity);

    /** Its bytes or attributes changed. */
    void modified(Tail tail);

    /** A writer closed it. */
    void closed(Tail tail);

    /** A file lost a name. */
    void nameRemoved(Pathname path, Tail tail);

    /** A file lost its last name. */
    void nameless(Tail tail);
}
