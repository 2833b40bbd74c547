package io.chagres.ship.file;

import io.chagres.watch.Dentry;
import io.chagres.watch.WatchedDirectory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Names that were looked at by a path that may have led elsewhere: a directory above was renamed, and its event had not
 * come. Each is looked at again, in every step, until the path of its directory leads there. Confined to the shipper's
 * thread.
 */
final class DoubtfulNames {
    /** The longest time that an event takes; after it an absent name counts as one that cannot be looked at. */
    private static final long PATIENCE_MS = 5_000;

    /** The names that were looked at since the last step. */
    private final List<Dentry> looked = new ArrayList<>();

    private final Map<Dentry, Long> sinceMs = new LinkedHashMap<>();

    /** Takes a name that was looked at by its path. */
    void looked(Dentry name) {
        looked.add(name);
    }

    /** Takes a name that was not found by its path. */
    void doubt(Dentry name, long nowMs) {
        sinceMs.putIfAbsent(name, nowMs);
    }

    /** Takes a directory that was renamed: what was looked at below it was looked at by its old path or the new one. */
    void renamed(Dentry directory, long nowMs) {
        for (Dentry each : looked) {
            if (each != directory && each.isWithin(directory)) {
                doubt(each, nowMs);
            }
        }
    }

    void gone(Dentry name) {
        sinceMs.remove(name);
    }

    boolean holds(Dentry name) {
        return sinceMs.containsKey(name);
    }

    boolean isEmpty() {
        return sinceMs.isEmpty();
    }

    /**
     * Looks again at the names in doubt.
     *
     * @param isThere says whether the path of a directory leads to it
     * @param again looks at a name, and calls {@link #doubt} when it is not found
     * @param absent takes a name that no event took away for long
     */
    void step(long nowMs, Predicate<WatchedDirectory> isThere, Consumer<Dentry> again, Consumer<Dentry> absent) {
        WatchedDirectory asked = null;
        boolean there = false;
        for (Dentry each : looked) {
            WatchedDirectory parent = each.parent();
            if (parent == null || !each.exists()) {
                continue;
            }
            if (parent != asked) {
                asked = parent;
                there = isThere.test(parent);
            }
            if (!there) {
                doubt(each, nowMs);
            }
        }
        looked.clear();
        if (!sinceMs.isEmpty()) {
            lookAgain(nowMs, isThere, again, absent);
        }
    }

    private void lookAgain(
            long nowMs, Predicate<WatchedDirectory> isThere, Consumer<Dentry> again, Consumer<Dentry> absent) {
        Map<Dentry, Long> before = new LinkedHashMap<>(sinceMs);
        sinceMs.clear();
        List<Dentry> late = new ArrayList<>();
        before.forEach((name, since) -> {
            WatchedDirectory parent = name.parent();
            if (!name.exists() || parent == null) {
                return;
            }
            if (nowMs - since >= PATIENCE_MS) {
                late.add(name);
            } else if (isThere.test(parent)) {
                again.accept(name);
                sinceMs.computeIfPresent(name, (same, now) -> since);
            } else {
                doubt(name, since);
            }
        });
        for (Dentry each : late) {
            again.accept(each);
            if (sinceMs.remove(each) != null) {
                absent.accept(each);
            }
        }
        looked.removeAll(late); // what its path leads to now is believed
    }
}
