package io.chagres.bench.fuse;

import io.chagres.bench.fuse.ServedTree.Callback;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.path.DirectoryListing;
import io.chagres.fuse.path.PathFileSystem;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;

/** The tree served by ours, by paths, as {@link JfuseServer} does it. */
public final class PathBenchFs implements PathFileSystem {
    private final ServedTree tree;
    private final long timeoutNs;
    private final ByteBuffer content;

    private PathBenchFs(ServedTree tree) {
        this.tree = tree;
        timeoutNs = Math.round(tree.timeoutS * 1e9);
        content = tree.content.asByteBuffer();
    }

    /**
     * Serves it until it is unmounted.
     *
     * @param arguments {@code classic|uring MOUNT TIMEOUT_S plain|best DATA_MIB}
     */
    public static void main(String[] arguments) throws Exception {
        ServedTree tree = new ServedTree(arguments[1], arguments[2], arguments[3], arguments[4]);
        FuseOptions options = BenchFs.options(arguments[0], false);
        if (tree.best) {
            options = options.without(FuseFeature.AUTO_INVALIDATE)
                    .with(FuseFeature.KEEP_CACHE, FuseFeature.READDIRPLUS, FuseFeature.READDIRPLUS_AUTO);
        }
        try (FuseServer server = FuseServer.mount(new PathBenchFs(tree).byNodes(), tree.mountPoint, options)) {
            server.join();
        }
        tree.printCounts();
    }

    private int node(String path) throws NoSuchFileException {
        int node = tree.node(path);
        if (node == 0) {
            throw new NoSuchFileException(path);
        }
        return node;
    }

    @Override
    public void getattr(String path, Attributes attributes) throws NoSuchFileException {
        tree.count(Callback.GETATTR);
        fill(node(path), attributes);
    }

    private void fill(int node, Attributes attributes) {
        if (ServedTree.isDirectory(node)) {
            attributes.directory(0755);
        } else {
            attributes.file(0644, tree.size(node));
        }
        attributes.timeoutsNs(timeoutNs);
    }

    @Override
    public List<String> readdir(String path) throws NoSuchFileException {
        int node = node(path);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < ServedTree.children(node); i++) {
            names.add(ServedTree.name(node, i));
        }
        return names;
    }

    @Override
    public void readdir(String path, DirectoryListing listing) throws NoSuchFileException {
        tree.count(Callback.READDIR);
        int node = node(path);
        Attributes attributes = new Attributes();
        for (int i = 0; i < ServedTree.children(node); i++) {
            tree.count(Callback.FILL);
            if (tree.best) {
                fill(ServedTree.child(node, i), attributes);
                listing.add(ServedTree.name(node, i), attributes);
            } else {
                listing.add(ServedTree.name(node, i));
            }
        }
    }

    @Override
    public long open(String path, int flags) throws NoSuchFileException {
        tree.count(Callback.OPEN);
        node(path);
        return 0;
    }

    @Override
    public void read(String path, long handle, ByteBuffer buffer, long position) throws NoSuchFileException {
        tree.count(Callback.READ);
        int length = tree.readable(node(path), buffer.remaining(), position);
        buffer.put(buffer.position(), content, (int) position, length);
        buffer.position(buffer.position() + length);
    }

    @Override
    public void write(String path, long handle, ByteBuffer data, long position) throws IOException {
        tree.count(Callback.WRITE);
        int length = data.remaining();
        if (tree.readable(node(path), length, position) < length) {
            throw new ErrnoException("write", Errno.ENOSPC, path);
        }
        MemorySegment.copy(MemorySegment.ofBuffer(data), 0, tree.content, position, length);
    }

    @Override
    public void release(String path, long handle) {
        tree.count(Callback.RELEASE);
    }
}
