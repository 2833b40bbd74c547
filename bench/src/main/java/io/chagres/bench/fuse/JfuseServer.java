package io.chagres.bench.fuse;

import io.chagres.bench.fuse.ServedTree.Callback;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.cryptomator.jfuse.api.DirFiller;
import org.cryptomator.jfuse.api.Errno;
import org.cryptomator.jfuse.api.FileInfo;
import org.cryptomator.jfuse.api.Fuse;
import org.cryptomator.jfuse.api.FuseBuilder;
import org.cryptomator.jfuse.api.FuseConfig;
import org.cryptomator.jfuse.api.FuseConnInfo;
import org.cryptomator.jfuse.api.FuseOperations;
import org.cryptomator.jfuse.api.Stat;

/** The tree served by jfuse, which calls libfuse 3 and is called back by it. */
public final class JfuseServer implements FuseOperations {
    private final ServedTree tree;
    private final boolean asItComes;
    private final Errno errno;
    private final ByteBuffer content;

    private JfuseServer(ServedTree tree, boolean asItComes, Errno errno) {
        this.tree = tree;
        this.asItComes = asItComes;
        this.errno = errno;
        content = tree.content.asByteBuffer();
    }

    /**
     * Serves it until it is unmounted.
     *
     * @param arguments of {@link ServedTree}, and {@code threads} to leave threads and READDIRPLUS as they come; the
     *     property {@code bench.libfuse3} names the library
     */
    public static void main(String[] arguments) throws Exception {
        boolean asItComes = ServedTree.asItComes(arguments);
        ServedTree tree = new ServedTree(arguments);
        FuseBuilder builder = Fuse.builder();
        builder.setLibraryPath(System.getProperty("bench.libfuse3"));
        try (Fuse fuse = builder.build(new JfuseServer(tree, asItComes, builder.errno()))) {
            fuse.mount(
                    "bench",
                    tree.mountPoint,
                    asItComes ? "-f" : "-s",
                    "-ofsname=bench",
                    "-oattr_timeout=" + tree.timeoutS,
                    "-oentry_timeout=" + tree.timeoutS,
                    tree.best ? "-okernel_cache" : "-onegative_timeout=0");
            // It does not tell when somebody else has unmounted.
            while (isMounted(tree.mountPoint)) {
                LockSupport.parkNanos(250_000_000L);
            }
        }
        tree.printCounts();
    }

    private static boolean isMounted(Path directory) throws IOException {
        return Files.readString(Path.of("/proc/self/mountinfo")).contains(" " + directory + " ");
    }

    @Override
    public Errno errno() {
        return errno;
    }

    @Override
    public Set<Operation> supportedOperations() {
        return Set.of(
                Operation.INIT,
                Operation.GET_ATTR,
                Operation.OPEN_DIR,
                Operation.READ_DIR,
                Operation.RELEASE_DIR,
                Operation.OPEN,
                Operation.READ,
                Operation.WRITE,
                Operation.RELEASE);
    }

    @Override
    public void init(FuseConnInfo connection, FuseConfig configuration) {
        int plus = FuseConnInfo.FUSE_CAP_READDIRPLUS | FuseConnInfo.FUSE_CAP_READDIRPLUS_AUTO;
        int unwanted = asItComes ? 0 : tree.best ? FuseConnInfo.FUSE_CAP_AUTO_INVAL_DATA : plus;
        connection.setWant(connection.want() & ~unwanted);
    }

    @Override
    public int getattr(String path, Stat stat, FileInfo info) {
        tree.count(Callback.GETATTR);
        int node = tree.node(path);
        if (node == 0) {
            return -errno.enoent();
        }
        fill(node, stat);
        return 0;
    }

    private void fill(int node, Stat stat) {
        boolean directory = ServedTree.isDirectory(node);
        stat.setMode(directory ? Stat.S_IFDIR | 0755 : Stat.S_IFREG | 0644);
        stat.setNLink((short) (directory ? 2 : 1));
        stat.setSize(tree.size(node));
    }

    @Override
    public int opendir(String path, FileInfo info) {
        tree.count(Callback.OPENDIR);
        return 0;
    }

    @Override
    public int readdir(String path, DirFiller filler, long offset, FileInfo info, int flags) {
        tree.count(Callback.READDIR);
        int node = tree.node(path);
        boolean plus = (flags & FUSE_READDIR_PLUS) != 0;
        try {
            tree.count(Callback.FILL);
            filler.fill(".");
            tree.count(Callback.FILL);
            filler.fill("..");
            for (int i = 0; i < ServedTree.children(node); i++) {
                tree.count(Callback.FILL);
                if (plus) {
                    int child = ServedTree.child(node, i);
                    filler.fill(ServedTree.name(node, i), stat -> fill(child, stat), 0, DirFiller.FUSE_FILL_DIR_PLUS);
                } else {
                    filler.fill(ServedTree.name(node, i));
                }
            }
            return 0;
        } catch (IOException e) {
            return -errno.eio();
        }
    }

    @Override
    public int releasedir(String path, FileInfo info) {
        tree.count(Callback.RELEASEDIR);
        return 0;
    }

    @Override
    public int open(String path, FileInfo info) {
        tree.count(Callback.OPEN);
        return tree.node(path) == 0 ? -errno.enoent() : 0;
    }

    @Override
    public int read(String path, ByteBuffer buffer, long size, long offset, FileInfo info) {
        tree.count(Callback.READ);
        int length = tree.readable(tree.node(path), size, offset);
        buffer.put(0, content, (int) offset, length);
        return length;
    }

    @Override
    public int write(String path, ByteBuffer buffer, long size, long offset, FileInfo info) {
        tree.count(Callback.WRITE);
        if (tree.readable(tree.node(path), size, offset) < size) {
            return -errno.eio();
        }
        MemorySegment.copy(MemorySegment.ofBuffer(buffer), 0, tree.content, offset, size);
        return (int) size;
    }

    @Override
    public int release(String path, FileInfo info) {
        tree.count(Callback.RELEASE);
        return 0;
    }
}
