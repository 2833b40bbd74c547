package io.chagres.mount;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.read.GoneTree;
import io.chagres.archive.state.FileVersion;
import io.chagres.fuse.Attributes;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * The files of a host, or of a directory in it, that are gone. The kernel hears of no change: it believes names for a
 * second.
 */
final class GoneFolder extends Folder {
    static final Pathname PLACE = Pathname.of(HostRegistry.GONE);

    private static final Pathname ROOT = Pathname.of("/");

    /** Identifies a directory. */
    private record Origin(HostTree host, Pathname path) {}

    private final NodeTable nodes;
    private final HostTree host;
    private final Pathname path;

    private GoneFolder(long number, NodeTable nodes, HostTree host, Pathname path) {
        super(number, host.goneInode(path));
        this.nodes = nodes;
        this.host = host;
        this.path = path;
    }

    /** Returns what is gone of a host, looked up. */
    static Target of(NodeTable nodes, HostTree host) {
        return looked(nodes, host, ROOT);
    }

    private static Target looked(NodeTable nodes, HostTree host, Pathname path) {
        return nodes.looked(new Origin(host, path), number -> new GoneFolder(number, nodes, host, path));
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
        InodeAttributes archived = host.isLoaded()
                ? GoneTree.directoryAttributes(host.state().names(), path)
                : InodeAttributes.DEFAULT_DIRECTORY;
        host.fillDirectory(archived, inode(), to);
        to.timeoutsNs(MountOptions.SHORT_TIMEOUT_NS);
    }

    @Override
    @Nullable
    Target find(Pathname name) {
        GoneTree.Entry entry = host.gone().find(path, name);
        return entry == null ? null : target(entry);
    }

    private @Nullable Target target(GoneTree.Entry entry) {
        if (entry.version() == 0) {
            return looked(nodes, host, path.resolve(entry.name()));
        }
        FileVersion version = host.state().version(entry.version());
        return version == null ? null : new GoneFile(new FileTarget(host, version));
    }

    /** A file whose name may lead to a newer one soon. */
    private record GoneFile(FileTarget file) implements Target {
        @Override
        public long number() {
            return file.number();
        }

        @Override
        public void fill(Attributes to) {
            file.fill(to);
            to.timeoutsNs(MountOptions.SHORT_TIMEOUT_NS);
        }
    }

    @Override
    List<Item> list() {
        List<Item> items = new ArrayList<>();
        for (GoneTree.Entry entry : host.gone().children(path)) {
            if (entry.name().length() <= TreeFolder.MAX_NAME_BYTES) {
                items.add(new Child(this, entry));
            }
        }
        return items;
    }

    /** A name, which may be another file's since it was listed. */
    private record Child(GoneFolder in, GoneTree.Entry entry) implements Item {
        @Override
        public Pathname name() {
            return entry.name();
        }

        @Override
        public @Nullable Target target() {
            return in.find(entry.name());
        }
    }

    @Override
    long missingTimeoutNs() {
        return MountOptions.SHORT_TIMEOUT_NS;
    }

    @Override
    boolean isListCacheable() {
        return false;
    }
}
