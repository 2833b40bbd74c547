package io.chagres.fuse.path;

import io.chagres.foreign.ErrnoException;
import java.util.ArrayList;
import java.util.List;

/**
 * The names that one request uses: nobody else moves or removes them, or a directory above, before it is closed. Says
 * once what it needs and gets that all at once, so that no two requests wait for each other. For one thread.
 */
final class HeldNames implements AutoCloseable {
    /** Names that others use too. */
    final List<NameUse> shared = new ArrayList<>(4);

    /** Names that nobody else uses. */
    final List<NameUse> alone = new ArrayList<>(0);

    private final PathTable table;

    HeldNames(PathTable table) {
        this.table = table;
    }

    /** Holds the name of a node, as far as it has one, and the node. */
    void use(long node) {
        table.hold(this, () -> table.useNode(node, this));
    }

    /** Holds the name of a node and returns its path. */
    String path(long node) throws ErrnoException {
        synchronized (table) {
            use(node);
            return table.path(node);
        }
    }

    /** Holds a name, which need not exist. */
    void use(long parent, String name) {
        table.hold(this, () -> table.useName(parent, name, false, this));
    }

    /** Holds a name, which need not exist, and returns its path. */
    String path(long parent, String name) throws ErrnoException {
        synchronized (table) {
            use(parent, name);
            return table.path(parent, name);
        }
    }

    /** Holds the name of a node and another name. */
    void use(long node, long parent, String name) {
        table.hold(this, () -> {
            table.useNode(node, this);
            table.useName(parent, name, false, this);
        });
    }

    /** Waits until nobody else uses a node. */
    void useAlone(long node) {
        table.hold(this, () -> table.useNodeAlone(node, this));
    }

    /** Waits until nobody else uses a name or what is below, and returns its path. */
    String change(long parent, String name) throws ErrnoException {
        table.hold(this, () -> table.useName(parent, name, true, this));
        return table.path(parent, name);
    }

    /** Waits until nobody else uses two names or what is below them. */
    void change(long parent, String name, long newParent, String newName) {
        table.hold(this, () -> {
            table.useName(parent, name, true, this);
            table.useName(newParent, newName, true, this);
        });
    }

    @Override
    public void close() {
        table.release(this);
    }
}
