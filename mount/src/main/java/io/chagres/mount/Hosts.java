package io.chagres.mount;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.store.BlobStore;
import io.chagres.fuse.Attributes;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The root: a directory for each host, named as it is called; hosts that share a name have their id behind it. A host
 * that appears later does not change the names of others. The gone files stand beside the hosts.
 */
final class Hosts extends Folder {
    private static final InodeAttributes ROOT = new InodeAttributes(0755, 0, 0, 0);

    private volatile BlobStore store;
    private final MountContext context;
    private final MountOptions options;
    private final NodeTable nodes;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final List<HostTree> slots = new CopyOnWriteArrayList<>();
    private final List<HostTree> shown = new CopyOnWriteArrayList<>();
    private final Map<Pathname, HostTree> byName = new TreeMap<>();
    private final Set<String> known = new HashSet<>();

    Hosts(BlobStore store, MountContext context, MountOptions options, NodeTable nodes) {
        super(FileNumbers.ROOT, FileNumbers.ROOT);
        this.store = store;
        this.context = context;
        this.options = options;
        this.nodes = nodes;
    }

    /** Asks the store which hosts there are. */
    void refresh() throws IOException {
        List<HostRegistry.Owner> found = HostRegistry.hosts(store).stream()
                .filter(owner -> !known.contains(owner.id()))
                .toList();
        lock.writeLock().lock();
        try {
            add(found);
        } finally {
            lock.writeLock().unlock();
        }
    }

    /**
     * Shows the hosts of another archive instead. The old hosts still answer for what is open of them.
     *
     * @return the names of directories that mean something else now, or nothing
     */
    List<Pathname> replace(BlobStore other) throws IOException {
        List<HostRegistry.Owner> found = HostRegistry.hosts(other);
        lock.writeLock().lock();
        try {
            List<Pathname> before = new ArrayList<>(byName.keySet());
            store = other;
            byName.clear();
            known.clear();
            shown.clear();
            add(found);
            return before;
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void add(List<HostRegistry.Owner> found) {
        Map<String, Integer> sharing = new HashMap<>();
        found.forEach(owner -> sharing.merge(owner.name(), 1, Integer::sum));
        for (HostRegistry.Owner owner : found) {
            if (slots.size() == FileNumbers.MAX_HOSTS) {
                return;
            }
            boolean shared = sharing.getOrDefault(owner.name(), 1) > 1 || byName.containsKey(Pathname.of(owner.name()));
            Pathname place = Pathname.of(shared ? owner.name() + "~" + owner.id() : owner.name());
            HostTree host = new HostTree(store, context, options, slots.size(), owner, place);
            slots.add(host);
            shown.add(host);
            byName.put(place, host);
            known.add(owner.id());
        }
    }

    /** Returns the hosts by the names of their directories. Under the lock. */
    Map<Pathname, HostTree> named() {
        return byName;
    }

    /** Returns the hosts of now. */
    List<HostTree> all() {
        return shown;
    }

    /** Says whether {@link #usage} takes no time to speak of. */
    boolean isCounted() {
        return shown.stream().allMatch(HostTree::isCounted);
    }

    /** Returns how much stands of the hosts that somebody looked into. */
    HostTree.Usage usage() {
        HostTree.Usage all = HostTree.Usage.NONE;
        for (HostTree host : shown) {
            all = all.plus(host.isLoaded() ? host.usage() : HostTree.Usage.NONE);
        }
        return all;
    }

    /** Returns the host of a file's number; null if there is none. */
    @Nullable
    HostTree ofFile(long number) {
        int slot = FileNumbers.slot(number);
        return slot < slots.size() ? slots.get(slot) : null;
    }

    @Override
    Lock lock() {
        return lock.readLock();
    }

    @Override
    boolean isReady() {
        return true;
    }

    @Override
    void load() {}

    @Override
    public void fill(Attributes to) {
        to.directory(0).nlink(1).size(BlockCache.PAGE_BYTES);
        options.ownership().apply(ROOT, to);
        to.ino(inode()).timeoutsNs(MountOptions.SHORT_TIMEOUT_NS);
    }

    @Override
    @Nullable
    Target find(Pathname name) {
        if (!options.hideGone() && name.equals(GoneFolder.PLACE)) {
            return GoneHosts.looked(nodes, this);
        }
        HostTree host = byName.get(name);
        return host == null ? null : TreeFolder.ofHost(nodes, host);
    }

    @Override
    List<Item> list() {
        List<Item> items = new ArrayList<>(byName.size());
        byName.forEach((name, host) -> items.add(new Child(nodes, name, host)));
        if (!options.hideGone()) {
            items.add(new GoneItem(this));
        }
        return items;
    }

    private record Child(NodeTable nodes, Pathname name, HostTree host) implements Item {
        @Override
        public Target target() {
            return TreeFolder.ofHost(nodes, host);
        }
    }

    private record GoneItem(Hosts in) implements Item {
        @Override
        public Pathname name() {
            return GoneFolder.PLACE;
        }

        @Override
        public Target target() {
            return GoneHosts.looked(in.nodes, in);
        }
    }

    @Override
    long missingTimeoutNs() {
        return 0;
    }

    @Override
    boolean isListCacheable() {
        return false;
    }
}
