package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.FuseFileSystem;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of paths that the kernel knows. Safe for any thread.
 *
 * <p>The kernel looks a name up first and uses its node later, when another file may have taken the name. A node that
 * was replaced so knows its successor: who used the name still means that. One that was removed has none, and who asks
 * for its path gets ESTALE, at which the kernel looks the name up again.
 */
final class PathTable {
    private final boolean keepsForgotten;
    private final Map<Long, Node> nodes = new HashMap<>();
    private long lastId = FuseFileSystem.ROOT;

    /** A path, or what is left of one that was removed. */
    private static final class Node {
        private final long id;
        private final Map<String, Node> children = new HashMap<>();
        private @Nullable Node parent;
        private String name;
        private final @Nullable Object file;

        /** Nodes that had this name before, and that the kernel still knows. */
        private final Set<Node> predecessors = new HashSet<>(0);

        /** The node that took its name; only of one without a parent. */
        private @Nullable Node successor;

        private long lookups;

        private Node(long id, @Nullable Node parent, String name, @Nullable Object file) {
            this.id = id;
            this.parent = parent;
            this.name = name;
            this.file = file;
        }
    }

    PathTable() {
        this(false);
    }

    /**
     * Makes a table of nothing but the root.
     *
     * @param keepsForgotten whether a name keeps its number as long as it exists, for files that have no other
     */
    PathTable(boolean keepsForgotten) {
        this.keepsForgotten = keepsForgotten;
        nodes.put(FuseFileSystem.ROOT, new Node(FuseFileSystem.ROOT, null, "", null));
    }

    /** Returns the path of a node, or of the one that took its name. */
    synchronized String path(long id) throws ErrnoException {
        Node node = node(id);
        return path(node.successor == null ? node : node.successor);
    }

    /** Returns the path of a name in a node. */
    synchronized String path(long parent, String name) throws ErrnoException {
        String directory = path(node(parent));
        return directory.equals("/") ? "/" + name : directory + "/" + name;
    }

    /** Returns the path of an open file, or nothing if it has none of its own any more. */
    synchronized String pathIfAny(long id) {
        try {
            return path(node(id));
        } catch (ErrnoException e) {
            return "";
        }
    }

    /** Tells whether another node took the name of a node. */
    synchronized boolean isReplaced(long id) throws ErrnoException {
        return node(id).successor != null;
    }

    /** Counts a lookup of a name that exists. */
    long lookedUp(long parent, String name) throws ErrnoException {
        return lookedUp(parent, name, null);
    }

    /**
     * Counts a lookup of a name that exists.
     *
     * @param file equal as long as the name is that of the same file; another one gets another number
     */
    synchronized long lookedUp(long parent, String name, @Nullable Object file) throws ErrnoException {
        Node directory = node(parent);
        Node node = directory.children.get(name);
        if (node != null && !Objects.equals(node.file, file)) {
            removed(parent, name);
            node = null;
        }
        if (node == null) {
            node = new Node(++lastId, directory, name, file);
            directory.children.put(name, node);
            nodes.put(node.id, node);
        }
        node.lookups++;
        return node.id;
    }

    /** Returns the number of a name, or 0 if it has none. */
    synchronized long known(long parent, String name) throws ErrnoException {
        Node node = node(parent).children.get(name);
        return node == null ? 0 : node.id;
    }

    /** Returns what a node was looked up with. */
    synchronized @Nullable Object file(long id) throws ErrnoException {
        return node(id).file;
    }

    synchronized void forget(long id, long lookups) {
        Node node = nodes.get(id);
        if (node != null && id != FuseFileSystem.ROOT) {
            node.lookups -= lookups;
            dropIfUnused(node);
        }
    }

    synchronized void removed(long parent, String name) throws ErrnoException {
        remove(node(parent), name, null);
    }

    synchronized void renamed(long parent, String name, long newParent, String newName) throws ErrnoException {
        Node node = node(parent).children.remove(name);
        Node directory = node(newParent);
        remove(directory, newName, node);
        if (node != null) {
            node.parent = directory;
            node.name = newName;
            directory.children.put(newName, node);
        }
    }

    /** Takes its name from a node, and leaves it and its predecessors the node that gets the name. */
    private void remove(Node directory, String name, @Nullable Node successor) {
        Node node = directory.children.remove(name);
        if (node == null) {
            return;
        }
        node.parent = null;
        node.predecessors.add(node);
        for (Node before : node.predecessors) {
            before.successor = successor;
            if (successor != null) {
                successor.predecessors.add(before);
            }
        }
        node.predecessors.clear();
        dropIfUnused(node);
    }

    private Node node(long id) throws ErrnoException {
        Node node = nodes.get(id);
        if (node == null) {
            throw new ErrnoException("find", Errno.ESTALE, "node " + id);
        }
        return node;
    }

    private static String path(Node node) throws ErrnoException {
        int length = 0;
        for (Node at = node; at.id != FuseFileSystem.ROOT; at = parent(at)) {
            length += 1 + at.name.length();
        }
        if (length == 0) {
            return "/";
        }
        char[] path = new char[length];
        for (Node at = node; at.id != FuseFileSystem.ROOT; at = parent(at)) {
            length -= at.name.length();
            at.name.getChars(0, at.name.length(), path, length);
            path[--length] = '/';
        }
        return new String(path);
    }

    private static Node parent(Node node) throws ErrnoException {
        Node parent = node.parent;
        if (parent == null) {
            throw new ErrnoException("find", Errno.ESTALE, node.name + ", which was removed or replaced,");
        }
        return parent;
    }

    /** A node goes when neither the kernel nor another node refers to it. */
    private void dropIfUnused(Node node) {
        Node at = node;
        while (at.id != FuseFileSystem.ROOT && at.lookups <= 0 && at.children.isEmpty() && at.predecessors.isEmpty()) {
            Node parent = at.parent;
            if (parent != null && keepsForgotten) {
                return;
            }
            nodes.remove(at.id);
            Node successor = at.successor;
            if (parent != null) {
                parent.children.remove(at.name, at);
                at = parent;
            } else if (successor != null) {
                successor.predecessors.remove(at);
                at = successor;
            } else {
                return;
            }
        }
    }
}
