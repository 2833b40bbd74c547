package io.chagres.mount;

import io.chagres.archive.state.GoneNames;
import io.chagres.fuse.Attributes;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A directory of a host that is gone, with the files that were last in it. */
final class GoneFolder extends Folder {
    /** Identifies a directory that is gone. */
    private record Origin(HostTree host, Pathname path) {}

    private final NodeTable nodes;
    private final HostTree host;
    private final Pathname path;

    private GoneFolder(long number, NodeTable nodes, HostTree host, Pathname path) {
        super(number, host.inode(path));
        this.nodes = nodes;
        this.host = host;
        this.path = path;
    }

    /** Returns what a directory, gone or not, had of a name, looked up; null if nothing of it is shown. */
    static @Nullable Target find(NodeTable nodes, HostTree host, Pathname directory, Pathname name) {
        GoneNames.Entry entry =
                host.options().hideGone() ? null : host.state().gone().find(directory, name);
        return entry == null ? null : target(nodes, host, directory, entry);
    }

    /** Returns the names a directory, gone or not, had. */
    static List<Item> list(NodeTable nodes, HostTree host, Pathname directory) {
        List<Item> items = new ArrayList<>();
        if (!host.options().hideGone()) {
            for (GoneNames.Entry entry : host.state().gone().children(directory)) {
                if (host.shows(entry)) {
                    items.add(new Child(nodes, host, directory, entry));
                }
            }
        }
        return items;
    }

    private static @Nullable Target target(NodeTable nodes, HostTree host, Pathname in, GoneNames.Entry entry) {
        if (!host.shows(entry)) {
            return null;
        }
        if (entry.version() != null) {
            return new FileTarget(host, entry.version());
        }
        Pathname path = in.resolve(entry.name());
        return nodes.looked(new Origin(host, path), number -> new GoneFolder(number, nodes, host, path));
    }

    /** A name, which may have come back since it was listed. */
    private record Child(NodeTable nodes, HostTree host, Pathname in, GoneNames.Entry entry) implements Item {
        @Override
        public Pathname name() {
            return entry.name();
        }

        @Override
        public @Nullable Target target() {
            boolean back = host.state().names().find(in.resolve(entry.name())) != null;
            return back ? null : GoneFolder.find(nodes, host, in, entry.name());
        }
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
    public void fill(Attributes to) {
        host.fillDirectory(GoneNames.directoryAttributes(host.state().names(), path), inode(), to);
    }

    @Override
    @Nullable
    Target find(Pathname name) {
        return find(nodes, host, path, name);
    }

    @Override
    List<Item> list() {
        return list(nodes, host, path);
    }

    @Override
    long missingTimeoutNs() {
        return host.options().timeoutNs();
    }

    @Override
    boolean isListCacheable() {
        return false; // nobody tells the kernel of this one: the name that leads to it is told
    }
}
