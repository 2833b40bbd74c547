package io.chagres.watch;

import io.chagres.linux.Directory;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Is a directory whose names are known. Confined to the watcher's thread. */
public final class WatchedDirectory extends Dentry {
    private boolean scanned;

    WatchedDirectory(@Nullable WatchedDirectory parent, byte[] name, long ino) {
        super(parent, name, ino, Directory.DT_DIR);
    }

    /** Says whether every name in it has been reported. */
    public boolean scanned() {
        return scanned;
    }

    /** Returns the number of names known in it. */
    public int size() {
        return 0;
    }

    /** Returns the name given by bytes of a segment, or null. Allocates nothing. */
    public @Nullable Dentry child(MemorySegment segment, long offset, int length) {
        return null;
    }

    /** Calls an action for each name, which must not change the directory. */
    public void forEach(Consumer<Dentry> action) {}
}
