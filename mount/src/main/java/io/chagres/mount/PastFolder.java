package io.chagres.mount;

import io.chagres.archive.state.GoneNames;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** {@code .versions} of a host, or a directory in it. What it holds is believed for a second. */
final class PastFolder extends Folder {
    /** Identifies a directory of versions. */
    private record Origin(HostTree host, Pathname path) {}

    private final NodeTable nodes;
    private final HostTree host;
    private final Pathname path;

    private PastFolder(long number, NodeTable nodes, HostTree host, Pathname path) {
        super(number, host.inode(Pathname.of("/").resolve(TreeFolder.PAST).resolve(path.relativeTo(PastTree.ROOT))));
        this.nodes = nodes;
        this.host = host;
        this.path = path;
    }

    /** Returns {@code .versions} of a host, looked up. */
    static Target rootOf(NodeTable nodes, HostTree host) {
        return looked(nodes, host, PastTree.ROOT);
    }

    private static Target looked(NodeTable nodes, HostTree host, Pathname path) {
        return nodes.looked(new Origin(host, path), number -> new PastFolder(number, nodes, host, path));
    }

    @Override
    Lock lock() {
        return host.readLock();
    }

    @Override
    boolean isReady() {
        return host.isLoaded();
    }

    @Override
    void load() {}

    @Override
    public void fill(io.chagres.fuse.Attributes to) {
        host.fillDirectory(GoneNames.directoryAttributes(host.state().names(), path), inode(), to);
        to.timeoutsNs(timeoutNs());
    }

    private long timeoutNs() {
        return host.options().isLive() ? MountOptions.SHORT_TIMEOUT_NS : Long.MAX_VALUE;
    }

    @Override
    @Nullable
    Target find(Pathname name) {
        PastTree.Entry entry = host.past().children(path).get(name);
        return entry == null ? null : target(name, entry);
    }

    private Target target(Pathname name, PastTree.Entry entry) {
        return entry.version() == null
                ? looked(nodes, host, path.resolve(name))
                : new FileTarget(host, entry.version());
    }

    @Override
    List<Item> list() {
        List<Item> items = new ArrayList<>();
        for (Map.Entry<Pathname, PastTree.Entry> each :
                host.past().children(path).entrySet()) {
            items.add(new Child(this, each.getKey(), each.getValue()));
        }
        return items;
    }

    private record Child(PastFolder in, Pathname name, PastTree.Entry entry) implements Item {
        @Override
        public Target target() {
            return in.target(name, entry);
        }
    }

    @Override
    long missingTimeoutNs() {
        return timeoutNs();
    }

    @Override
    boolean isListCacheable() {
        return false;
    }
}
