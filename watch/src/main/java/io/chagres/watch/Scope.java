package io.chagres.watch;

import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says which names of a directory matter: all, or those on the way to a root. Immutable, though made from nodes that
 * change when links do. Confined to the watcher's thread.
 */
final class Scope {
    /** The scope of a reported directory. */
    static final Scope ALL = new Scope(Set.of());

    private final Set<PatternNode> nodes;
    private final boolean terminal;

    private Scope(Set<PatternNode> nodes) {
        this.nodes = nodes;
        terminal = nodes.stream().anyMatch(PatternNode::isTerminal);
    }

    /** Returns the scope of {@code /}. */
    static Scope ofRoot(PatternNode root) {
        Set<PatternNode> nodes = identitySet();
        root.collect(nodes);
        Scope scope = new Scope(nodes);
        return scope.terminal ? ALL : scope;
    }

    private static Set<PatternNode> identitySet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    /** Returns what a name leads to, or null when it does not matter. */
    @Nullable
    Scope step(byte[] name) {
        if (this == ALL) {
            return ALL;
        }
        Pathname key = Pathname.ofBytes(name);
        Set<PatternNode> next = identitySet();
        nodes.forEach(each -> each.step(key, next));
        return next.isEmpty() ? null : new Scope(next);
    }

    /** Says whether a name with this scope is reported. */
    boolean isReported() {
        return this == ALL || terminal;
    }

    /** Returns the scope of a directory whose name has this scope. */
    Scope ofDirectory() {
        return terminal ? ALL : this;
    }

    /** Says whether names in this directory can be reported, so that changes of files matter. */
    boolean reportsNames() {
        if (this == ALL) {
            return true;
        }
        Set<PatternNode> next = identitySet();
        nodes.forEach(each -> each.collectNext(next));
        return next.stream().anyMatch(PatternNode::isTerminal);
    }

    /** Returns the names that matter when the directory need not be listed to find them, otherwise null. */
    @Nullable
    List<Pathname> literals() {
        if (this == ALL || !nodes.stream().allMatch(PatternNode::isLiteral)) {
            return null;
        }
        List<Pathname> names = new ArrayList<>();
        nodes.forEach(each -> names.addAll(each.literals()));
        return names;
    }

    List<PatternNode> nodes() {
        return List.copyOf(nodes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || other instanceof Scope that && this != ALL && that != ALL && nodes.equals(that.nodes);
    }

    @Override
    public int hashCode() {
        return nodes.hashCode();
    }
}
