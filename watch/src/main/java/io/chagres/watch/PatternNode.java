package io.chagres.watch;

import io.chagres.linux.Glob;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A directory level of the paths that are watched: which names lead on from here. All roots together form one tree
 * of nodes that begins at {@code /}. Confined to the watcher's thread.
 */
final class PatternNode {
    private record Edge(Pathname pattern, Glob glob, PatternNode target) {}

    private static final Pathname ANY_DEPTH = Pathname.of("**");
    private static final Pathname ANY_NAME = Pathname.of("*");

    private final Map<Pathname, PatternNode> literals = new HashMap<>();
    private final List<Edge> globs = new ArrayList<>();
    /** The nodes that a link that leads here stands for. */
    private final List<PatternNode> aliases = new ArrayList<>();
    /** The level behind a component {@code **}; its names may follow at once. */
    private @Nullable PatternNode anyDepth;

    private final boolean loops;
    private boolean terminal;
    /** How many paths go through this node. */
    private int uses;

    PatternNode() {
        this(false);
    }

    private PatternNode(boolean loops) {
        this.loops = loops;
    }

    /** Returns the names a path consists of. */
    static List<Pathname> components(Pathname path) {
        byte[] bytes = path.bytes();
        List<Pathname> components = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length || bytes[i] == '/') {
                if (i > start) {
                    components.add(Pathname.ofBytes(bytes, start, i - start));
                }
                start = i + 1;
            }
        }
        return components;
    }

    /** Says whether a path, or a name of it, is a pattern. */
    static boolean isPattern(Pathname path) {
        return Glob.isPattern(path.toString());
    }

    /** Adds a path that is reported with all below. */
    void addRoot(List<Pathname> components) {
        addPath(components).terminal = true;
    }

    /** Adds a glob; what matches is reported with all below. */
    void addPattern(List<Pathname> components) {
        PatternNode node = this;
        for (int i = 0; i < components.size(); i++) {
            Pathname component = components.get(i);
            boolean last = i == components.size() - 1;
            if (component.equals(ANY_DEPTH)) {
                node = node.behindAnyDepth();
                node = last ? node.glob(ANY_NAME) : node;
            } else {
                node = isPattern(component) ? node.glob(component) : node.literal(component);
            }
        }
        node.terminal = true;
    }

    /** Adds a path literally and returns its node. */
    PatternNode addPath(List<Pathname> components) {
        PatternNode node = this;
        for (Pathname component : components) {
            node = node.literal(component);
        }
        return node;
    }

    /** Takes back one {@link #addPath}. */
    void removePath(List<Pathname> components) {
        PatternNode node = this;
        for (Pathname component : components) {
            PatternNode next = node.literals.get(component);
            if (next == null) {
                return;
            }
            if (--next.uses == 0) {
                node.literals.remove(component);
            }
            node = next;
        }
    }

    private PatternNode literal(Pathname name) {
        PatternNode next = literals.computeIfAbsent(name, n -> new PatternNode());
        next.uses++;
        return next;
    }

    private PatternNode glob(Pathname pattern) {
        for (Edge each : globs) {
            if (each.pattern.equals(pattern)) {
                return each.target;
            }
        }
        Edge edge = new Edge(pattern, Glob.of(pattern.toString()), new PatternNode());
        globs.add(edge);
        return edge.target;
    }

    private PatternNode behindAnyDepth() {
        if (anyDepth == null) {
            anyDepth = new PatternNode(true);
        }
        return anyDepth;
    }

    /** Lets this node stand for others too. */
    void addAliases(Set<PatternNode> nodes) {
        aliases.addAll(nodes);
    }

    /** Takes back one {@link #addAliases}. */
    void removeAliases(Set<PatternNode> nodes) {
        for (PatternNode each : nodes) {
            aliases.remove(each);
        }
    }

    /** Says whether what is named here is reported, with all below. */
    boolean isTerminal() {
        return terminal;
    }

    /** Says whether only known names lead on, so that the directory need not be listed. */
    boolean isLiteral() {
        return globs.isEmpty() && !loops;
    }

    Set<Pathname> literals() {
        return literals.keySet();
    }

    /** Adds this node and all it stands for. */
    void collect(Set<PatternNode> into) {
        if (into.add(this)) {
            aliases.forEach(each -> each.collect(into));
            if (anyDepth != null) {
                anyDepth.collect(into);
            }
        }
    }

    /** Adds the nodes a name leads to. */
    void step(Pathname name, Set<PatternNode> into) {
        PatternNode literal = literals.get(name);
        if (literal != null) {
            literal.collect(into);
        }
        for (Edge each : globs) {
            if (each.glob.matches(name)) {
                each.target.collect(into);
            }
        }
        if (loops) {
            collect(into);
        }
    }

    /** Adds the nodes one level further down, by whatever name. */
    void collectNext(Set<PatternNode> into) {
        literals.values().forEach(each -> each.collect(into));
        globs.forEach(each -> each.target.collect(into));
    }
}
