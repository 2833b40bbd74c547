package io.chagres.watch;

/** Holds how far the listing of one directory is. Confined to the watcher's thread. */
final class ScanState {
    /** The number of the last scan; a name with another number was not seen by it. */
    int number;
    /** Scans in a row that were disturbed. */
    int repeats;
    /** Every name has been reported. */
    boolean done;
    /** Waits for its turn. */
    boolean queued;
    /** A name came or was moved since the scan began. */
    boolean disturbed;
    /** The scan reports every known file as possibly modified. */
    boolean tellsModified;
    /** Events are missing: the scan reports every known file as untold. */
    boolean tellsUntold;
    /** The scan asks anew whether each known name is to be watched. */
    boolean checksScope;
    /** Other roots are followed since, and it has not been listed whole after that. */
    boolean owed;
    /** The scan under way, or the last one, began after the roots were changed. */
    boolean pays;
    /** The scan under way, or what came after the last one, met what cannot be listed or looked at. */
    boolean failed;
    /** The watch tells what happens to names, not to the bytes of files. */
    boolean watchesNames;
    /** The directory has been opened before, so that its inode number is the open directory's. */
    boolean opened;
    /** The device of the open directory: all subvolumes of btrfs have one inode number. */
    long device;

    void begin() {
        number++;
        disturbed = false;
        failed = false;
        pays = owed;
    }

    void end() {
        repeats = 0;
        tellsModified = false;
        tellsUntold = false;
        checksScope = false;
    }
}
