package io.chagres.examples;

import io.chagres.examples.PassthroughNode.Identity;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.Notifier;
import io.chagres.linux.PathFd;
import io.chagres.linux.Statx;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The files that the kernel knows, by number and by identity. Safe for any thread. */
final class PassthroughNodes {
    private final long timeoutNs;
    private final Map<Long, PassthroughNode> byId = new HashMap<>();
    private final Map<Identity, PassthroughNode> byIdentity = new HashMap<>();
    private long lastId = FuseFileSystem.ROOT - 1;

    /** What lends files to the kernel, or null if all are served. */
    private @Nullable Notifier lender;

    PassthroughNodes(long timeoutNs) {
        this.timeoutNs = timeoutNs;
    }

    /** Adds the first node, which the kernel never looks up; takes the path over. */
    void addRoot(PathFd path) throws ErrnoException {
        long root = adopt(path.value(), new Attributes());
        if (root < 0) {
            throw new ErrnoException("statx", (int) -root, path.toString());
        }
    }

    /** From now on the kernel reads and writes files itself. */
    synchronized void lendTo(Notifier notifier) {
        lender = notifier;
    }

    synchronized PassthroughNode get(long id) {
        return Objects.requireNonNull(byId.get(id), () -> "node " + id);
    }

    /** Finds a name, counts a lookup of its node and describes it. Returns the node, or -errno. */
    long find(PathFd parent, MemorySegment memory, long name, Attributes attributes) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            Statx statx = new Statx(frame.allocate(Statx.BYTES, Long.BYTES));
            int result = statx.of(parent.value(), memory, name);
            if (result < 0) {
                return result;
            }
            PassthroughNode node = known(statx);
            if (node != null) {
                attributes.set(statx).timeoutsNs(timeoutNs);
                return node.id;
            }
        }
        return adopt(parent.tryOpen(memory, name), attributes);
    }

    /** Counts a lookup of a file and describes it; takes a descriptor of its path over, which may be -errno. */
    long adopt(int fd, Attributes attributes) {
        if (fd < 0) {
            return fd;
        }
        PathFd path = PathFd.ofValue(fd);
        try (Frame frame = MemoryStack.ofThread().push()) {
            Statx statx = new Statx(frame.allocate(Statx.BYTES, Long.BYTES));
            int result = statx.of(fd);
            if (result < 0) {
                path.close();
                return result;
            }
            attributes.set(statx).timeoutsNs(timeoutNs);
            return add(path, statx).id;
        }
    }

    /** Describes a file. Returns 0, or -errno. */
    int describe(PathFd path, Attributes attributes) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            Statx statx = new Statx(frame.allocate(Statx.BYTES, Long.BYTES));
            int result = statx.of(path.value());
            attributes.set(statx).timeoutsNs(timeoutNs);
            return result;
        }
    }

    /** Counts a lookup of a file that is known, or returns null. */
    private synchronized @Nullable PassthroughNode known(Statx statx) {
        PassthroughNode node = byIdentity.get(new Identity(statx.dev(), statx.ino()));
        if (node != null) {
            node.lookups++;
        }
        return node;
    }

    /** Counts a lookup of a file, which may be known by now; takes the path over. */
    private synchronized PassthroughNode add(PathFd path, Statx statx) {
        PassthroughNode node = known(statx);
        if (node != null) {
            path.close();
            return node;
        }
        node = new PassthroughNode(++lastId, new Identity(statx.dev(), statx.ino()), path);
        node.lookups = 1;
        byId.put(node.id, node);
        byIdentity.put(node.identity, node);
        return node;
    }

    synchronized void forget(long id, long lookups) {
        PassthroughNode node = get(id);
        node.lookups -= lookups;
        if (node.lookups <= 0) {
            byId.remove(id);
            byIdentity.remove(node.identity);
            node.path.close();
        }
    }

    /** Counts an open file. Returns its backing file, or {@link PassthroughNode#SERVED}: one for all at a time. */
    synchronized int opened(PassthroughNode node) {
        Notifier kernel = lender;
        if (node.opens++ == 0 && kernel != null) {
            node.backing = Math.max(PassthroughNode.SERVED, kernel.openBackingFile(node.path.value()));
        }
        return node.backing;
    }

    /** Ends what {@link #opened} began. */
    synchronized void released(PassthroughNode node) {
        Notifier kernel = lender;
        if (--node.opens == 0 && kernel != null && node.backing != PassthroughNode.SERVED) {
            kernel.closeBackingFile(node.backing);
            node.backing = PassthroughNode.SERVED;
        }
    }

    synchronized void close() {
        byId.values().forEach(node -> node.path.close());
        byId.clear();
        byIdentity.clear();
    }
}
