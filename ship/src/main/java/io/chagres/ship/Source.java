package io.chagres.ship;

import io.chagres.archive.Codec;
import io.chagres.linux.Glob;
import io.chagres.linux.PathPattern;
import java.util.List;

/**
 * Some paths that are followed, with conditions of their own. A file that several sources take goes by the rules of the
 * first one. Immutable.
 *
 * @param paths files, directories (recursive) and globs, as a person gave them; at least one
 * @param includes globs of names to ship; empty means all
 * @param excludes globs of names not to ship
 * @param maxLagMs how old an uncommitted byte gets, 1 to 3,600,000 milliseconds
 * @param codec how data objects are stored
 * @param ignoreOlderMs files that the archive does not know and that were not written for longer are left out until
 *     they are, milliseconds; 0 for none
 */
public record Source(
        List<String> paths,
        List<String> includes,
        List<String> excludes,
        long maxLagMs,
        Codec codec,
        long ignoreOlderMs) {
    private static final long MAX_LAG_MS = 3_600_000;

    /** Makes a source that leaves out no file for its age. */
    public Source(List<String> paths, List<String> includes, List<String> excludes, long maxLagMs, Codec codec) {
        this(paths, includes, excludes, maxLagMs, codec, 0);
    }

    /**
     * Checks every value.
     *
     * @throws IllegalArgumentException naming the value that is wrong
     */
    public Source {
        paths = List.copyOf(paths);
        includes = List.copyOf(includes);
        excludes = List.copyOf(excludes);
        if (paths.isEmpty()) {
            throw new IllegalArgumentException("no path to ship");
        }
        if (paths.contains("")) {
            throw new IllegalArgumentException("a path is empty");
        }
        if (maxLagMs < 1 || maxLagMs > MAX_LAG_MS) {
            throw new IllegalArgumentException("the lag must be between 1 ms and 1 h");
        }
        if (ignoreOlderMs < 0) {
            throw new IllegalArgumentException("the age of files that are ignored must not be negative");
        }
        paths.stream().filter(Glob::isPattern).forEach(Glob::of);
        includes.forEach(PathPattern::of);
        excludes.forEach(PathPattern::of);
    }
}
