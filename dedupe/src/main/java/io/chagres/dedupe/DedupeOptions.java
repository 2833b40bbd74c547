package io.chagres.dedupe;

import io.chagres.linux.PathPattern;
import io.chagres.linux.Pathname;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files to look at and what to do with them. Immutable.
 *
 * @param minSizeBytes smaller files are passed over, 1 or more
 * @param includes only files whose path matches one of these; all, if there are none
 * @param excludes neither files nor directories whose path matches one of these
 * @param oneFileSystem stay on the device of each path; subvolumes of btrfs are devices of their own
 * @param largestFirst begin with the largest files
 * @param dryRun only find out; files are read whole and nothing is changed
 * @param verify in a dry run, compare all bytes instead of hashes of 64 bits
 * @param database where to remember the files that were seen, or null
 */
public record DedupeOptions(
        long minSizeBytes,
        List<PathPattern> includes,
        List<PathPattern> excludes,
        boolean oneFileSystem,
        boolean largestFirst,
        boolean dryRun,
        boolean verify,
        @Nullable Pathname database) {
    /** All files, on all file systems below the paths. */
    public static final DedupeOptions DEFAULT =
            new DedupeOptions(1, List.of(), List.of(), false, false, false, false, null);

    /** Checks and copies. */
    public DedupeOptions {
        if (minSizeBytes < 1) {
            throw new IllegalArgumentException("a least size of " + minSizeBytes + " bytes");
        }
        includes = List.copyOf(includes);
        excludes = List.copyOf(excludes);
    }

    /**
     * Returns the same for a dry run.
     *
     * @param compareBytes see {@link #verify}
     * @return a copy
     */
    public DedupeOptions asDryRun(boolean compareBytes) {
        return new DedupeOptions(
                minSizeBytes, includes, excludes, oneFileSystem, largestFirst, true, compareBytes, null);
    }

    /**
     * Returns the same with a database.
     *
     * @param path where it is or will be
     * @return a copy
     */
    public DedupeOptions withDatabase(Pathname path) {
        return new DedupeOptions(minSizeBytes, includes, excludes, oneFileSystem, largestFirst, dryRun, verify, path);
    }

    boolean wants(Pathname path) {
        return (includes.isEmpty() || matches(includes, path, false)) && !matches(excludes, path, false);
    }

    boolean excludesDirectory(Pathname path) {
        return matches(excludes, path, true);
    }

    boolean hasGlobs() {
        return !includes.isEmpty() || !excludes.isEmpty();
    }

    private static boolean matches(List<PathPattern> patterns, Pathname path, boolean isDirectory) {
        for (PathPattern each : patterns) {
            if (each.matches(path, isDirectory)) {
                return true;
            }
        }
        return false;
    }
}
