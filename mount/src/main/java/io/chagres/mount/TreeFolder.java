package io.chagres.mount;

import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.NameTree;
import io.chagres.fuse.Attributes;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A directory of a host. */
final class TreeFolder extends Folder {
    static final int MAX_NAME_BYTES = 255;

    private final NodeTable nodes;
    private final HostTree host;

    /** Its entry in the tree of names; null for the root, which is there before the host is loaded. */
    private NameTree.@Nullable Entry entry;

    TreeFolder(long number, long inode, NodeTable nodes, HostTree host, NameTree.@Nullable Entry entry) {
        super(number, inode);
        this.nodes = nodes;
        this.host = host;
        this.entry = entry;
    }

    /** Returns the node of a host's root. */
    static TreeFolder ofHost(NodeTable nodes, HostTree host) {
        long inode = host.inode(Pathname.of("/"));
        return (TreeFolder) nodes.looked(host, number -> new TreeFolder(number, inode, nodes, host, null));
    }

    HostTree host() {
        return host;
    }

    /** Returns what it is in the tree of names. */
    NameTree.Entry entry() {
        return entry == null ? host.state().names().root() : entry;
    }

    boolean isHostRoot() {
        return entry == null;
    }

    /** Stands for the same path in another state of the host. Under the exclusive use of the thread that applies. */
    void moveTo(NameTree.Entry other) {
        entry = other;
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
    void load() throws IOException {
        host.load();
    }

    @Override
    public void fill(Attributes to) {
        InodeAttributes archived = host.isLoaded() ? entry().attributes() : InodeAttributes.DEFAULT_DIRECTORY;
        host.fillDirectory(archived, inode(), to);
        if (isHostRoot()) {
            to.timeoutsNs(MountOptions.SHORT_TIMEOUT_NS); // more is known once it is loaded
        }
    }

    @Override
    @Nullable
    Target find(Pathname name) {
        NameTree.Entry child = entry().child(name);
        return child != null && host.shows(child) ? target(child) : null;
    }

    private @Nullable Target target(NameTree.Entry child) {
        if (child.kind() == LogRecord.Kind.FILE) {
            FileVersion version = child.version();
            return version == null || !FileNumbers.has(version.id()) ? null : new FileTarget(host, version);
        }
        return nodes.looked(child, number -> {
            long inode = host.inode(child.path());
            return child.kind() == LogRecord.Kind.SYMLINK
                    ? new LinkNode(number, inode, host, child)
                    : new TreeFolder(number, inode, nodes, host, child);
        });
    }

    @Override
    List<Item> list() {
        List<Item> items = new ArrayList<>();
        for (NameTree.Entry child : entry().children()) {
            if (host.shows(child) && child.name().length() <= MAX_NAME_BYTES) {
                items.add(new Child(this, child));
            }
        }
        return items;
    }

    /** A name of the tree, which may have moved since it was listed. */
    private record Child(TreeFolder in, NameTree.Entry entry) implements Item {
        @Override
        public Pathname name() {
            return entry.name();
        }

        @Override
        public @Nullable Target target() {
            NameTree.Entry now = entry.in(in.entry());
            return now == null ? null : in.target(now);
        }
    }

    @Override
    long missingTimeoutNs() {
        return host.options().timeoutNs();
    }

    @Override
    boolean isListCacheable() {
        return host.options().timeoutNs() == Long.MAX_VALUE;
    }
}
