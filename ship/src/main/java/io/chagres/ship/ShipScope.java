package io.chagres.ship;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Glob;
import io.chagres.linux.PathPattern;
import io.chagres.linux.Pathname;
import io.chagres.ship.file.Rules;
import io.chagres.watch.DirectoryWatcher;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Says which paths a shipper follows: those that its sources name and include, and never its own files. Confined to
 * the shipper's thread.
 */
final class ShipScope {
    /** Rewritten in place by its writer all the time. */
    private static final Glob JOURNAL = Glob.of("*.journal");

    private final OwnPaths ownPaths;
    private final ShipListener listener;
    private List<Part> parts;
    /** The paths that are never followed, with all below. */
    private Set<Pathname> own;

    private boolean journalSaid;
    private final boolean once;
    private boolean foundAll = true;

    /** Makes that of some options; the state directory, and the archive where it is one, are its own files. */
    static ShipScope of(ShipOptions options, BlobStore store, ShipListener listener) throws IOException {
        List<Pathname> own = new ArrayList<>();
        own.add(options.identity().stateDirectory());
        DirectoryStore local = ForwardingStore.findBehind(store, DirectoryStore.class);
        if (local != null) {
            own.add(local.root());
        }
        return new ShipScope(options, new OwnPaths(own), listener);
    }

    /** Opens a watcher of the sources; the caller closes it. */
    DirectoryWatcher watch(ShipOptions options, Clock clock) throws IOException {
        return DirectoryWatcher.builder(roots())
                .exclude(this::excludes)
                .excludeDirectories(this::excludesDirectory)
                .include(this::includes)
                .coalesceMs(options.pace().coalesceMs())
                .pollIntervalMs(options.pace().pollMs())
                .clock(clock)
                .open();
    }

    /** A pattern of a source, and whether a name matched it. */
    private static final class Condition {
        final String option;
        final PathPattern pattern;
        boolean matched;

        Condition(String option, String pattern) {
            this.option = option;
            this.pattern = PathPattern.of(pattern);
        }

        /** Compares with the whole path, and from each root of the source on. */
        boolean matches(Pathname path, boolean isDirectory, Part part) {
            boolean matches = pattern.matches(path, isDirectory) || matchesFromRoots(path, isDirectory, part);
            matched |= matches;
            return matches;
        }

