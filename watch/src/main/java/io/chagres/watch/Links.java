package io.chagres.watch;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows the symbolic links that an argument or glob names: where a link leads, the same names matter as behind the
 * link. Links that merely lie in a reported directory are not followed.
 */
final class Links {
    private record Followed(
            List<Pathname> target, PatternNode patterns, PatternNode node, Set<PatternNode> standsFor) {}

    private final Map<Dentry, Followed> followed = new HashMap<>();
    private PatternNode patterns;
    /** The paths before these, as long as not all that belongs to these was found. */
    private @Nullable PatternNode retiring;

    private final WatchedDirectory root;
    private final ScanQueue queue;
    private final Reporter reporter;

    Links(PatternNode patterns, WatchedDirectory root, ScanQueue queue, Reporter reporter) {
        this.patterns = patterns;
        this.root = root;
        this.queue = queue;
        this.reporter = reporter;
    }

    /** Takes other paths; the ones before count beside them until {@link #retire}: what belongs to both stays known. */
    void lead(PatternNode others) {
        retiring = patterns;
        patterns = others;
    }

    /** Ends the time in which earlier paths count; returns whether any did. */
    boolean retire() {
        boolean any = retiring != null;
        retiring = null;
        return any;
    }

    /** Returns what matters in {@code /}. */
    Scope rootScope() {
        return Scope.ofRoots(patterns, retiring == null ? patterns : retiring);
    }

    /** Follows a link; one that is followed already stands for what its scope says now. */
    void follow(WatchedDirectory directory, Dentry link, Scope scope) {
        Followed before = followed.get(link);
        if (before != null && before.standsFor.equals(scope.nodes())) {
            return;
        }
        List<Pathname> target = before == null ? target(directory, link) : before.target;
        if (target == null) {
            return;
        }
        PatternNode node = patterns.addPath(target);
        node.addAliases(scope.nodes());
        followed.put(link, new Followed(target, patterns, node, scope.nodes()));
        if (before != null) {
            forget(before);
        }
        reach(target);
    }

    private @Nullable List<Pathname> target(WatchedDirectory directory, Dentry link) {
        try (Directory opened = Directory.of(Fd.open(directory.path(), Fd.O_PATH | Fd.O_DIRECTORY, 0))) {
            Pathname target = opened.readlink(link.name());
            return PatternNode.components(directory.path().resolve(target).normalized());
        } catch (ErrnoException e) {
            if (!Directory.isAbsent(-e.errno())) {
                reporter.problem(link.path(), "cannot follow the link", e.errno());
            }
            return null;
        }
    }

    boolean isFollowed(Dentry link) {
        return followed.containsKey(link);
    }

    /** Follows a link no more. */
    void leave(Dentry link) {
        Followed left = followed.remove(link);
        if (left != null) {
            forget(left);
            reach(left.target);
        }
    }

    private void forget(Followed left) {
        left.node.removeAliases(left.standsFor);
        left.patterns.removePath(left.target);
    }

    /** Brings the directories on the way to a path up to date with the patterns. */
    private void reach(List<Pathname> path) {
        WatchedDirectory directory = root;
        root.setScope(rootScope());
        rescan(root);
        for (Pathname name : path) {
            byte[] bytes = name.bytes();
            Scope scope = directory.scope().step(bytes);
            if (scope == null || !(directory.child(bytes) instanceof WatchedDirectory next)) {
                return;
            }
            next.setScope(scope);
            rescan(next);
            directory = next;
        }
    }

    private void rescan(WatchedDirectory directory) {
        directory.scan().checksScope = true;
        queue.doubt(directory);
    }
}
