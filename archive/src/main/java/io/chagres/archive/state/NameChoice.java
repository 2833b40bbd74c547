package io.chagres.archive.state;

import io.chagres.linux.Pathname;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Chooses the names that a state keeps, and with them the versions that have or had them; or versions without names.
 * Immutable.
 *
 * @param below says of a directory whether any name below it may be chosen
 * @param paths says whether a path is chosen
 * @param versions ids; where there are any nothing else is chosen
 */
public record NameChoice(Predicate<Pathname> below, Predicate<Pathname> paths, Set<Long> versions) {
    /** Chooses names. */
    public NameChoice(Predicate<Pathname> below, Predicate<Pathname> paths) {
        this(below, paths, Set.of());
    }

    /** Chooses versions. */
    static NameChoice of(Set<Long> versions) {
        return new NameChoice(directory -> false, path -> false, versions);
    }

    /** Says whether what is no file is kept: it is chosen, or above what may be. */
    boolean keeps(Pathname path) {
        return paths.test(path) || below.test(path);
    }
}