        private boolean matchesFromRoots(Pathname path, boolean isDirectory, Part part) {
            for (Pathname at = path.parent(); at != null && pattern.isAnchored(); at = at.parent()) {
                if (part.isRoot(at) && pattern.matchesFrom(at, path, isDirectory)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** A source that is ready to be asked. */
    private record Part(
            Set<Pathname> roots,
            int shortestRoot, // no name with fewer bytes is one
            List<Glob> rootGlobs,
            List<Glob> unmatchedGlobs, // of the sources' paths, until a name matches or it was said
            List<Condition> includes,
            List<Condition> excludes,
            boolean leavesOutJournals,
            Rules rules) {
        static Part of(Source source) throws ErrnoException {
            Set<Pathname> roots = new LinkedHashSet<>();
            List<Glob> rootGlobs = new ArrayList<>();
            for (String path : source.paths()) {
                Pathname absolute = Pathname.of(path).absolute();
                roots.add(absolute);
                if (Glob.isPattern(path)) {
                    rootGlobs.add(Glob.of(absolute.toString()));
                }
            }
            int shortest = roots.stream().mapToInt(Pathname::length).min().orElse(0);
            return new Part(
                    roots,
                    rootGlobs.isEmpty() ? shortest : 0,
                    rootGlobs,
                    new ArrayList<>(rootGlobs),
                    conditions("--include", source.includes()),
                    conditions("--exclude", source.excludes()),
                    !source.includes().contains(JOURNAL.toString()),
                    new Rules(source.maxLagMs(), source.codec(), source.ignoreOlderMs()));
        }

        private static List<Condition> conditions(String option, List<String> patterns) {
            List<Condition> conditions = new ArrayList<>();
            patterns.forEach(each -> conditions.add(new Condition(option, each)));
            return conditions;
        }

        boolean isRoot(Pathname path) {
            if (roots.contains(path)) {
                return true;
            }
            for (Glob each : rootGlobs) { // it is asked of each name above each file
                if (each.matches(path)) {
                    return true;
                }
            }
            return false;
        }

        /** Returns the highest path that the source names, of those that are a path or above it; null for none. */
        private @Nullable Pathname rootOf(Pathname path) {
            Pathname root = null;
            for (Pathname at = path; at != null && at.length() >= shortestRoot; at = at.parent()) {
                root = isRoot(at) ? at : root;
            }
            return root;
        }

        /** Says whether a path is one that the source names, or lies below. */
        boolean names(Pathname path) {
            for (Pathname at = path; at != null && at.length() >= shortestRoot; at = at.parent()) {
                if (isRoot(at)) {
                    return true;
                }
            }
            return false;
        }

        /** Asks all, so that each is known to have matched. */
        private boolean matchesAny(List<Condition> conditions, Pathname path, boolean isDirectory) {
            boolean any = false;
            for (Condition each : conditions) {
                any |= (!any || !each.matched) && each.matches(path, isDirectory, this);
            }
            return any;
        }

        boolean includes(Pathname path) {
            if (includes.isEmpty() || matchesAny(includes, path, false)) {
                return true;
            }
            List<Condition> ofDirectories = includes.stream()
                    .filter(each -> each.pattern.isOfDirectories())
                    .toList();
            for (Pathname at = path.parent(); at != null && !ofDirectories.isEmpty(); at = at.parent()) {
                if (matchesAny(ofDirectories, at, true)) {
                    return true;
                }
            }
            return false;
        }

        boolean excludes(Pathname path, boolean isDirectory) {
            if (!unmatchedGlobs.isEmpty()) {
                unmatchedGlobs.removeIf(each -> each.matches(path) || isNamed(each, path));
            }
            return matchesAny(excludes, path, isDirectory) || (leavesOutJournals && JOURNAL.matches(path));
        }

        /** Says whether a name is spelled as a glob is. */
        private boolean isNamed(Glob glob, Pathname path) {
            return roots.contains(path) && path.equals(Pathname.of(glob.toString()));
        }

        /** Says whether a file, or a directory above it that the source names or that lies below, is left out. */
        boolean excludesFile(Pathname path) {
            Pathname root = rootOf(path);
            return root != null && excludesUpTo(root, path);
        }

        /** Says whether the source names a file, or what is above it, and does not leave it out. */
        boolean covers(Pathname path) {
            Pathname root = rootOf(path);
            return root != null && !excludesUpTo(root, path);
        }

        @SuppressWarnings("ReferenceEquality") // the walk begins at this very path
        private boolean excludesUpTo(Pathname root, Pathname path) {
            for (Pathname at = path; at != null && at.length() >= root.length(); at = at.parent()) {
                if (excludes(at, at != path)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** @param ownPaths never followed, with all below: the archive, the state directory */
    ShipScope(ShipOptions options, OwnPaths ownPaths, ShipListener listener) throws ErrnoException {
        this.ownPaths = ownPaths;
        this.listener = listener;
        once = options.once();
        parts = parts(options);
        own = ownPaths.seenFrom(List.of(roots()));
    }

    private static List<Part> parts(ShipOptions options) throws ErrnoException {
        List<Part> parts = new ArrayList<>();
        for (Source source : options.sources()) {
            parts.add(Part.of(source));
        }
        return parts;
    }

    /** Takes other sources. */
    void replace(ShipOptions options) throws ErrnoException {
        parts = parts(options);
        own = ownPaths.seenFrom(List.of(roots()));
    }

    Pathname[] roots() {
        return parts.stream().flatMap(each -> each.roots.stream()).distinct().toArray(Pathname[]::new);
    }

    /** Returns the sources that decide on a path: those that name it, or all when a link leads there. */
    private List<Part> of(Pathname path) {
        if (parts.size() == 1) {
            return parts;
        }
        List<Part> naming = parts.stream().filter(each -> each.names(path)).toList();
        return naming.isEmpty() ? parts : naming;
    }

    /** Says whether a name is left out that is no directory's. */
    boolean excludes(Pathname path) {
        return excludes(path, false);
    }

    /** Says whether a directory is left out, with all below it. */
    boolean excludesDirectory(Pathname path) {
        return excludes(path, true);
    }

    private boolean excludes(Pathname path, boolean isDirectory) {
        if (isOwn(path)) {
            return true;
        }
        boolean excluded = true;
        for (Part each : of(path)) {
            excluded &= each.excludes(path, isDirectory);
        }
        if (excluded && !journalSaid && JOURNAL.matches(path)) {
            journalSaid = true;
            listener.problem("leaving out " + path + " and other " + JOURNAL
                    + " files: journald rewrites them in place; ship the output of journalctl, or --include '" + JOURNAL
                    + "'");
        }
        return excluded;
    }

    private boolean isOwn(Pathname path) {
        for (Pathname each : own) {
            if (path.startsWith(each)) {
                return true;
            }
        }
        return false;
    }

    /** Says of each pattern that matched no name so far that it did not; to be called once a scan is over. */
    void sayUnmatched() {
        for (Part part : parts) {
            part.unmatchedGlobs.forEach(each -> listener.problem("'" + each + "' matches no name that is there now; "
                    + (once ? "nothing of it was shipped" : "what does so later is followed then")));
            foundAll &= part.unmatchedGlobs.isEmpty();
            part.unmatchedGlobs.clear();
        }
        parts.stream()
                .flatMap(each -> Stream.concat(each.includes.stream(), each.excludes.stream()))
                .filter(each -> !each.matched)
                .map(each -> each.option + " '" + each.pattern + "'")
                .distinct()
                .forEach(each -> listener.problem(each + " matches no name that is there now; it is a glob of the"
                        + " last names of a path; one that begins with / is a whole path"));
    }

    /** Says whether each glob of a source was found to match a name. */
    boolean foundAll() {
        return foundAll;
    }

    /** Says whether a file's name is wanted. */
    boolean includes(Pathname path) {
        if (parts.size() == 1) {
            return parts.getFirst().includes(path);
        }
        return of(path).stream().anyMatch(each -> takes(each, path));
    }

    private boolean takes(Part part, Pathname path) {
        return part.includes(path) && !part.excludesFile(path);
    }

    /** Returns how a file is shipped that is followed under a path. */
    Rules rules(Pathname path) {
        List<Part> deciding = of(path);
        if (deciding.size() > 1) { // one decides, whatever it takes
            for (Part each : deciding) {
                if (takes(each, path)) {
                    return each.rules;
                }
            }
        }
        return deciding.getFirst().rules;
    }

    /** Says whether a path is neither followed nor this shipper's own, so that a link to it leads out. */
    boolean leadsOut(Pathname path) {
        return !isOwn(path) && !covers(path);
    }

    /** Says whether a source names a path itself. */
    boolean isRoot(Pathname path) {
        return parts.stream().anyMatch(each -> each.isRoot(path));
    }

    /** Says whether a path lies within a source. */
    boolean covers(Pathname path) {
        return !isOwn(path) && parts.stream().anyMatch(each -> each.covers(path));
    }
}
