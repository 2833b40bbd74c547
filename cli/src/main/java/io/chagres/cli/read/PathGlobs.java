package io.chagres.cli.read;

import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.linux.Glob;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which paths {@code -g} takes: the last glob that matches decides, one with {@code !} in front against it. A path that
 * none matches is taken if all globs begin with {@code !}. Immutable.
 */
final class PathGlobs {
    private record Entry(Glob glob, boolean isExcluding) {}

    private final List<Entry> entries = new ArrayList<>();
    private final boolean takesOthers;

    /**
     * Compiles them.
     *
     * @throws CommandFailure when one is malformed
     */
    PathGlobs(List<String> globs) throws CommandFailure {
        try {
            for (String glob : globs) {
                boolean isExcluding = glob.startsWith("!");
                entries.add(new Entry(Glob.of(isExcluding ? glob.substring(1) : glob), isExcluding));
            }
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.USAGE, "-g: " + e.getMessage());
        }
        takesOthers = entries.stream().allMatch(Entry::isExcluding);
    }

    /** Says whether there is none, so that all paths are taken. */
    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Says whether the file at an absolute path is taken; what excludes a directory excludes all below it. */
    boolean take(Pathname path) {
        for (Entry each : entries.reversed()) {
            if (each.glob.matches(path) || (each.isExcluding && matchesAbove(each.glob, path))) {
                return !each.isExcluding;
            }
        }
        return takesOthers;
    }

    private static boolean matchesAbove(Glob glob, Pathname path) {
        for (@Nullable Pathname at = path.parent(); at != null; at = at.parent()) {
            if (glob.matches(at)) {
                return true;
            }
        }
        return false;
    }
}
