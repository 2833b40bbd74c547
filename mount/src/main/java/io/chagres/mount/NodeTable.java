package io.chagres.mount;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Knows the nodes the kernel knows, by their numbers and by what they stand for. A node goes when the kernel has
 * forgotten all its lookups. Safe for any thread.
 */
final class NodeTable {
    private final Map<Long, Node> nodes = new ConcurrentHashMap<>();
    private final Map<Object, Node> byOrigin = new HashMap<>();
    private long last = FileNumbers.ROOT;

    /** Adds the root, which never goes. */
    void addRoot(Folder root) {
        nodes.put(root.number(), root);
    }

    /** Returns a node, or null. */
    @Nullable
    Node get(long number) {
        return nodes.get(number);
    }

    /**
     * Returns the node that stands for an object, counting a lookup.
     *
     * @param origin by its own equality
     * @param maker makes the node of a number if there is none
     */
    synchronized Node looked(Object origin, LongFunction<Node> maker) {
        Node node = byOrigin.get(origin);
        if (node == null) {
            node = maker.apply(++last);
            node.origin = origin;
            byOrigin.put(origin, node);
            nodes.put(node.number(), node);
        }
        node.lookups++;
        return node;
    }

    /** Returns the node that stands for an object if the kernel knows it. */
    synchronized @Nullable Node of(Object origin) {
        return byOrigin.get(origin);
    }

    /** Forgets lookups; a number of a file or of the root is ignored. */
    synchronized void forget(long number, long lookups) {
        Node node = nodes.get(number);
        if (node == null || node.origin == null) {
            return;
        }
        node.lookups -= lookups;
        if (node.lookups <= 0) {
            nodes.remove(number);
            byOrigin.remove(node.origin);
        }
    }

    /** Lets a node stand for another object from now on. */
    synchronized void replaceOrigin(Node node, Object origin) {
        byOrigin.remove(node.origin);
        node.origin = origin;
        byOrigin.put(origin, node);
    }

    /** Returns all nodes of now. */
    List<Node> all() {
        return new ArrayList<>(nodes.values());
    }
}
