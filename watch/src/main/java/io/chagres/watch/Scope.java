package io.chagres.watch;

import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says which names of a directory matter: all, or those on the way to a root. The scope of a name says whether it is
 * reported, and is the scope of the directory when it is one. Immutable, though made from nodes that change when links
 * do. Confined to the watcher's thread.
 */
final class Scope {
    /** The scope of the names below a root. */
    static final Scope ALL = new Scope(Set.of(), true);

    private final Set<PatternNode> nodes;
    private final boolean reported;

    private Scope(Set<PatternNode> nodes, boolean reported) {
        this.nodes = nodes;
        this.reported = reported;
    }

    /** Returns the scope of {@code /} for what either of two trees of paths says; they may be one. */
    static Scope ofRoots(PatternNode root, PatternNode other) {
        Set<PatternNode> nodes = identitySet();
        root.collect(nodes);
        other.collect(nodes);
        return of(nodes, false);
    }

    private static Scope of(Set<PatternNode> nodes, boolean reported) {
        return new Scope(nodes, reported || nodes.stream().anyMatch(PatternNode::isTerminal));
    }

    private static Set<PatternNode> identitySet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    /** Returns the scope of a name in this directory, or null when it does not matter. */
    @SuppressWarnings("ReferenceEquality") // it is one object
    @Nullable
    Scope step(byte[] name) {
        if (this == ALL) {
            return ALL;
        }
        Pathname key = Pathname.ofBytes(name);
        Set<PatternNode> next = identitySet();
        nodes.forEach(each -> each.step(key, next));
        if (next.isEmpty()) {
            return reported ? ALL : null;
        }
        return of(next, reported);
    }

    /** Says whether what has this scope is reported, and all below. */
    boolean isReported() {
        return reported;
    }

    /** Says whether a root names it or leads through it, so that a link is followed. */
    boolean isNamed() {
        return !nodes.isEmpty();
    }

    /** Says whether names in this directory can be reported, so that changes of files matter. */
    boolean reportsNames() {
        if (reported) {
            return true;
        }
        Set<PatternNode> next = identitySet();
        nodes.forEach(each -> each.collectNext(next));
        return next.stream().anyMatch(PatternNode::isTerminal);
    }

    /** Returns the names that matter when the directory need not be listed to find them, otherwise null. */
    @Nullable
    List<Pathname> literals() {
        if (reported || !nodes.stream().allMatch(PatternNode::isLiteral)) {
            return null;
        }
        List<Pathname> names = new ArrayList<>();
        nodes.forEach(each -> names.addAll(each.literals()));
        return names;
    }

    Set<PatternNode> nodes() {
        return nodes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || (other instanceof Scope that && reported == that.reported && nodes.equals(that.nodes));
    }

    @Override
    public int hashCode() {
        return nodes.hashCode();
    }
}
