package io.chagres.faultfs;

import io.chagres.foreign.Errno;
import io.chagres.fuse.AttributeChange;
import io.chagres.fuse.AttributesReply;
import io.chagres.fuse.CreateReply;
import io.chagres.fuse.EmptyReply;
import io.chagres.fuse.EntryReply;
import io.chagres.fuse.Name;
import io.chagres.fuse.OpenReply;
import io.chagres.fuse.Payload;
import io.chagres.fuse.Reply;
import io.chagres.fuse.Request;
import io.chagres.fuse.WriteReply;
import io.chagres.fuse.path.NioFileSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A directory of this machine that tells a {@link VolatileTree} of each change and each sync, one at a time, until the
 * power is cut; from then on every request fails. Safe for any thread.
 */
final class PowerLossFs extends PathFilter {
    /** The bit that O_SYNC and O_DSYNC have in common. */
    private static final int O_DSYNC = 010000;

    private final Path root;
    private final VolatileTree tree;

    /** Inode numbers of nodes, also of those that lost their name. */
    private final Map<Long, Long> inodes = new HashMap<>();

    private volatile boolean cut;

    PowerLossFs(NioFileSystem files, Path root, VolatileTree tree) {
        super(files, files::pathOf);
        this.root = root;
        this.tree = tree;
    }

    /** Ends everything; requests answered before were done before. */
    void cut() {
        synchronized (tree) {
            cut = true;
        }
    }

    @Override
    int meets(String operation, Reply reply, int size, String... paths) {
        if (cut) {
            reply.error(Errno.EIO);
        }
        return cut ? 0 : size;
    }

    /** Something that may fail because the directory behind does. */
    @FunctionalInterface
    private interface Step {
        void take() throws IOException;
    }

    /** Lets nothing else change meanwhile. An exception is EIO for this request, and in the log. */
    private void alone(Step step) {
        synchronized (tree) {
            try {
                step.take();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private Path at(long parent, Name name) {
        return root.resolve(path(parent, name).substring(1));
    }

    /** Does something to a file before it changes, unless nobody will ever see it again. */
    private void before(long node, Changed changed) throws IOException {
        String path = path(node);
        Long ino = inodes.get(node);
        Path file = path.isEmpty() ? null : root.resolve(path.substring(1));
        if (file != null && ino == null) {
            ino = remember(node, file);
        }
        if (ino != null && (file == null || VolatileTree.ino(file) != ino)) {
            file = tree.find(ino);
        }
        if (ino != null && file != null) {
            changed.to(ino, file);
        }
    }

    private @Nullable Long remember(long node, Path file) throws IOException {
        long ino = VolatileTree.ino(file);
        if (ino == VolatileTree.ABSENT) {
            return null;
        }
        inodes.put(node, ino);
        return ino;
    }

    @FunctionalInterface
    private interface Changed {
        void to(long ino, Path file) throws IOException;
    }

    @Override
    public void forget(long node, long lookups) {
        synchronized (tree) {
            super.forget(node, lookups);
            if (path(node).isEmpty()) {
                inodes.remove(node);
            }
        }
    }

    @Override
    public void open(Request request, long node, int flags, OpenReply reply) {
        alone(() -> {
            before(node, (ino, file) -> {});
            super.open(request, node, flags, reply);
        });
    }

    @Override
    public void setattr(Request request, long node, AttributeChange change, AttributesReply reply) {
        alone(() -> {
            before(node, (ino, file) -> {
                if (change.hasSize()) {
                    tree.beforeChange(ino, file, change.size(), Long.MAX_VALUE);
                } else {
                    tree.beforeAttributes(ino, file);
                }
            });
            super.setattr(request, node, change, reply);
        });
    }

    @Override
    public void write(Request request, long node, long handle, long position, Payload data, WriteReply reply) {
        alone(() -> {
            before(node, (ino, file) -> {
                if ((data.flags() & O_DSYNC) != 0) {
                    tree.beforeSyncedWrite(ino, file, position, bytes(data));
                } else {
                    tree.beforeChange(ino, file, position, position + data.length());
                }
            });
            super.write(request, node, handle, position, data, reply);
        });
    }

    private static ByteBuffer bytes(Payload data) {
        MemorySegment segment = data.segment().asSlice(data.offset(), data.length());
        return segment.asByteBuffer();
    }

    @Override
    public void fsync(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        alone(() -> {
            super.fsync(request, node, handle, dataOnly, reply);
            before(node, (ino, file) -> {
                if (!cut) {
                    tree.synced(ino, dataOnly);
                }
            });
        });
    }

    @Override
    public void fsyncdir(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        alone(() -> {
            super.fsyncdir(request, node, handle, dataOnly, reply);
            String path = path(node);
            if (!cut && !path.isEmpty()) {
                tree.directorySynced(root.resolve(path.substring(1)));
            }
        });
    }

    @Override
    public void create(Request request, long parent, Name name, int mode, int flags, CreateReply reply) {
        make(at(parent, name), () -> super.create(request, parent, name, mode, flags, reply));
    }

    @Override
    public void mknod(Request request, long parent, Name name, int mode, int device, EntryReply reply) {
        make(at(parent, name), () -> super.mknod(request, parent, name, mode, device, reply));
    }

    @Override
    public void mkdir(Request request, long parent, Name name, int mode, EntryReply reply) {
        make(at(parent, name), () -> super.mkdir(request, parent, name, mode, reply));
    }

    @Override
    public void symlink(Request request, long parent, Name name, Name target, EntryReply reply) {
        make(at(parent, name), () -> super.symlink(request, parent, name, target, reply));
    }

    private void make(Path path, Step step) {
        alone(() -> {
            boolean isThere = VolatileTree.ino(path) != VolatileTree.ABSENT;
            tree.beforeName(path);
            step.take();
            if (!isThere) {
                tree.made(path);
            }
        });
    }

    @Override
    public void link(Request request, long node, long newParent, Name newName, EntryReply reply) {
        alone(() -> {
            tree.beforeName(at(newParent, newName));
            super.link(request, node, newParent, newName, reply);
        });
    }

    @Override
    public void unlink(Request request, long parent, Name name, EmptyReply reply) {
        remove(at(parent, name), () -> super.unlink(request, parent, name, reply));
    }

    @Override
    public void rmdir(Request request, long parent, Name name, EmptyReply reply) {
        remove(at(parent, name), () -> super.rmdir(request, parent, name, reply));
    }

    private void remove(Path path, Step step) {
        alone(() -> {
            VolatileTree.Removal removal = tree.beforeRemoval(path);
            step.take();
            tree.afterRemoval(path, removal);
        });
    }

    @Override
    public void rename(
            Request request, long parent, Name name, long newParent, Name newName, int flags, EmptyReply reply) {
        Path from = at(parent, name);
        Path to = at(newParent, newName);
        alone(() -> {
            tree.beforeName(from);
            tree.beforeName(to);
            boolean replaces = VolatileTree.ino(from) != VolatileTree.ino(to);
            VolatileTree.Removal removal = replaces ? tree.beforeRemoval(to) : VolatileTree.Removal.NOTHING_KEPT;
            super.rename(request, parent, name, newParent, newName, flags, reply);
            tree.afterRemoval(to, removal);
        });
    }
}
