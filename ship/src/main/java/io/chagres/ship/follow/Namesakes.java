package io.chagres.ship.follow;

import io.chagres.ship.file.Tail;
import io.chagres.watch.Dentry;
import io.chagres.watch.WatchedDirectory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds, by its name, the files that a file may have been made from. */
final class Namesakes {
    private Namesakes() {}

    /** Finds an entry of a directory by the first bytes of a name. */
    static @Nullable Dentry child(WatchedDirectory directory, byte[] name, int length) {
        return directory.child(MemorySegment.ofArray(name), 0, length);
    }

    /**
     * Returns the files whose name begins a given one, up to a separator: the versions before and after a truncation.
     */
    static List<Tail> originals(Tail tail, WatchedDirectory parent, byte[] name, int length) {
        List<Tail> found = new ArrayList<>(0);
        for (int end = length - 1; end > 0; end--) {
            byte separator = name[end];
            if (separator != '.' && separator != '-' && separator != '_') {
                continue;
            }
            Dentry stem = child(parent, name, end);
            Tail original = stem == null ? null : Tail.of(stem);
            if (original != null && original != tail) {
                Tail before = original.predecessor();
                if (before != null && before.position() > 0) {
                    found.add(before);
                }
                if (original.position() > 0) {
                    found.add(original);
                }
            }
        }
        return found;
    }
}
