package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
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
import io.chagres.fuse.Reply;
import io.chagres.fuse.Request;
import io.chagres.fuse.WriteReply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Serves a file system of paths by nodes. */
final class PathNodes implements FuseFileSystem {
    private final PathFileSystem paths;
    private final PathTable table = new PathTable();
    private final Listings listings = new Listings();

    PathNodes(PathFileSystem paths) {
        this.paths = paths;
    }

    /** Work on a path that may fail. */
    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    @Override
    public void lookup(Request request, long parent, Name name, EntryReply reply) {
        answer(reply, () -> entry(parent, name.decoded(), reply));
    }

    @Override
    public void forget(long node, long lookups) {
        table.forget(node, lookups);
    }

    @Override
    public void getattr(Request request, long node, long handle, AttributesReply reply) {
        answer(reply, () -> attributes(node, reply));
    }

    @Override
    public void setattr(Request request, long node, AttributeChange change, AttributesReply reply) {
        answer(reply, () -> {
            String path = table.path(node);
            if (change.hasSize()) {
                paths.truncate(path, change.size());
            }
            if (change.hasMode() || change.hasUid() || change.hasGid() || change.hasAtime() || change.hasMtime()) {
                paths.setattr(path, change);
            }
            attributes(node, reply);
        });
    }

    @Override
    public void readlink(Request request, long node, LinkTargetReply reply) {
        answer(reply, () -> reply.target(paths.readlink(table.path(node)).getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void symlink(Request request, long parent, Name name, Name target, EntryReply reply) {
        answer(reply, () -> {
            String link = name.decoded();
            paths.symlink(table.path(parent, link), target.decoded());
            entry(parent, link, reply);
        });
    }

    @Override
    public void mkdir(Request request, long parent, Name name, int mode, EntryReply reply) {
        answer(reply, () -> {
            String directory = name.decoded();
            paths.mkdir(table.path(parent, directory), mode);
            entry(parent, directory, reply);
        });
    }

    @Override
    public void unlink(Request request, long parent, Name name, EmptyReply reply) {
        answer(reply, () -> {
            String file = name.decoded();
            paths.unlink(table.path(parent, file));
            table.removed(parent, file);
            reply.done();
        });
    }

    @Override
    public void rmdir(Request request, long parent, Name name, EmptyReply reply) {
        answer(reply, () -> {
            String directory = name.decoded();
            paths.rmdir(table.path(parent, directory));
            table.removed(parent, directory);
            reply.done();
        });
    }

    @Override
    public void rename(
            Request request, long parent, Name name, long newParent, Name newName, int flags, EmptyReply reply) {
        answer(reply, () -> {
            if (flags != 0) {
                reply.error(Errno.EINVAL);
                return;
            }
            String from = name.decoded();
            String to = newName.decoded();
            paths.rename(table.path(parent, from), table.path(newParent, to));
            table.renamed(parent, from, newParent, to);
            reply.done();
        });
    }

    @Override
    public void open(Request request, long node, int flags, OpenReply reply) {
        answer(reply, () -> reply.opened(paths.open(table.path(node), flags), 0));
    }

    @Override
    public void create(Request request, long parent, Name name, int mode, int flags, CreateReply reply) {
        answer(reply, () -> {
            String file = name.decoded();
            String path = table.path(parent, file);
            long handle = paths.create(path, mode & 07777, flags);
            Attributes attributes = reply.attributes();
            paths.getattr(path, attributes);
            reply.created(table.lookedUp(parent, file), attributes, handle, 0);
        });
    }

    @Override
    public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
        answer(reply, () -> {
            ByteBuffer buffer =
                    reply.buffer().asSlice(reply.offset(), reply.capacity()).asByteBuffer();
            paths.read(table.pathIfAny(node), handle, buffer, position);
            reply.filled(buffer.position());
        });
    }

    @Override
    public void write(Request request, long node, long handle, long position, Payload data, WriteReply reply) {
        answer(reply, () -> {
            ByteBuffer buffer =
                    data.segment().asSlice(data.offset(), data.length()).asByteBuffer();
            paths.write(table.pathIfAny(node), handle, buffer.asReadOnlyBuffer(), position);
            reply.written(data.length());
        });
    }

    @Override
    public void release(Request request, long node, long handle, int flags, int releaseFlags, EmptyReply reply) {
        answer(reply, () -> {
            paths.release(table.pathIfAny(node), handle);
            reply.done();
        });
    }

    @Override
    public void fsync(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        answer(reply, () -> {
            paths.fsync(table.pathIfAny(node), handle);
            reply.done();
        });
    }

    @Override
    public void opendir(Request request, long node, int flags, OpenReply reply) {
        answer(reply, () -> reply.opened(listings.open(paths.readdir(table.path(node))), 0));
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
        paths.getattr(table.path(node), attributes);
        reply.attributes(attributes);
    }

    private static void answer(Reply reply, Work work) {
        try {
            work.run();
        } catch (IOException | UnsupportedOperationException e) {
            reply.error(ThrownErrno.of(e, Errno.ENOSYS));
        }
    }
}
