package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.AttributeChange;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.AttributesReply;
import io.chagres.fuse.CopyRange;
import io.chagres.fuse.CreateReply;
import io.chagres.fuse.DirectoryPlusReply;
import io.chagres.fuse.DirectoryReply;
import io.chagres.fuse.EmptyReply;
import io.chagres.fuse.EntryReply;
import io.chagres.fuse.FileLock;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.LinkTargetReply;
import io.chagres.fuse.LockReply;
import io.chagres.fuse.LseekReply;
import io.chagres.fuse.Name;
import io.chagres.fuse.OpenReply;
import io.chagres.fuse.Payload;
import io.chagres.fuse.ReadReply;
import io.chagres.fuse.Reply;
import io.chagres.fuse.Request;
import io.chagres.fuse.StatfsReply;
import io.chagres.fuse.WriteReply;
import io.chagres.fuse.XattrNamesReply;
import io.chagres.fuse.XattrReply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Serves a file system of paths by nodes. */
class PathNodes implements FuseFileSystem {
    private static final int FALLOC_FL_KEEP_SIZE = 1;
    private static final int NAME_MAX = 255;
    private static final int RENAME_NOREPLACE = 1;
    private static final ThreadLocal<Current> CURRENT = ThreadLocal.withInitial(Current::new);

    final PathTable table = new PathTable();
    final Listings listings = new Listings();
    final OpenFiles open = new OpenFiles();
    private final PathFileSystem paths;
    private final PathAnswers answers = new PathAnswers(table, false);

    /** Changes through this mount that have ended: what was listed before one of them may be wrong. */
    private final AtomicLong changes = new AtomicLong();

    /** What a thread handles: kept by it, since to take a value from a thread costs more than many a request. */
    private static final class Current {
        private @Nullable Request request;
    }

    PathNodes(PathFileSystem paths) {
        this.paths = paths;
    }

    /** Returns the request that this thread handles. */
    static Request request() {
        Request request = CURRENT.get().request;
        if (request == null) {
            throw new IllegalStateException("this thread handles no request now");
        }
        return request;
    }

    /** Does what uses names. */
    private void using(Request request, Reply reply, PathAnswers.NameWork work) {
        Current current = CURRENT.get();
        current.request = request;
        try {
            answers.using(reply, work);
        } finally {
            current.request = null;
        }
    }

    /** Does what changes names or what they have. */
    private void changing(Request request, Reply reply, PathAnswers.NameWork work) {
        try {
            using(request, reply, work);
        } finally {
            changes.incrementAndGet();
        }
    }

    /** Does what an open file is for, which needs no path. */
    private void answer(Request request, Reply reply, PathAnswers.Work work) {
        Current current = CURRENT.get();
        current.request = request;
        try {
            answers.answer(reply, work);
        } finally {
            current.request = null;
        }
    }

    @Override
    public void lookup(Request request, long parent, Name name, EntryReply reply) {
        if (name.length() > NAME_MAX) {
            reply.error(Errno.ENAMETOOLONG);
            return;
        }
        using(request, reply, names -> {
            String file = name.decoded();
            entry(parent, file, names.path(parent, file), reply);
        });
    }

    @Override
    public void forget(long node, long lookups) {
        table.forget(node, lookups);
    }

    @Override
    public void getattr(Request request, long node, long handle, AttributesReply reply) {
        using(request, reply, names -> {
            names.use(node);
            attributes(node, handle, reply);
        });
    }

    @Override
    public void setattr(Request request, long node, AttributeChange change, AttributesReply reply) {
        changing(request, reply, names -> {
            names.use(node);
            boolean nameless = open.isNameless(node);
            long handle = change.hasHandle() ? change.handle() : nameless ? open.handle(node) : NO_HANDLE;
            String path = nameless ? "" : table.path(node);
            if (change.hasSize()) {
                truncate(node, path, handle, change.size());
            }
            boolean others = change.hasMode() || change.hasUid() || change.hasGid();
            // A change of nothing, such as chown(2) of -1 and -1, has its time too.
            if (others || change.hasAtime() || change.hasMtime() || !change.hasSize()) {
                if (handle == NO_HANDLE) {
                    paths.setattr(path, change);
                } else {
                    paths.fsetattr(path, handle, change);
                }
            }
            attributes(node, handle, reply);
        });
    }

    @Override
    public void readlink(Request request, long node, LinkTargetReply reply) {
        using(request, reply, names -> {
            String target = paths.readlink(names.path(node));
            reply.target(target.getBytes(StandardCharsets.UTF_8));
        });
    }

