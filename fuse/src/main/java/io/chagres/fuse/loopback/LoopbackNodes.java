package io.chagres.fuse.loopback;

import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.Notifier;
import io.chagres.linux.PathFd;
import io.chagres.linux.Statx;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files that the kernel knows, by number and by identity. A number is used again once the kernel has forgotten the
 * file that had it, with another generation. Safe for any thread. To find what is known allocates nothing.
 */
final class LoopbackNodes {
    private static final int FIRST_CAPACITY = 1024;

    /** The memory with which requests ask the kernel. */
    final ScratchPool scratches = new ScratchPool();

    private final long timeoutNs;
    private final Map<LoopbackIdentity, LoopbackNode> byIdentity = new HashMap<>();

    /** The key of a lookup, so that a lookup allocates nothing. */
    private final LoopbackIdentity probe = new LoopbackIdentity();

    /** The node of a number is at the number less the root's; null where the number is free. */
    private @Nullable LoopbackNode[] slots = new LoopbackNode[FIRST_CAPACITY];

    /** How often each number was given out. */
    private long[] generations = new long[FIRST_CAPACITY];

    private int[] freed = new int[FIRST_CAPACITY];
    private int freedCount;
    private int used;

    /** Lends files to the kernel; null if all are served. */
    private @Nullable Notifier lender;

    LoopbackNodes(long timeoutNs) {
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

    synchronized LoopbackNode get(long id) {
        long slot = id - FuseFileSystem.ROOT;
        LoopbackNode node = slot < 0 || slot >= used ? null : slots[(int) slot];
        if (node == null) {
            throw new IllegalArgumentException("node " + id + " is not known");
        }
        return node;
    }

    /** Finds a name, counts a lookup of its node and describes it. Returns the node, or -errno. */
    long find(PathFd parent, MemorySegment memory, long name, Attributes attributes) {
        try (Scratch scratch = scratches.take()) {
            Statx statx = scratch.statx;
            int result = statx.of(parent.value(), memory, name);
            if (result < 0) {
                return result;
            }
            LoopbackNode node = known(statx);
            if (node != null) {
                attributes.set(statx).timeoutsNs(timeoutNs).generation(node.generation);
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
        try (Scratch scratch = scratches.take()) {
            Statx statx = scratch.statx;
            int result = statx.of(fd);
            if (result < 0) {
                path.close();
                return result;
            }
            LoopbackNode node = add(path, statx);
            attributes.set(statx).timeoutsNs(timeoutNs).generation(node.generation);
            return node.id;
        }
    }

    /** Describes a file. Returns 0, or -errno. */
    int describe(PathFd path, Attributes attributes) {
        try (Scratch scratch = scratches.take()) {
            int result = scratch.statx.of(path.value());
            attributes.set(scratch.statx).timeoutsNs(timeoutNs);
            return result;
        }
    }

    /** Counts a lookup of a file that is known, or returns null. */
    private synchronized @Nullable LoopbackNode known(Statx statx) {
        LoopbackNode node = byIdentity.get(probe.set(statx.dev(), statx.ino()));
        if (node != null) {
            node.lookups++;
        }
        return node;
    }

    /** Counts a lookup of a file, which may be known by now; takes the path over. */
    private synchronized LoopbackNode add(PathFd path, Statx statx) {
        LoopbackNode node = known(statx);
        if (node != null) {
            path.close();
            return node;
        }
        int slot = freedCount > 0 ? freed[--freedCount] : used++;
        if (slot == slots.length) {
            slots = Arrays.copyOf(slots, 2 * slot);
            generations = Arrays.copyOf(generations, 2 * slot);
            freed = Arrays.copyOf(freed, 2 * slot);
        }
        LoopbackIdentity identity = new LoopbackIdentity().set(statx.dev(), statx.ino());
        node = new LoopbackNode(slot + FuseFileSystem.ROOT, generations[slot]++, identity, path);
        node.lookups = 1;
        slots[slot] = node;
        byIdentity.put(identity, node);
        return node;
    }

    synchronized void forget(long id, long lookups) {
        LoopbackNode node = get(id);
        node.lookups -= lookups;
        if (node.lookups <= 0 && id != FuseFileSystem.ROOT) {
            int slot = (int) (id - FuseFileSystem.ROOT);
            slots[slot] = null;
            freed[freedCount++] = slot;
            byIdentity.remove(node.identity);
            node.path.close();
        }
    }

    /** Counts an open file. Returns its backing file, or {@link LoopbackNode#SERVED}: one for all at a time. */
    synchronized int opened(LoopbackNode node) {
        Notifier kernel = lender;
        if (node.opens++ == 0 && kernel != null) {
            node.backing = Math.max(LoopbackNode.SERVED, kernel.openBackingFile(node.path.value()));
        }
        return node.backing;
    }

    /** Ends what {@link #opened} began. */
    synchronized void released(LoopbackNode node) {
        Notifier kernel = lender;
        if (--node.opens == 0 && kernel != null && node.backing != LoopbackNode.SERVED) {
            kernel.closeBackingFile(node.backing);
            node.backing = LoopbackNode.SERVED;
        }
    }

    synchronized void close() {
        byIdentity.values().forEach(node -> node.path.close());
        byIdentity.clear();
        Arrays.fill(slots, null);
        used = 0;
        freedCount = 0;
        scratches.close();
    }
}
