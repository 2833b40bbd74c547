package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.AttributeChange;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.AttributesReply;
import io.chagres.fuse.CreateReply;
import io.chagres.fuse.DirectoryReply;
import io.chagres.fuse.EmptyReply;
import io.chagres.fuse.EntryReply;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.LinkTargetReply;
import io.chagres.fuse.Name;
import io.chagres.fuse.OpenReply;
import io.chagres.fuse.Payload;
import io.chagres.fuse.ReadReply;
import io.chagres.fuse.Request;
import io.chagres.fuse.WriteReply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Serves a file system of paths by nodes. */
final class PathNodes implements FuseFileSystem {
    private final PathFileSystem paths;
    private final PathTable table = new PathTable();
    private final Listings listings = new Listings();
    private final NameLock names = new NameLock(false);
    private final OpenFiles open = new OpenFiles();

    PathNodes(PathFileSystem paths) {
        this.paths = paths;
    }

    @Override
    public void lookup(Request request, long parent, Name name, EntryReply reply) {
        names.using(reply, () -> entry(parent, name.decoded(), reply));
    }

    @Override
    public void forget(long node, long lookups) {
        table.forget(node, lookups);
    }

    @Override
    public void getattr(Request request, long node, long handle, AttributesReply reply) {
        names.using(reply, () -> attributes(node, reply));
    }

    @Override
    public void setattr(Request request, long node, AttributeChange change, AttributesReply reply) {
        names.using(reply, () -> {
            if (change.hasSize()) {
                truncate(node, change.size());
            }
            if (change.hasMode() || change.hasUid() || change.hasGid() || change.hasAtime() || change.hasMtime()) {
                paths.setattr(pathOfName(node), change);
            }
            attributes(node, reply);
        });
    }