    @Override
    public void symlink(Request request, long parent, Name name, Name target, EntryReply reply) {
        changing(request, reply, names -> {
            String link = name.decoded();
            String path = names.path(parent, link);
            paths.symlink(path, target.decoded());
            entry(parent, link, path, reply);
        });
    }

    @Override
    public void link(Request request, long node, long newParent, Name newName, EntryReply reply) {
        changing(request, reply, names -> {
            String name = newName.decoded();
            names.use(node, newParent, name);
            String path = table.path(newParent, name);
            paths.link(pathOfName(node), path);
            entry(newParent, name, path, reply);
        });
    }

    @Override
    public void mknod(Request request, long parent, Name name, int mode, int device, EntryReply reply) {
        changing(request, reply, names -> {
            String file = name.decoded();
            String path = names.path(parent, file);
            paths.mknod(path, mode, device);
            entry(parent, file, path, reply);
        });
    }

    @Override
    public void mkdir(Request request, long parent, Name name, int mode, EntryReply reply) {
        changing(request, reply, names -> {
            String directory = name.decoded();
            String path = names.path(parent, directory);
            paths.mkdir(path, mode);
            entry(parent, directory, path, reply);
        });
    }

    @Override
    public void unlink(Request request, long parent, Name name, EmptyReply reply) {
        changing(request, reply, names -> {
            String file = name.decoded();
            String path = names.change(parent, file);
            Attributes known = knownIfOpen(parent, file);
            paths.unlink(path);
            lostName(parent, file, known);
            table.unlinked(parent, file);
            reply.done();
        });
    }

    @Override
    public void rmdir(Request request, long parent, Name name, EmptyReply reply) {
        changing(request, reply, names -> {
            String directory = name.decoded();
            paths.rmdir(names.change(parent, directory));
            table.removed(parent, directory);
            reply.done();
        });
    }

    @Override
    public void rename(
            Request request, long parent, Name name, long newParent, Name newName, int flags, EmptyReply reply) {
        changing(request, reply, names -> {
            String from = name.decoded();
            String to = newName.decoded();
            if ((flags & ~RENAME_NOREPLACE) != 0) {
                reply.error(Errno.EINVAL);
                return;
            }
            names.change(parent, from, newParent, to);
            if (flags == RENAME_NOREPLACE && exists(table.path(newParent, to))) {
                reply.error(Errno.EEXIST);
                return;
            }
            Attributes replaced = knownIfOpen(newParent, to);
            paths.rename(table.path(parent, from), table.path(newParent, to));
            lostName(newParent, to, replaced);
            table.renamed(parent, from, newParent, to);
            reply.done();
        });
    }

    @Override
    public void open(Request request, long node, int flags, OpenReply reply) {
        using(request, reply, names -> {
            String path = names.path(node);
            boolean replaced = table.isReplaced(node);
            // Those who had it open before still see their file.
            Attributes known = replaced && !open.isNameless(node) ? new Attributes() : null;
            if (known != null) {
                paths.getattr(path, known);
            }
            long handle = paths.open(path, flags);
            open.opened(node, handle, flags);
            if (known != null) {
                open.lostName(node, known);
            }
            // The kernel's cache of a replaced node belongs to another file.
            reply.opened(handle, replaced ? OpenReply.DIRECT_IO : 0);
        });
    }

    @Override
    public void create(Request request, long parent, Name name, int mode, int flags, CreateReply reply) {
        changing(request, reply, names -> {
            String file = name.decoded();
            String path = names.path(parent, file);
            long handle = paths.create(path, mode & 07777, flags);
            Attributes attributes = reply.attributes();
            paths.getattr(path, attributes);
            long node = table.lookedUp(parent, file);
            open.opened(node, handle, flags);
            reply.created(node, attributes, handle, 0);
        });
    }

