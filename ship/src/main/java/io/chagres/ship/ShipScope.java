package io.chagres.ship;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Glob;
import io.chagres.linux.Pathname;
import io.chagres.ship.file.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Says which paths a shipper follows: what its sources name, include and exclude, and never its own files. Confined to
 * the shipper's thread.
 */
final class ShipScope {
    /** Rewritten in place by its writer all the time. */
    private static final String JOURNAL = "*.journal";

    private final OwnPaths ownPaths;
    private final ShipListener listener;
    private List<Part> parts;
    /** What is never followed, with all below. */
    private Set<Pathname> own;

    private boolean journalSaid;

    /** A source that is ready to be asked. */
    private record Part(
            List<Pathname> roots, List<Glob> rootGlobs, List<Glob> includes, List<Glob> excludes, Rules rules) {
        static Part of(Source source) throws ErrnoException {
            List<Pathname> roots = new ArrayList<>();
            List<Glob> rootGlobs = new ArrayList<>();
            for (String path : source.paths()) {
                Pathname absolute = Pathname.of(path).absolute();
                roots.add(absolute);
                if (Glob.isPattern(path)) {
                    rootGlobs.add(Glob.of(absolute.toString()));
                }
            }
            List<Glob> excludes = globs(source.excludes());
            if (!source.includes().contains(JOURNAL)) {
                excludes.add(Glob.of(JOURNAL));
            }
            Rules rules = new Rules(source.maxLagMs(), source.codec());
            return new Part(roots, rootGlobs, globs(source.includes()), excludes, rules);
        }

        private static List<Glob> globs(List<String> patterns) {
            List<Glob> globs = new ArrayList<>();
            patterns.forEach(each -> globs.add(Glob.of(each)));
            return globs;
        }

        /** Says whether a path is one that the source names, or lies below. */
        boolean names(Pathname path) {
            for (Pathname at = path; at != null; at = at.parent()) {
                Pathname part = at;
                if (roots.contains(part) || rootGlobs.stream().anyMatch(each -> each.matches(part))) {
                    return true;
                }
            }
            return false;
        }

        boolean includes(Pathname path) {
            return includes.isEmpty() || includes.stream().anyMatch(each -> each.matches(path));
        }
    }

    /** @param ownPaths what is never followed, with all below: the archive, the state directory */
    ShipScope(ShipOptions options, OwnPaths ownPaths, ShipListener listener) throws ErrnoException {
        this.ownPaths = ownPaths;
        this.listener = listener;
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

    /** Says whether a path is left out, with all below it. */
    boolean excludes(Pathname path) {
        for (Pathname each : own) {
            if (path.startsWith(each)) {
                return true;
            }
        }
        for (Part each : of(path)) {
            if (!excludes(each, path)) {
                return false;
            }
        }
        return true;
    }

    private boolean excludes(Part part, Pathname path) {
        for (Glob each : part.excludes) {
            if (each.matches(path)) {
                sayJournal(each, path);
                return true;
            }
        }
        return false;
    }

    private void sayJournal(Glob pattern, Pathname path) {
        if (!journalSaid && pattern.toString().equals(JOURNAL)) {
            journalSaid = true;
            listener.problem("leaving out " + path + " and other " + JOURNAL
                    + " files: journald rewrites them in place; ship the output of journalctl, or --include '" + JOURNAL
                    + "'");
        }
    }

    /** Says whether a file's name is wanted. */
    boolean includes(Pathname path) {
        if (parts.size() == 1) {
            return parts.getFirst().includes(path);
        }
        return of(path).stream().anyMatch(each -> takes(each, path));
    }

    private boolean takes(Part part, Pathname path) {
        return part.includes(path) && !excludes(part, path);
    }

    /** Returns how a file is shipped that is followed under a path. */
    Rules rules(Pathname path) {
        List<Part> deciding = of(path);
        for (Part each : deciding) {
            if (takes(each, path)) {
                return each.rules;
            }
        }
        return deciding.getFirst().rules;
    }

    /** Says whether a path lies within what is followed. */
    boolean covers(Pathname path) {
        return !excludes(path) && parts.stream().anyMatch(each -> each.names(path));
    }
}
