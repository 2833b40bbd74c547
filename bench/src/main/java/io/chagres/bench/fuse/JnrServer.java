package io.chagres.bench.fuse;

import io.chagres.bench.fuse.ServedTree.Callback;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import ru.serce.jnrfuse.ErrorCodes;
import ru.serce.jnrfuse.FuseFillDir;
import ru.serce.jnrfuse.FuseStubFS;
import ru.serce.jnrfuse.struct.FileStat;
import ru.serce.jnrfuse.struct.FuseFileInfo;

/** The tree served by jnr-fuse, which calls libfuse 2 and is called back by it. */
public final class JnrServer extends FuseStubFS {
    private final ServedTree tree;
    private final Pointer content;

    private JnrServer(ServedTree tree) {
        this.tree = tree;
        content = Pointer.wrap(Runtime.getSystemRuntime(), tree.content.address(), tree.content.byteSize());
    }

    /**
     * Serves it until it is unmounted.
     *
     * @param arguments of {@link ServedTree}, and {@code threads} for as many as the library has
     */
    public static void main(String[] arguments) {
        boolean asItComes = ServedTree.asItComes(arguments);
        ServedTree tree = new ServedTree(arguments);
        String options = "fsname=bench,big_writes,attr_timeout=" + tree.timeoutS + ",entry_timeout=" + tree.timeoutS
                + (tree.best ? ",kernel_cache" : "");
        new JnrServer(tree).mount(tree.mountPoint, true, false, new String[] {asItComes ? "-f" : "-s", "-o", options});
        tree.printCounts();
    }

    @Override
    public int getattr(String path, FileStat stat) {
        tree.count(Callback.GETATTR);
        int node = tree.node(path);
        if (node == 0) {
            return -ErrorCodes.ENOENT();
        }
        boolean directory = ServedTree.isDirectory(node);
        stat.st_mode.set(directory ? FileStat.S_IFDIR | 0755 : FileStat.S_IFREG | 0644);
        stat.st_nlink.set(directory ? 2 : 1);
        stat.st_size.set(tree.size(node));
        return 0;
    }

    @Override
    public int opendir(String path, FuseFileInfo info) {
        tree.count(Callback.OPENDIR);
        return 0;
    }

    @Override
    public int readdir(String path, Pointer buffer, FuseFillDir filler, long offset, FuseFileInfo info) {
        tree.count(Callback.READDIR);
        int node = tree.node(path);
        tree.count(Callback.FILL);
        filler.apply(buffer, ".", null, 0);
        tree.count(Callback.FILL);
        filler.apply(buffer, "..", null, 0);
        for (int i = 0; i < ServedTree.children(node); i++) {
            tree.count(Callback.FILL);
            filler.apply(buffer, ServedTree.name(node, i), null, 0);
        }
        return 0;
    }

    @Override
    public int releasedir(String path, FuseFileInfo info) {
        tree.count(Callback.RELEASEDIR);
        return 0;
    }

    @Override
    public int open(String path, FuseFileInfo info) {
        tree.count(Callback.OPEN);
        return tree.node(path) == 0 ? -ErrorCodes.ENOENT() : 0;
    }

    @Override
    public int read(String path, Pointer buffer, long size, long offset, FuseFileInfo info) {
        tree.count(Callback.READ);
        int length = tree.readable(tree.node(path), size, offset);
        content.transferTo(offset, buffer, 0, length);
        return length;
    }

    @Override
    public int write(String path, Pointer buffer, long size, long offset, FuseFileInfo info) {
        tree.count(Callback.WRITE);
        if (tree.readable(tree.node(path), size, offset) < size) {
            return -ErrorCodes.ENOSPC();
        }
        content.transferFrom(offset, buffer, 0, size);
        return (int) size;
    }

    @Override
    public int release(String path, FuseFileInfo info) {
        tree.count(Callback.RELEASE);
        return 0;
    }
}
