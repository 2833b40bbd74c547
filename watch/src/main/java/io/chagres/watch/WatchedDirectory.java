package io.chagres.watch;

import io.chagres.linux.Directory;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Is a directory that is watched, with the names in it. Confined to the watcher's thread. */
public final class WatchedDirectory extends Dentry {
    private final DentryTable children = new DentryTable();
    /** Whether it only leads to what is followed: its own name is not reported. */
    final boolean passage;

    int watchDescriptor = -1;
    boolean scanned;
    boolean queuedForScan;
    boolean reportModified;
    boolean movesSinceScan;
    int repeats;

    WatchedDirectory(@Nullable WatchedDirectory parent, byte[] name, long ino, boolean passage) {
        super(parent, name, ino, Directory.DT_DIR);
        this.passage = passage;
    }

    /** Says whether it was listed completely. */
    public boolean scanned() {
        return scanned;
    }

    /** Returns the number of names known in it. */
    public int size() {
        return children.size();
    }

    /**
     * Returns the entry with a name, or null. Allocates nothing.
     *
     * @param segment holds the name, borrowed until return
     * @param offset start of the name in bytes
     * @param length length of the name in bytes
     */
    public @Nullable Dentry child(MemorySegment segment, long offset, int length) {
        return children.find(segment, offset, length);
    }

    /** Visits the entries it has now, in no order. */
    public void forEach(Consumer<Dentry> action) {
        children.forEach(action);
    }

    void add(Dentry child) {
        children.add(child);
    }

    void remove(Dentry child) {
        children.remove(child);
    }
}