    @Override
    public void readlink(Request request, long node, LinkTargetReply reply) {
        names.using(reply, () -> reply.target(paths.readlink(table.path(node)).getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void symlink(Request request, long parent, Name name, Name target, EntryReply reply) {
        names.using(reply, () -> {
            String link = name.decoded();
            paths.symlink(table.path(parent, link), target.decoded());
            entry(parent, link, reply);
        });
    }

    @Override
    public void mkdir(Request request, long parent, Name name, int mode, EntryReply reply) {
        names.using(reply, () -> {
            String directory = name.decoded();
            paths.mkdir(table.path(parent, directory), mode);
            entry(parent, directory, reply);
        });
    }

    @Override
    public void unlink(Request request, long parent, Name name, EmptyReply reply) {
        names.changing(reply, () -> {
            String file = name.decoded();
            String path = table.path(parent, file);
            Attributes known = knownIfOpen(parent, file);
            paths.unlink(path);
            lostName(parent, file, known);
            table.removed(parent, file);
            reply.done();
        });
    }

    @Override
    public void rmdir(Request request, long parent, Name name, EmptyReply reply) {
        names.changing(reply, () -> {
            String directory = name.decoded();
            paths.rmdir(table.path(parent, directory));
            table.removed(parent, directory);
            reply.done();
        });
    }

    @Override
    public void rename(
            Request request, long parent, Name name, long newParent, Name newName, int flags, EmptyReply reply) {
        names.changing(reply, () -> {
            if (flags != 0) {
                reply.error(Errno.EINVAL);
                return;
            }
            String from = name.decoded();
            String to = newName.decoded();
            Attributes replaced = knownIfOpen(newParent, to);
            paths.rename(table.path(parent, from), table.path(newParent, to));
            lostName(newParent, to, replaced);
            table.renamed(parent, from, newParent, to);
            reply.done();
        });
    }

    @Override
    public void open(Request request, long node, int flags, OpenReply reply) {
        names.using(reply, () -> {
            String path = pathOfName(node);
            Attributes known = null;
            if (table.isReplaced(node)) {
                known = new Attributes();
                paths.getattr(path, known);
            }
            long handle = paths.open(path, flags);
            open.opened(node, handle);
            if (known != null) {
                open.lostName(node, known);
            }
            // What the kernel has cached of a node that was replaced is of another file.
            reply.opened(handle, known == null ? 0 : OpenReply.DIRECT_IO);
        });
    }

    @Override
    public void create(Request request, long parent, Name name, int mode, int flags, CreateReply reply) {
        names.using(reply, () -> {
            String file = name.decoded();
            String path = table.path(parent, file);
            long handle = paths.create(path, mode & 07777, flags);
            Attributes attributes = reply.attributes();
            paths.getattr(path, attributes);
            long node = table.lookedUp(parent, file);
            open.opened(node, handle);
            reply.created(node, attributes, handle, 0);
        });
    }

    @Override
    public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
        names.answer(reply, () -> {
            ByteBuffer buffer =
                    reply.buffer().asSlice(reply.offset(), reply.capacity()).asByteBuffer();
            paths.read(table.pathIfAny(node), handle, buffer, position);
            reply.filled(buffer.position());
        });
    }

    @Override
    public void write(Request request, long node, long handle, long position, Payload data, WriteReply reply) {
        names.answer(reply, () -> {
            ByteBuffer buffer =
                    data.segment().asSlice(data.offset(), data.length()).asByteBuffer();
            paths.write(table.pathIfAny(node), handle, buffer.asReadOnlyBuffer(), position);
            open.written(node, position + data.length());
            reply.written(data.length());
        });
    }

    @Override
    public void release(Request request, long node, long handle, int flags, int releaseFlags, EmptyReply reply) {
        names.answer(reply, () -> {
            open.closed(node, handle);
            paths.release(table.pathIfAny(node), handle);
            reply.done();
        });
    }

    @Override
    public void fsync(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        names.answer(reply, () -> {
            paths.fsync(table.pathIfAny(node), handle);
            reply.done();
        });
    }

    @Override
    public void opendir(Request request, long node, int flags, OpenReply reply) {
        names.using(reply, () -> reply.opened(listings.open(paths.readdir(table.path(node))), 0));
    }

    @Override
    public void readdir(Request request, long node, long handle, long position, DirectoryReply reply) {
        listings.read(handle, position, reply);
    }

    @Override
    public void releasedir(Request request, long node, long handle, int flags, EmptyReply reply) {
        listings.close(handle);
        reply.done();
    }

    private void entry(long parent, String name, EntryReply reply) throws IOException {
        Attributes attributes = reply.attributes();
        paths.getattr(table.path(parent, name), attributes);
        reply.entry(table.lookedUp(parent, name), attributes);
    }

    private void attributes(long node, AttributesReply reply) throws IOException {
        Attributes attributes = reply.attributes();
        if (open.fill(node, attributes)) {
            paths.fgetattr(open.handle(node), attributes);
        } else {
            paths.getattr(table.path(node), attributes);
        }
        reply.attributes(attributes);
    }

    /** Returns the path of a node that is used by its name, which an open file that lost it no more is. */
    private String pathOfName(long node) throws IOException {
        if (open.fill(node, new Attributes())) {
            throw new ErrnoException("find", Errno.ESTALE, "node " + node + ", open without a name,");
        }
        return table.path(node);
    }

    private void truncate(long node, long size) throws IOException {
        if (open.fill(node, new Attributes())) {
            paths.ftruncate(open.handle(node), size);
            open.resize(node, size, true);
        } else {
            paths.truncate(table.path(node), size);
        }
    }

    /** Asks what a name is that will be another file's or nobody's, for those who have it open. */
    private @Nullable Attributes knownIfOpen(long parent, String name) throws IOException {
        long node = table.known(parent, name);
        if (node == 0 || !open.isOpen(node)) {
            return null;
        }
        Attributes known = new Attributes();
        paths.getattr(table.path(node), known);
        return known.nlink(0);
    }

    private void lostName(long parent, String name, @Nullable Attributes known) throws IOException {
        if (known != null) {
            open.lostName(table.known(parent, name), known);
        }
    }
}
