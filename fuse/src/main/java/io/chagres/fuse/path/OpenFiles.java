package io.chagres.fuse.path;

import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.Attributes;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The handles of open nodes, and what was known of those that lost their name meanwhile. Safe for any thread. */
final class OpenFiles {
    /** O_CREAT, O_EXCL and O_TRUNC: what opening does to a file it does once. */
    private static final int ONCE = 0100 | 0200 | 01000;

    private final Map<Long, OpenFile> files = new HashMap<>();

    /** How many have no name: each write must look, and mostly there is none. */
    private volatile int nameless;

    /** The open handles of one node. */
    private static final class OpenFile {
        private final Deque<Handle> handles = new ArrayDeque<>();
        private @Nullable Attributes last;

        private boolean remove(long handle) {
            for (Iterator<Handle> all = handles.iterator(); all.hasNext(); ) {
                if (all.next().handle == handle) {
                    all.remove();
                    return true;
                }
            }
            return false;
        }
    }

    /**
     * One of them.
     *
     * @param flags the {@code O_} bits to open it again with
     */
    record Handle(long node, long handle, int flags) {}

    synchronized void opened(long node, long handle, int flags) {
        files.computeIfAbsent(node, none -> new OpenFile()).handles.add(new Handle(node, handle, flags & ~ONCE));
    }

    synchronized void closed(long node, long handle) {
        OpenFile file = files.get(node);
        if (file != null && file.remove(handle) && file.handles.isEmpty()) {
            files.remove(node);
            nameless -= file.last == null ? 0 : 1;
        }
    }

    synchronized boolean isOpen(long node) {
        return files.containsKey(node);
    }

    /** Returns whether a node is open and has no name. */
    boolean isNameless(long node) {
        return nameless > 0 && hasLostName(node);
    }

    private synchronized boolean hasLostName(long node) {
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

    /** Fills in the known attributes of a node that lost its name. Returns whether it is one that is open. */
    boolean fill(long node, Attributes attributes) {
        return nameless > 0 && fillKnown(node, attributes);
    }

    private synchronized boolean fillKnown(long node, Attributes attributes) {
        OpenFile file = files.get(node);
        Attributes known = file == null ? null : file.last;
        if (known != null) {
            attributes.set(known);
        }
        return known != null;
    }

    /** Returns the oldest handle of a node that is open: a later one may be of the file that took its name. */
    synchronized long handle(long node) {
        return files.getOrDefault(node, new OpenFile()).handles.getFirst().handle;
    }

    /** Notes that a node without a name is at least this long. */
    void written(long node, long end) {
        if (nameless > 0) {
            resize(node, end, false);
        }
    }

    /** Returns the length of a node that has no name. */
    synchronized void resize(long node, long size, boolean shrinks) {
        OpenFile file = files.get(node);
        Attributes known = file == null ? null : file.last;
        if (known != null && (shrinks || size > known.size())) {
            known.size(size);
        }
    }

    /** Returns all handles, those of a node in the order in which they were opened. */
    synchronized List<Handle> handles() {
        return files.values().stream().flatMap(file -> file.handles.stream()).toList();
    }

    /** Writes all handles; each of them has a name. */
    void write(StateWriter to) throws IOException {
        List<Handle> all = handles();
        to.number(all.size());
        for (Handle handle : all) {
            to.number(handle.node);
            to.number(handle.handle);
            to.number(handle.flags);
        }
    }

    /** Continues with the written state, if nothing is open here yet. */
    void read(StateReader from) throws ErrnoException {
        for (int count = from.count(); count > 0; count--) {
            opened(from.number(), from.number(), (int) from.number());
        }
    }
}
