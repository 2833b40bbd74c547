package io.chagres.watch;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Decides which names belong to the tree: by the roots and by the user's conditions. */
final class Filter {
    private final @Nullable Predicate<Pathname> excludes;
    private final @Nullable Predicate<Pathname> excludedDirectories;
    private final @Nullable Predicate<Pathname> includes;

    Filter(
            @Nullable Predicate<Pathname> excludes,
            @Nullable Predicate<Pathname> excludedDirectories,
            @Nullable Predicate<Pathname> includes) {
        this.excludes = excludes;
        this.excludedDirectories = excludedDirectories;
        this.includes = includes;
    }

    /** Returns what a name leads to, or null when it does not belong to the tree. */
    @Nullable
    Scope match(WatchedDirectory directory, byte[] name, int type) {
        Scope next = directory.scope().step(name);
        if (next == null) {
            return null;
        }
        if (!next.isReported()) {
            return type == Directory.DT_DIR || type == Directory.DT_LNK ? next : null;
        }
        return conditionsHold(directory, name, type) ? next : null;
    }

    private boolean conditionsHold(WatchedDirectory directory, byte[] name, int type) {
        if (!dependsOnPath()) {
            return true;
        }
        Pathname path = directory.pathOf(name);
        if (type == Directory.DT_DIR) {
            return (excludes == null || !excludes.test(path))
                    && (excludedDirectories == null || !excludedDirectories.test(path));
        }
        return (excludes == null || !excludes.test(path)) && (includes == null || includes.test(path));
    }

    /** Says whether a name may belong to the tree in one directory and not in another. */
    boolean dependsOnPath() {
        return excludes != null || excludedDirectories != null || includes != null;
    }
}
