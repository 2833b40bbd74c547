package io.chagres.ship;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Glob;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.List;

/** Says which paths a shipper follows: what it was given, what is included and excluded, and never its own files. */
final class ShipScope {
    /** Rewritten in place by its writer all the time. */
    private static final String JOURNAL = "*.journal";

    private final List<Pathname> roots = new ArrayList<>();
    private final List<Glob> rootGlobs = new ArrayList<>();
    private final List<Glob> includes = new ArrayList<>();
    private final List<Glob> excludes = new ArrayList<>();
    private final List<Pathname> own;
    private final ShipListener listener;
    private boolean journalSaid;

    /** @param own paths that are never followed, with all below: the archive, the state directory */
    ShipScope(ShipOptions options, List<Pathname> own, ShipListener listener) throws ErrnoException {
        this.own = own;
        this.listener = listener;
        for (String path : options.paths()) {
            Pathname absolute = Pathname.of(path).absolute();
            roots.add(absolute);
            if (Glob.isPattern(path)) {
                rootGlobs.add(Glob.of(absolute.toString()));
            }
        }
        options.includes().forEach(each -> includes.add(Glob.of(each)));
        options.excludes().forEach(each -> excludes.add(Glob.of(each)));
        if (!options.includes().contains(JOURNAL)) {
            excludes.add(Glob.of(JOURNAL));
        }
    }

    Pathname[] roots() {
        return roots.toArray(Pathname[]::new);
    }

    /** Says whether a path is left out, with all below it. */
    boolean excludes(Pathname path) {
        for (Pathname each : own) {
            if (path.startsWith(each)) {
                return true;
            }
        }
        for (Glob each : excludes) {
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
        return includes.isEmpty() || includes.stream().anyMatch(each -> each.matches(path));
    }

    /** Says whether a path lies within what is followed. */
    boolean covers(Pathname path) {
        if (excludes(path)) {
            return false;
        }
        for (Pathname at = path; at != null; at = at.parent()) {
            Pathname part = at;
            if (roots.contains(part) || rootGlobs.stream().anyMatch(each -> each.matches(part))) {
                return true;
            }
        }
        return false;
    }
}
