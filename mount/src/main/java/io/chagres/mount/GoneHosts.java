package io.chagres.mount;

import io.chagres.fuse.Attributes;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** The directory that shows the gone files of each host, beside the directories of the hosts. */
final class GoneHosts extends Folder {
    /** Identifies the one there is. */
    private static final Object ORIGIN = new Object();

    private static final int INODE = 2;

    private final NodeTable nodes;
    private final Hosts hosts;

    private GoneHosts(long number, NodeTable nodes, Hosts hosts) {
        super(number, INODE);
        this.nodes = nodes;
        this.hosts = hosts;
    }

    /** Returns it, looked up. */
    static Target looked(NodeTable nodes, Hosts hosts) {
        return nodes.looked(ORIGIN, number -> new GoneHosts(number, nodes, hosts));
    }

    @Override
    Lock lock() {
        return hosts.lock();
    }

    @Override
    boolean isReady() {
        return true;
    }

    @Override
    void load() {}

    @Override
    public void fill(Attributes to) {
        hosts.fill(to);
        to.ino(inode());
    }

    @Override
    @Nullable
    Target find(Pathname name) {
        HostTree host = hosts.named().get(name);
        return host == null ? null : GoneFolder.of(nodes, host);
    }

    @Override
    List<Item> list() {
        List<Item> items = new ArrayList<>();
        hosts.named().forEach((name, host) -> items.add(new Child(nodes, name, host)));
        return items;
    }

    private record Child(NodeTable nodes, Pathname name, HostTree host) implements Item {
        @Override
        public Target target() {
            return GoneFolder.of(nodes, host);
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
