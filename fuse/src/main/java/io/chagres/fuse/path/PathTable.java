package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.FuseFileSystem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of paths that the kernel knows, and their uses now. Safe for any thread: the table is locked while it is
 * looked at. A call of the file system holds its names and no others.
 *
 * <p>The kernel looks a name up first and uses its node later, when another file may have taken the name. So a replaced
 * node knows its successor: those who used the name still mean the successor. A file that was unlinked has the path
 * that its name had, where there is nothing, or another file by now. The path of a node that was removed otherwise is
 * ESTALE, at which the kernel looks the name up again.
 */
final class PathTable {
    /** Where no place or node is written. */
    private static final long NONE = -1;

    private final boolean keepsForgotten;
    private final Map<Long, Node> nodes = new HashMap<>();
    private long lastId = FuseFileSystem.ROOT;

    /** Requests that wait for names. */
    private int waiting;

    /** A path, or what is left of one that was removed. */
    static final class Node {
        /** 0 as long as the name is used but was never looked up. */
        private long id;

        private NameUse use = new NameUse(this);
        private final Map<String, Node> children = new HashMap<>();
        private @Nullable Node parent;
        private String name;
        private @Nullable NioIdentity file;

        /** Nodes that had this name before, and that the kernel still knows. */
        private final Set<Node> predecessors = new HashSet<>(0);

        /** The node that took its name; only of one without a parent. */
        private @Nullable Node successor;

        /** The directory in which its name was unlinked; only of one without a parent. */
        private @Nullable Node unlinkedIn;

        private long lookups;

        private Node(@Nullable Node parent, String name) {
            this.parent = parent;
            this.name = name;
        }

        private boolean isUnused() {
            return use.isFree() && children.isEmpty() && predecessors.isEmpty();
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
        Node root = new Node(null, "");
        root.id = FuseFileSystem.ROOT;
        nodes.put(root.id, root);
    }

    /** Returns the path of a node, or of the node that took its name. */
    synchronized String path(long id) throws ErrnoException {
        Node node = node(id);
        Node last = node.successor == null ? node : node.successor;
        Node directory = last.unlinkedIn;
        return directory != null && nodes.containsKey(directory.id) ? path(directory.id, last.name) : path(last);
    }

    /** Returns the path of a name in a node. */
    synchronized String path(long parent, String name) throws ErrnoException {
        String directory = path(node(parent));
        return directory.equals("/") ? "/" + name : directory + "/" + name;
    }

    /** Returns the path of an open file, or nothing if it no longer has one of its own. */
    synchronized String pathIfAny(long id) {
        try {
            return path(node(id));
        } catch (ErrnoException e) {
            return "";
        }
    }

