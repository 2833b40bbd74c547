package io.chagres.examples.mirror;

import io.chagres.linux.Statx;
import io.chagres.watch.Dentry;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A regular file with the names that were copied, and what its content was copied from. Confined to one thread. */
final class Inode {
    private static final long NEVER = Long.MIN_VALUE;

    private final Key key;
    private final Set<Dentry> names = new LinkedHashSet<>();
    private long ctimeNs = NEVER;
    private long size;

    /** The key that tells files apart at one time. */
    record Key(long device, long ino) {}

    Inode(Key key) {
        this.key = key;
    }

    Key key() {
        return key;
    }

    void add(Dentry name) {
        names.add(name);
    }

    /** Returns true if no name is left. */
    boolean remove(Dentry name) {
        names.remove(name);
        return names.isEmpty();
    }

    Dentry anyName() {
        return names.iterator().next();
    }

    @Nullable
    Dentry nameBut(Dentry one) {
        for (Dentry each : names) {
            if (each != one) {
                return each;
            }
        }
        return null;
    }

    /** Says whether the copy was made of the file as it is now. */
    boolean isAsCopied(Statx stat) {
        return ctimeNs == stat.ctimeNs() && size == stat.size();
    }

    void copied(Statx stat) {
        ctimeNs = stat.ctimeNs();
        size = stat.size();
    }

    /** Lets the content be copied again. */
    void forget() {
        ctimeNs = NEVER;
    }
}