    @Override
    public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
        answer(request, reply, () -> {
            ByteBuffer buffer =
                    reply.buffer().asSlice(reply.offset(), reply.capacity()).asByteBuffer();
            paths.read(table.pathIfAny(node), handle, buffer, position);
            reply.filled(buffer.position());
        });
    }

    @Override
    public void write(Request request, long node, long handle, long position, Payload data, WriteReply reply) {
        answer(request, reply, () -> {
            ByteBuffer buffer =
                    data.segment().asSlice(data.offset(), data.length()).asByteBuffer();
            paths.write(table.pathIfAny(node), handle, buffer.asReadOnlyBuffer(), position);
            open.written(node, position + data.length());
            changes.incrementAndGet();
            reply.written(data.length());
        });
    }

    @Override
    public void flush(Request request, long node, long handle, long lockOwner, EmptyReply reply) {
        answer(request, reply, () -> {
            paths.flush(table.pathIfAny(node), handle);
            reply.done();
        });
    }

    @Override
    public void fallocate(
            Request request, long node, long handle, long position, long length, int mode, EmptyReply reply) {
        answer(request, reply, () -> {
            paths.fallocate(table.pathIfAny(node), handle, mode, position, length);
            if ((mode & FALLOC_FL_KEEP_SIZE) == 0) {
                open.written(node, position + length);
            }
            changes.incrementAndGet();
            reply.done();
        });
    }

    @Override
    public void lseek(Request request, long node, long handle, long position, int whence, LseekReply reply) {
        answer(request, reply, () -> reply.position(paths.lseek(table.pathIfAny(node), handle, position, whence)));
    }

    @Override
    public void copyFileRange(Request request, long node, CopyRange copy, WriteReply reply) {
        answer(request, reply, () -> {
            long target = copy.targetNode();
            long copied = paths.copyFileRange(table.pathIfAny(node), table.pathIfAny(target), copy);
            open.written(target, copy.targetPosition() + copied);
            changes.incrementAndGet();
            reply.written(copied);
        });
    }

    @Override
    public void getlk(Request request, long node, long handle, FileLock lock, LockReply reply) {
        answer(request, reply, () -> {
            FileLock held = paths.getlk(table.pathIfAny(node), handle, lock);
            if (held == null) {
                reply.free();
            } else {
                reply.held(held);
            }
        });
    }

    @Override
    public void setlk(Request request, long node, long handle, FileLock lock, boolean waits, EmptyReply reply) {
        answer(request, reply, () -> {
            paths.setlk(table.pathIfAny(node), handle, lock, waits);
            reply.done();
        });
    }

    @Override
    public void flock(Request request, long node, long handle, FileLock lock, boolean waits, EmptyReply reply) {
        answer(request, reply, () -> {
            paths.flock(table.pathIfAny(node), handle, lock, waits);
            reply.done();
        });
    }

    @Override
    public void access(Request request, long node, int mask, EmptyReply reply) {
        using(request, reply, names -> {
            paths.access(names.path(node), mask);
            reply.done();
        });
    }

    @Override
    public void statfs(Request request, long node, StatfsReply reply) {
        using(request, reply, names -> {
            Statvfs now = paths.statfs(names.path(node));
            reply.statfs(
                    now.blockSize(), now.blocks(), now.freeBlocks(), now.files(), now.freeFiles(), now.nameLength());
        });
    }

    @Override
    public void setxattr(Request request, long node, Name name, Payload value, int flags, EmptyReply reply) {
        changing(request, reply, names -> {
            paths.setxattr(pathOfName(names, node), name.decoded(), value.bytes(), flags);
            reply.done();
        });
    }

    @Override
    public void getxattr(Request request, long node, Name name, int size, XattrReply reply) {
        using(request, reply, names -> {
            byte[] value = paths.getxattr(pathOfName(names, node), name.decoded());
            if (value == null) {
                reply.error(Errno.ENODATA);
            } else {
                reply.value(value);
            }
        });
    }

    @Override
    public void listxattr(Request request, long node, int size, XattrNamesReply reply) {
        using(request, reply, names -> {
            for (String name : paths.listxattr(pathOfName(names, node))) {
                reply.add(name.getBytes(StandardCharsets.UTF_8));
            }
            reply.done();
        });
    }

    @Override
    public void removexattr(Request request, long node, Name name, EmptyReply reply) {
        changing(request, reply, names -> {
            paths.removexattr(pathOfName(names, node), name.decoded());
            reply.done();
        });
    }

    /** The handle of a file without a name is what anybody's look at it uses: it goes when nobody looks. */
    @Override
    public void release(Request request, long node, long handle, int flags, int releaseFlags, EmptyReply reply) {
        boolean[] closed = {false};
        using(request, reply, names -> {
            names.use(node);
            closed[0] = !open.isNameless(node);
            if (closed[0]) {
                open.closed(node, handle);
            }
        });
        if (closed[0]) {
            answer(request, reply, () -> released(node, handle, reply));
        } else {
            changing(request, reply, names -> {
                names.useAlone(node);
                open.closed(node, handle);
                released(node, handle, reply);
            });
        }
    }

    private void released(long node, long handle, EmptyReply reply) throws IOException {
        paths.release(table.pathIfAny(node), handle);
        reply.done();
    }

    @Override
    public void fsync(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        answer(request, reply, () -> {
            paths.fsync(table.pathIfAny(node), handle);
            reply.done();
        });
    }

    @Override
    public void opendir(Request request, long node, int flags, OpenReply reply) {
        reply.opened(listings.open(), 0);
    }

    @Override
    public void readdir(Request request, long node, long handle, long position, DirectoryReply reply) {
        answer(request, reply, () -> Listings.read(listed(node, handle, position), position, reply));
    }

    @Override
    public void readdirplus(Request request, long node, long handle, long position, DirectoryPlusReply reply) {
        answer(request, reply, () -> {
            DirectoryListing listed = listed(node, handle, position);
            Listings.readPlus(listed, position, reply, (entry, next) -> {
                return add(node, entry, listed.changes == changes.get(), next, reply);
            });
        });
    }

    private DirectoryListing listed(long node, long handle, long position) throws IOException {
        return listings.of(handle, position, () -> {
            DirectoryListing listed = new DirectoryListing(changes.get());
            try (HeldNames names = new HeldNames(table)) {
                paths.readdir(names.path(node), listed);
            }
            return listed;
        });
    }

    /** Adds an entry, with attributes where the file system lists them. Returns whether it fitted. */
    private boolean add(long parent, DirectoryListing.Entry entry, boolean current, long next, DirectoryPlusReply reply)
            throws IOException {
        Attributes attributes = entry.attributes();
        if (attributes == null) {
            return reply.add(entry.bytes(), 0, reply.attributes(), next);
        }
        try (HeldNames names = new HeldNames(table)) {
            String path = names.path(parent, entry.name());
            if (!current) {
                attributes = reply.attributes();
                if (!exists(path, attributes)) {
                    return reply.add(entry.bytes(), 0, reply.attributes(), next);
                }
            }
            long child = table.lookedUp(parent, entry.name());
            boolean fits = reply.add(entry.bytes(), child, attributes, next);
            if (!fits) {
                table.forget(child, 1);
            }
            return fits;
        }
    }

    private boolean exists(String path) throws IOException {
        return exists(path, new Attributes());
    }

    private boolean exists(String path, Attributes attributes) throws IOException {
        try {
            paths.getattr(path, attributes);
            return true;
        } catch (IOException e) {
            if (ThrownErrno.of(e) == Errno.ENOENT) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public void releasedir(Request request, long node, long handle, int flags, EmptyReply reply) {
        listings.close(handle);
        reply.done();
    }

    /** Answers with the node of a name that is held. */
    private void entry(long parent, String name, String path, EntryReply reply) throws IOException {
        Attributes attributes = reply.attributes();
        paths.getattr(path, attributes);
        reply.entry(table.lookedUp(parent, name), attributes);
    }

    private void attributes(long node, long handle, AttributesReply reply) throws IOException {
        Attributes attributes = reply.attributes();
        if (open.fill(node, attributes)) {
            paths.fgetattr("", handle == NO_HANDLE ? open.handle(node) : handle, attributes);
        } else if (handle != NO_HANDLE) {
            paths.fgetattr(table.path(node), handle, attributes);
        } else {
            paths.getattr(table.path(node), attributes);
        }
        reply.attributes(attributes);
    }

    private String pathOfName(HeldNames names, long node) throws IOException {
        names.use(node);
        return pathOfName(node);
    }

    /** Returns the path of a node that is used by its name, which an open file that lost it no more is. */
    private String pathOfName(long node) throws IOException {
        if (open.isNameless(node)) {
            throw new ErrnoException("find", Errno.ESTALE, "node " + node + ", open without a name,");
        }
        return table.path(node);
    }

    private void truncate(long node, String path, long handle, long size) throws IOException {
        if (handle == NO_HANDLE) {
            paths.truncate(path, size);
        } else {
            paths.ftruncate(path, handle, size);
            open.resize(node, size, true);
        }
    }

    /** Asks for the attributes of a name that will be another file's or nobody's, for those who have it open. */
    private @Nullable Attributes knownIfOpen(long parent, String name) throws IOException {
        long node = table.known(parent, name);
        if (node == 0 || !open.isOpen(node)) {
            return null;
        }
        Attributes known = new Attributes();
        paths.getattr(table.path(node), known);
        return known.nlink(Math.max(0, known.nlink() - 1));
    }

    private void lostName(long parent, String name, @Nullable Attributes known) throws IOException {
        if (known != null) {
            open.lostName(table.known(parent, name), known);
        }
    }
}
