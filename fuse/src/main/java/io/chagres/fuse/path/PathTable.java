package io.chagres.fuse.path;

import io.chagres.fuse.FuseFileSystem;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The numbers of paths that the kernel knows. Safe for any thread. */
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

    /** Returns the path of a node. */
    synchronized String path(long id) throws NoSuchFileException {
        return path(node(id));
    }

    /** Returns the path of a name in a node. */
    synchronized String path(long parent, String name) throws NoSuchFileException {
        String directory = path(node(parent));
        return directory.equals("/") ? "/" + name : directory + "/" + name;
    }

    /** Returns the path of an open file, or nothing if it has none any more. */
    synchronized String pathIfAny(long id) {
        try {
            return path(id);
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    /** Counts a lookup of a name that exists. */
    long lookedUp(long parent, String name) throws NoSuchFileException {
        return lookedUp(parent, name, null);
    }

    /**
     * Counts a lookup of a name that exists.
     *
     * @param file equal as long as the name is that of the same file; another one gets another number
     */
    synchronized long lookedUp(long parent, String name, @Nullable Object file) throws NoSuchFileException {
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
    synchronized long known(long parent, String name) throws NoSuchFileException {
        Node node = node(parent).children.get(name);
        return node == null ? 0 : node.id;
    }

    /** Returns what a node was looked up with. */
    synchronized @Nullable Object file(long id) throws NoSuchFileException {
        return node(id).file;
    }

    synchronized void forget(long id, long lookups) {
        Node node = nodes.get(id);
        if (node != null && id != FuseFileSystem.ROOT) {
            node.lookups -= lookups;
            dropIfUnused(node);
        }
    }

    synchronized void removed(long parent, String name) throws NoSuchFileException {
        Node node = node(parent).children.remove(name);
        if (node != null) {
            node.parent = null;
            dropIfUnused(node);
        }
    }

    synchronized void renamed(long parent, String name, long newParent, String newName) throws NoSuchFileException {
        removed(newParent, newName);
        Node node = node(parent).children.remove(name);
        if (node != null) {
            Node directory = node(newParent);
            node.parent = directory;
            node.name = newName;
            directory.children.put(newName, node);
        }
    }

    private Node node(long id) throws NoSuchFileException {
        Node node = nodes.get(id);
        if (node == null) {
            throw new NoSuchFileException("node " + id);
        }
        return node;
    }

    private static String path(Node node) throws NoSuchFileException {
        if (node.id == FuseFileSystem.ROOT) {
            return "/";
        }
        StringBuilder path = new StringBuilder();
        for (Node at = node; at.id != FuseFileSystem.ROOT; ) {
            path.insert(0, at.name).insert(0, '/');
            Node parent = at.parent;
            if (parent == null) {
                throw new NoSuchFileException(path.toString(), null, "it was removed");
            }
            at = parent;
        }
        return path.toString();
    }

    /** A node goes when neither the kernel nor a name below it refers to it. */
    private void dropIfUnused(Node node) {
        Node at = node;
        while (at.id != FuseFileSystem.ROOT && at.lookups <= 0 && at.children.isEmpty()) {
            Node parent = at.parent;
            if (parent != null && keepsForgotten) {
                return;
            }
            nodes.remove(at.id);
            if (parent == null) {
                return;
            }
            parent.children.remove(at.name, at);
            at = parent;
        }
    }
}
