package io.chagres.fuse.path;

import io.chagres.fuse.Attributes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The handles of open nodes, and what was known of those that lost their name meanwhile. Safe for any thread. */
final class OpenFiles {
    private final Map<Long, OpenFile> files = new HashMap<>();

    /** How many have no name: each write must look, and mostly there is none. */
    private volatile int nameless;

    /** What is open on one node. */
    private static final class OpenFile {
        private final Deque<Long> handles = new ArrayDeque<>();
        private @Nullable Attributes last;
    }

    synchronized void opened(long node, long handle) {
        files.computeIfAbsent(node, none -> new OpenFile()).handles.add(handle);
    }

    synchronized void closed(long node, long handle) {
        OpenFile file = files.get(node);
        if (file != null && file.handles.remove(handle) && file.handles.isEmpty()) {
            files.remove(node);
            nameless -= file.last == null ? 0 : 1;
        }
    }

    synchronized boolean isOpen(long node) {
        return files.containsKey(node);
    }

    /** Tells whether a node is open and has no name. */
    synchronized boolean isNameless(long node) {
        OpenFile file = files.get(node);
        return file != null && file.last != null;
    }

    /** Keeps what is known of an open node whose name is removed or becomes another file's. */
    synchronized void lostName(long node, Attributes known) {
        OpenFile file = files.get(node);
        if (file != null) {
            nameless += file.last == null ? 1 : 0;
            file.last = new Attributes().set(known);
        }
    }

    /** Fills in what is known of a node that lost its name. Returns whether it is one that is open. */
    synchronized boolean fill(long node, Attributes attributes) {
        OpenFile file = files.get(node);
        Attributes known = file == null ? null : file.last;
        if (known != null) {
            attributes.set(known);
        }
        return known != null;
    }

    /** Returns the oldest handle of a node that is open: a later one may be of the file that took its name. */
    synchronized long handle(long node) {
        return files.getOrDefault(node, new OpenFile()).handles.getFirst();
    }

    /** Tells that a node reaches so far at least, if it has no name that could tell. */
    void written(long node, long end) {
        if (nameless > 0) {
            resize(node, end, false);
        }
    }

    /** Tells how long a node is that has no name. */
    synchronized void resize(long node, long size, boolean shrinks) {
        OpenFile file = files.get(node);
        Attributes known = file == null ? null : file.last;
        if (known != null && (shrinks || size > known.size())) {
            known.size(size);
        }
    }
}
