package io.chagres.bench.fuse;

import io.chagres.bench.fuse.ServedTree.Callback;
import io.chagres.foreign.Errno;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.AttributesReply;
import io.chagres.fuse.DirectoryReply;
import io.chagres.fuse.EmptyReply;
import io.chagres.fuse.EntryReply;
import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.FuseTransport;
import io.chagres.fuse.Name;
import io.chagres.fuse.OpenReply;
import io.chagres.fuse.Payload;
import io.chagres.fuse.ReadReply;
import io.chagres.fuse.Request;
import io.chagres.fuse.WriteReply;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** The tree served by ours. Allocates nothing per request. */
public final class BenchFs implements FuseFileSystem {
    private static final byte[] SELF = {'.'};
    private static final byte[] UP = {'.', '.'};
    private static final byte[][] ROOT_NAMES = names(ServedTree.ROOT);
    private static final byte[][] NAMES = names(ServedTree.D1000);

    private final ServedTree tree;
    private final long timeoutNs;

    BenchFs(ServedTree tree) {
        this.tree = tree;
        timeoutNs = Math.round(tree.timeoutS * 1e9);
    }

    private static byte[][] names(int directory) {
        byte[][] names = new byte[ServedTree.children(directory)][];
        for (int i = 0; i < names.length; i++) {
            names[i] = ServedTree.name(directory, i).getBytes(StandardCharsets.UTF_8);
        }
        return names;
    }

    /**
     * Serves it until it is unmounted.
     *
     * @param arguments {@code classic|uring MOUNT TIMEOUT_S plain|best DATA_MIB}
     */
    public static void main(String[] arguments) throws Exception {
        ServedTree tree = new ServedTree(arguments[1], arguments[2], arguments[3], arguments[4]);
        FuseOptions options = options(arguments[0], tree.best);
        try (FuseServer server = FuseServer.mount(new BenchFs(tree), tree.mountPoint, options)) {
            server.join();
        }
        tree.printCounts();
    }

    /**
     * One thread as the peers have, permissions not checked as libfuse's default is. io_uring has a thread for each
     * processor in any case.
     */
    static FuseOptions options(String transport, boolean best) {
        FuseOptions plain = FuseOptions.DEFAULTS.withName("bench").withDefaultPermissions(false);
        plain = switch (transport) {
            case "classic" -> plain.withTransport(FuseTransport.CLASSIC).withThreads(1);
            case "uring" -> plain.withTransport(FuseTransport.IO_URING);
            default -> throw new IllegalArgumentException("no transport '" + transport + "'");
        };
        return best
                ? plain.without(FuseFeature.AUTO_INVALIDATE).with(FuseFeature.NO_OPEN, FuseFeature.NO_OPENDIR)
                : plain;
    }

    @Override
    public void lookup(Request request, long parent, Name name, EntryReply reply) {
        tree.count(Callback.LOOKUP);
        int node = child((int) parent, name);
        if (node == 0) {
            reply.error(Errno.ENOENT);
        } else {
            reply.entry(node, fill(node, reply.attributes()));
        }
    }

    private int child(int parent, Name name) {
        if (parent == ServedTree.ROOT) {
            for (int i = 0; i < ROOT_NAMES.length; i++) {
                if (name.is(ROOT_NAMES[i])) {
                    return ServedTree.child(ServedTree.ROOT, i);
                }
            }
            return 0;
        }
        if (name.length() != NAMES[0].length || name.byteAt(0) != 'f') {
            return 0;
        }
        int index = 0;
        for (int i = 1; i < name.length(); i++) {
            index = index * 10 + ServedTree.digit(name.byteAt(i));
        }
        return ServedTree.inDirectory(parent, index);
    }

    private Attributes fill(int node, Attributes attributes) {
        if (ServedTree.isDirectory(node)) {
            attributes.directory(0755);
        } else {
            attributes.file(0644, tree.size(node));
        }
        return attributes.timeoutsNs(timeoutNs);
    }

    @Override
    public void getattr(Request request, long node, long handle, AttributesReply reply) {
        tree.count(Callback.GETATTR);
        reply.attributes(fill((int) node, reply.attributes()));
    }

    @Override
    public void opendir(Request request, long node, int flags, OpenReply reply) {
        tree.count(Callback.OPENDIR);
        reply.opened(0, 0);
    }

    @Override
    public void readdir(Request request, long node, long handle, long position, DirectoryReply reply) {
        tree.count(Callback.READDIR);
        int directory = (int) node;
        byte[][] names = directory == ServedTree.ROOT ? ROOT_NAMES : NAMES;
        int end = ServedTree.children(directory) + 2;
        boolean fits = true;
        for (int i = (int) position; i < end && fits; i++) {
            tree.count(Callback.FILL);
            int child = i < 2 ? directory : ServedTree.child(directory, i - 2);
            int type = ServedTree.isDirectory(child) ? DirectoryReply.DT_DIR : DirectoryReply.DT_REG;
            fits = reply.add(i == 0 ? SELF : i == 1 ? UP : names[i - 2], child, type, i + 1);
        }
        reply.done();
    }

    @Override
    public void releasedir(Request request, long node, long handle, int flags, EmptyReply reply) {
        tree.count(Callback.RELEASEDIR);
        reply.done();
    }

    @Override
    public void open(Request request, long node, int flags, OpenReply reply) {
        tree.count(Callback.OPEN);
        reply.opened(0, 0);
    }

    @Override
    public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
        tree.count(Callback.READ);
        reply.data(tree.content, position, tree.readable((int) node, size, position));
    }

    @Override
    public void write(Request request, long node, long handle, long position, Payload data, WriteReply reply) {
        tree.count(Callback.WRITE);
        if (tree.readable((int) node, data.length(), position) < data.length()) {
            reply.error(Errno.ENOSPC);
            return;
        }
        MemorySegment.copy(data.segment(), data.offset(), tree.content, position, data.length());
        reply.written(data.length());
    }

    @Override
    public void release(Request request, long node, long handle, int flags, int releaseFlags, EmptyReply reply) {
        tree.count(Callback.RELEASE);
        reply.done();
    }
}