    /** Returns whether the path of a node may be that of another file. */
    synchronized boolean isReplaced(long id) throws ErrnoException {
        Node node = node(id);
        return node.successor != null || node.unlinkedIn != null;
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
    synchronized long lookedUp(long parent, String name, @Nullable NioIdentity file) throws ErrnoException {
        Node directory = node(parent);
        Node node = child(directory, name);
        if (node.id != 0 && !Objects.equals(node.file, file)) {
            node = another(node, directory);
        }
        if (node.id == 0) {
            node.id = ++lastId;
            node.file = file;
            nodes.put(node.id, node);
        }
        node.lookups++;
        return node.id;
    }

    /** Gives the name of a node to a new one, with those who use the name. */
    private Node another(Node old, Node directory) {
        Node node = new Node(directory, old.name);
        node.use = old.use;
        node.use.node = node;
        old.use = new NameUse(old);
        remove(directory, old.name, null);
        directory.children.put(node.name, node);
        return node;
    }

    /** Returns the node of a name, which stays only if it is used or looked up. */
    private static Node child(Node directory, String name) {
        Node node = directory.children.get(name);
        if (node == null) {
            node = new Node(directory, name);
            directory.children.put(name, node);
        }
        return node;
    }

    /** Waits until what a request needs can be held, all of it at once. */
    synchronized void hold(HeldNames held, Runnable needs) {
        if (!held.shared.isEmpty() || !held.alone.isEmpty()) {
            throw new IllegalStateException("holds names already, and would wait for others with them");
        }
        boolean interrupted = false;
        needs.run();
        while (!NameUse.areFree(held)) {
            NameUse.announce(held.alone, 1);
            waiting++;
            dropUnused(held.shared);
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true; // that is for the file system to hear, once it is asked
            }
            waiting--;
            NameUse.announce(held.alone, -1);
            dropUnused(held.alone);
            held.shared.clear();
            held.alone.clear();
            needs.run(); // what the names mean may have changed
        }
        NameUse.begin(held);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized void release(HeldNames held) {
        NameUse.end(held);
        dropUnused(held.shared);
        dropUnused(held.alone);
        if (waiting > 0) {
            notifyAll();
        }
    }

    private void dropUnused(List<NameUse> names) {
        for (NameUse name : names) {
            dropIfUnused(name.node);
        }
    }

    /** Needs a node and the name that its path has, if it has one. Only within {@link #hold}. */
    void useNode(long id, HeldNames held) {
        Node node = nodes.get(id);
        if (node == null) {
            return;
        }
        held.shared.add(node.use);
        Node last = node.successor == null ? node : node.successor;
        Node directory = last.unlinkedIn;
        if (directory != null && nodes.containsKey(directory.id)) {
            useAbove(child(directory, last.name), held);
        } else {
            useAbove(last == node ? node.parent : last, held);
        }
    }

    /** Needs a node alone, whatever its name is. Only within {@link #hold}. */
    void useNodeAlone(long id, HeldNames held) {
        Node node = nodes.get(id);
        if (node != null) {
            held.alone.add(node.use);
        }
    }

    /** Needs a name, alone to change it. Only within {@link #hold}. */
    void useName(long parent, String name, boolean alone, HeldNames held) {
        Node directory = nodes.get(parent);
        if (directory != null) {
            (alone ? held.alone : held.shared).add(child(directory, name).use);
            useAbove(directory, held);
        }
    }

    private static void useAbove(@Nullable Node node, HeldNames held) {
        for (Node at = node; at != null && at.id != FuseFileSystem.ROOT; at = at.parent) {
            held.shared.add(at.use);
        }
    }

    /** Returns the number of a name, or 0 if it has none. */
    synchronized long known(long parent, String name) throws ErrnoException {
        Node node = node(parent).children.get(name);
        return node == null ? 0 : node.id;
    }

    /** Returns what a node was looked up with. */
    synchronized @Nullable NioIdentity file(long id) throws ErrnoException {
        return node(id).file;
    }

    /** Returns how many nodes it has, the root among them. */
    synchronized int size() {
        return nodes.size();
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

    /** Takes the name from a file that is no directory. */
    synchronized void unlinked(long parent, String name) throws ErrnoException {
        Node directory = node(parent);
        Node node = directory.children.get(name);
        if (node != null) {
            node.unlinkedIn = directory;
        }
        remove(directory, name, null);
    }

    synchronized void renamed(long parent, String name, long newParent, String newName) throws ErrnoException {
        Node directory = node(newParent);
        Node node = node(parent).children.remove(name);
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
        if (node.id != 0) {
            node.predecessors.add(node);
        }
        for (Node before : node.predecessors) {
            before.successor = successor;
            before.unlinkedIn = successor == null ? node.unlinkedIn : null;
            before.name = name;
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
        while (at.id != FuseFileSystem.ROOT && at.lookups <= 0 && at.isUnused()) {
            Node parent = at.parent;
            if (parent != null && keepsForgotten && at.id != 0) {
                return;
            }
            nodes.remove(at.id, at);
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

    /** Writes all that it knows, for a table in another process. Nobody uses a name meanwhile. */
    synchronized void write(StateWriter to) throws IOException {
        List<Node> ordered = parentsFirst();
        IdentityHashMap<Node, Integer> places = new IdentityHashMap<>();
        to.flag(keepsForgotten);
        to.number(lastId);
        to.number(ordered.size());
        for (Node node : ordered) {
            places.put(node, places.size());
            to.number(node.id);
            to.number(node.lookups);
            to.text(node.name);
            to.number(node.parent == null ? NONE : places.get(node.parent));
            to.number(node.unlinkedIn == null ? NONE : node.unlinkedIn.id);
            NioIdentity file = node.file;
            to.flag(file != null);
            if (file != null) {
                to.number(file.device());
                to.number(file.number());
                to.number(file.generation());
            }
        }
        for (Node node : ordered) {
            to.number(node.successor == null ? NONE : places.get(node.successor));
        }
    }

    private List<Node> parentsFirst() {
        List<Node> ordered = new ArrayList<>(nodes.size());
        for (Node node : nodes.values()) {
            if (node.parent == null) {
                ordered.add(node);
            }
        }
        for (int i = 0; i < ordered.size(); i++) {
            ordered.addAll(ordered.get(i).children.values());
        }
        return ordered;
    }

    /** Continues with the state that another table has written, if this one knows nothing yet. */
    synchronized void read(StateReader from) throws ErrnoException {
        if (from.flag() != keepsForgotten) {
            throw StateReader.malformed("of files with other numbers");
        }
        nodes.clear();
        lastId = from.number();
        List<Node> ordered = new ArrayList<>();
        IdentityHashMap<Node, Long> unlinked = new IdentityHashMap<>();
        for (int count = from.count(); count > 0; count--) {
            ordered.add(readNode(from, ordered, unlinked));
        }
        if (!nodes.containsKey(FuseFileSystem.ROOT)) {
            throw StateReader.malformed("without a root");
        }
        unlinked.forEach((node, directory) -> {
            // A forgotten directory leaves only its number.
            node.unlinkedIn = nodes.getOrDefault(directory, new Node(null, ""));
        });
        for (Node node : ordered) {
            long successor = from.number();
            if (successor != NONE) {
                node.successor = at(ordered, successor);
                node.successor.predecessors.add(node);
            }
        }
    }

    private Node readNode(StateReader from, List<Node> parents, Map<Node, Long> unlinked) throws ErrnoException {
        long id = from.number();
        long lookups = from.number();
        String name = from.text();
        long parent = from.number();
        Node node = new Node(parent == NONE ? null : at(parents, parent), name);
        node.id = id;
        node.lookups = lookups;
        long directory = from.number();
        if (directory != NONE) {
            unlinked.put(node, directory);
        }
        if (from.flag()) {
            node.file = new NioIdentity(from.number(), from.number(), (int) from.number());
        }
        if (node.parent != null) {
            node.parent.children.put(name, node);
        }
        if (id != 0 && nodes.put(id, node) != null) {
            throw StateReader.malformed("damaged: it has node " + id + " twice");
        }
        return node;
    }

    private static Node at(List<Node> nodes, long place) throws ErrnoException {
        if (place < 0 || place >= nodes.size()) {
            throw StateReader.malformed("damaged");
        }
        return nodes.get((int) place);
    }
}
