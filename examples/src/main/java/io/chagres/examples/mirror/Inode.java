package io.chagres.examples.mirror;

import io.chagres.linux.Statx;
import io.chagres.watch.Dentry;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A file, FIFO or directory with the names that were copied, and when it was copied. Confined to one thread. */
final class Inode {
    private static final long NEVER = Long.MIN_VALUE;

    /** So long after a change another one may have its time: file systems count it in steps, and before they write. */
    private static final long SAME_TIME_NS = 1_000_000_000L;

    private final Key key;
    private final Set<Dentry> names = new LinkedHashSet<>();
    private long ctimeNs = NEVER;
    private long size;

    /**
     * The key that tells files apart at one time.
     *
     * @param directory the name of a directory, which may have others by bind mounts: these are copied one by one
     */
    record Key(long device, long ino, int type, @Nullable Dentry directory) {}

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

    /**
     * Notes what the copy was made of.
     *
     * @param nowNs the time before anybody looked, nanoseconds since 1970
     */
    void copied(Statx stat, long nowNs) {
        long ageNs = nowNs - stat.ctimeNs();
        ctimeNs = ageNs < SAME_TIME_NS ? NEVER : stat.ctimeNs();
        size = stat.size();
    }

    /** Lets the content be copied again. */
    void forget() {
        ctimeNs = NEVER;
    }
}
