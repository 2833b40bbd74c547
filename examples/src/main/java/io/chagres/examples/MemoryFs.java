package io.chagres.examples;

import io.chagres.foreign.Errno;
import io.chagres.fuse.AttributeChange;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.AttributesReply;
import io.chagres.fuse.CreateReply;
import io.chagres.fuse.DirectoryPlusReply;
import io.chagres.fuse.DirectoryReply;
import io.chagres.fuse.EmptyReply;
import io.chagres.fuse.EntryReply;
import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.LinkTargetReply;
import io.chagres.fuse.Name;
import io.chagres.fuse.Payload;
import io.chagres.fuse.ReadReply;
import io.chagres.fuse.Request;
import io.chagres.fuse.StatfsReply;
import io.chagres.fuse.WriteReply;
import io.chagres.fuse.XattrNamesReply;
import io.chagres.fuse.XattrReply;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A file system in memory, read and write. One lock guards it all, so that every method is as simple as it looks. */
public final class MemoryFs implements FuseFileSystem {
    /** The features it has: nothing changes behind the kernel's back. */
    public static final FuseOptions OPTIONS = FuseOptions.DEFAULTS
            .withName("memory")
            .with(FuseFeature.READDIRPLUS, FuseFeature.KEEP_CACHE)
            .without(FuseFeature.AUTO_INVALIDATE);

    private static final long TIMEOUT_NS = 1_000_000_000L;
    private static final int RENAME_NOREPLACE = 1;
    private static final int RENAME_EXCHANGE = 2;
    private static final int FALLOC_FL_KEEP_SIZE = 1;
    private static final int FALLOC_FL_PUNCH_HOLE = 2;
    private static final int FALLOC_FL_ZERO_RANGE = 16;
    private static final int XATTR_CREATE = 1;
    private static final int XATTR_REPLACE = 2;
    private static final int S_ISGID = 02000;
    private static final int NAME_MAX = 255;
    private static final Pathname SELF_PROCESS = Pathname.of("/proc/self");
    private static final byte[] SELF = {'.'};
    private static final byte[] UP = {'.', '.'};

    private final Clock clock;
    private final Map<Long, MemoryNode> nodes = new HashMap<>();
    private long lastId = ROOT;

    /**
     * Makes an empty one, which belongs to the user of this process.
     *
     * @param clock gives files their times
     */
    public MemoryFs(Clock clock) {
        this.clock = clock;
        MemoryNode root = new MemoryNode(ROOT);
        try (Statx self = new Statx()) {
            if (self.of(SELF_PROCESS, true) == 0) {
                root.attributes.uid(self.uid()).gid(self.gid());
            }
        }
        root.attributes.directory(0755).timesNs(nowNs()).timeoutsNs(TIMEOUT_NS);
        root.lookups = 1;
        nodes.put(ROOT, root);
    }

    /**
     * Mounts an empty one until it is unmounted.
     *
     * @param arguments the directory
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 1) {
            System.err.println("usage: MemoryFs DIRECTORY");
            System.exit(2);
        }
        try (FuseServer server = FuseServer.mount(new MemoryFs(Clock.systemUTC()), Path.of(arguments[0]), OPTIONS)) {
            server.join();
        }
    }

    @Override
    public synchronized void lookup(Request request, long parent, Name name, EntryReply reply) {
        // The kernel looks every name up before it makes one, and would take longer ones.
        if (name.length() > NAME_MAX) {
            reply.error(Errno.ENAMETOOLONG);
            return;
        }
        MemoryNode node = node(parent).child(name.pathname());
        if (node == null) {
            reply.missing(TIMEOUT_NS);
        } else {
            entry(node, reply);
        }
    }

    @Override
    public synchronized void forget(long id, long lookups) {
        MemoryNode node = node(id);
        node.lookups -= lookups;
        dropIfUnused(node);
    }

    @Override
    public synchronized void getattr(Request request, long id, long handle, AttributesReply reply) {
        reply.attributes(node(id).attributes);
    }

    @Override
    public synchronized void setattr(Request request, long id, AttributeChange change, AttributesReply reply) {
        MemoryNode node = node(id);
        if (change.hasSize()) {
            node.truncate(change.size());
        }
        long blocks = node.attributes.blocks();
        change.applyTo(node.attributes, nowNs());
        node.attributes.blocks(blocks);
        reply.attributes(node.attributes);
    }

    @Override
    public synchronized void readlink(Request request, long id, LinkTargetReply reply) {
        reply.target(node(id).target);
    }

    @Override
    public synchronized void symlink(Request request, long parent, Name name, Name target, EntryReply reply) {
        MemoryNode node = make(request, parent, name, Statx.S_IFLNK | 0777);
        if (node == null) {
            reply.error(Errno.EEXIST);
            return;
        }
        node.target = target.bytes();
        node.attributes.size(node.target.length);
        entry(node, reply);
    }

    @Override
    public synchronized void mknod(Request request, long parent, Name name, int mode, int device, EntryReply reply) {
        MemoryNode node = make(request, parent, name, mode);
        if (node == null) {
            reply.error(Errno.EEXIST);
            return;
        }
        node.attributes.rdev(device);
        entry(node, reply);
    }

    @Override
    public synchronized void mkdir(Request request, long parent, Name name, int mode, EntryReply reply) {
        MemoryNode node = make(request, parent, name, Statx.S_IFDIR | mode);
        if (node == null) {
            reply.error(Errno.EEXIST);
        } else {
            entry(node, reply);
        }
    }

    @Override
    public synchronized void unlink(Request request, long parent, Name name, EmptyReply reply) {
        MemoryNode directory = node(parent);
        Pathname key = name.pathname();
        MemoryNode node = directory.child(key);
        if (node == null || node.attributes.isDirectory()) {
            reply.error(node == null ? Errno.ENOENT : Errno.EISDIR);
            return;
        }
        removeName(directory, key, node);
        reply.done();
    }

    @Override
    public synchronized void rmdir(Request request, long parent, Name name, EmptyReply reply) {
        MemoryNode directory = node(parent);
        Pathname key = name.pathname();
        MemoryNode node = directory.child(key);
        if (node == null || !node.attributes.isDirectory() || !node.names.isEmpty()) {
            reply.error(node == null ? Errno.ENOENT : node.names.isEmpty() ? Errno.ENOTDIR : Errno.ENOTEMPTY);
            return;
        }
        removeName(directory, key, node);
        reply.done();
    }

    @Override
    public synchronized void rename(
            Request request, long parent, Name name, long newParent, Name newName, int flags, EmptyReply reply) {
        MemoryNode from = node(parent);
        MemoryNode to = node(newParent);
        Pathname fromName = name.pathname();
        Pathname toName = newName.pathname();
        MemoryNode node = from.child(fromName);
        MemoryNode replaced = to.child(toName);
        int errno = renameError(node, replaced, flags);
        if (errno != 0 || node == null) {
            reply.error(errno);
            return;
        }
        if (replaced != node) {
            move(from, fromName, to, toName, (flags & RENAME_EXCHANGE) != 0);
        }
        reply.done();
    }

    @Override
    public synchronized void link(Request request, long id, long newParent, Name newName, EntryReply reply) {
        MemoryNode node = node(id);
        MemoryNode directory = node(newParent);
        Pathname key = newName.pathname();
        if (directory.child(key) != null) {
            reply.error(Errno.EEXIST);
            return;
        }
        node.attributes.nlink(node.attributes.nlink() + 1).ctimeNs(nowNs());
        directory.put(key, node);
        directory.changed(nowNs());
        entry(node, reply);
    }

    @Override
    public synchronized void create(Request request, long parent, Name name, int mode, int flags, CreateReply reply) {
        MemoryNode node = make(request, parent, name, mode);
        if (node == null) {
            reply.error(Errno.EEXIST);
            return;
        }
        node.lookups++;
        reply.created(node.id, node.attributes, 0, 0);
    }

    @Override
    public synchronized void tmpfile(Request request, long parent, int mode, int flags, CreateReply reply) {
        MemoryNode node = newNode(request, node(parent), mode);
        node.attributes.nlink(0);
        node.lookups++;
        reply.created(node.id, node.attributes, 0, 0);
    }

    @Override
    public synchronized void read(
            Request request, long id, long handle, long position, int size, int flags, ReadReply reply) {
        node(id).read(position, reply);
    }

    @Override
    public synchronized void write(
            Request request, long id, long handle, long position, Payload data, WriteReply reply) {
        MemoryNode node = node(id);
        node.write(position, data);
        node.changed(nowNs());
        reply.written(data.length());
    }

    @Override
    public synchronized void fallocate(
            Request request, long id, long handle, long position, long length, int mode, EmptyReply reply) {
        MemoryNode node = node(id);
        long end = position + length;
        if (length > Runtime.getRuntime().maxMemory()) {
            reply.error(Errno.ENOSPC);
            return;
        }
        switch (mode & ~FALLOC_FL_KEEP_SIZE) {
            case 0 -> node.allocate(position, end);
            case FALLOC_FL_PUNCH_HOLE, FALLOC_FL_ZERO_RANGE -> node.zero(position, end);
            default -> {
                reply.error(Errno.EOPNOTSUPP);
                return;
            }
        }
        if ((mode & FALLOC_FL_KEEP_SIZE) == 0 && end > node.attributes.size()) {
            node.truncate(end);
        }
        node.changed(nowNs());
        reply.done();
    }

    @Override
    public void fsync(Request request, long id, long handle, boolean dataOnly, EmptyReply reply) {
        reply.done();
    }

    @Override
    public synchronized void statfs(Request request, long id, StatfsReply reply) {
        long total = Runtime.getRuntime().maxMemory() / MemoryNode.CHUNK;
        long used = nodes.values().stream().mapToLong(MemoryNode::chunks).sum();
        reply.statfs(MemoryNode.CHUNK, total, Math.max(0, total - used), 1 << 20, (1 << 20) - nodes.size(), NAME_MAX);
    }

    @Override
    public synchronized void setxattr(Request request, long id, Name name, Payload value, int flags, EmptyReply reply) {
        MemoryNode node = node(id);
        boolean there = node.xattrs.containsKey(name.pathname());
        if ((flags == XATTR_CREATE && there) || (flags == XATTR_REPLACE && !there)) {
            reply.error(there ? Errno.EEXIST : Errno.ENODATA);
            return;
        }
        node.xattrs.put(name.pathname(), value.bytes());
        node.attributes.ctimeNs(nowNs());
        reply.done();
    }

    @Override
    public synchronized void getxattr(Request request, long id, Name name, int size, XattrReply reply) {
        byte[] value = node(id).xattrs.get(name.pathname());
        if (value == null) {
            reply.error(Errno.ENODATA);
        } else {
            reply.value(value);
        }
    }

    @Override
    public synchronized void listxattr(Request request, long id, int size, XattrNamesReply reply) {
        for (Pathname name : node(id).xattrs.keySet()) {
            reply.add(name.bytes());
        }
        reply.done();
    }

    @Override
    public synchronized void removexattr(Request request, long id, Name name, EmptyReply reply) {
        MemoryNode node = node(id);
        if (node.xattrs.remove(name.pathname()) == null) {
            reply.error(Errno.ENODATA);
            return;
        }
        node.attributes.ctimeNs(nowNs());
        reply.done();
    }

    @Override
    public synchronized void readdir(Request request, long id, long handle, long position, DirectoryReply reply) {
        MemoryNode directory = node(id);
        boolean fits = position > 0 || reply.add(SELF, id, DirectoryReply.DT_DIR, 1);
        fits = fits && (position > 1 || reply.add(UP, id, DirectoryReply.DT_DIR, 2));
        for (MemoryEntry entry : directory.positions.tailMap(position, false).values()) {
            MemoryNode node = entry.node();
            int type = node.attributes.mode() >>> 12;
            if (!fits || !reply.add(entry.bytes(), node.id, type, entry.position())) {
                break;
            }
        }
        reply.done();
    }

    @Override
    public synchronized void readdirplus(
            Request request, long id, long handle, long position, DirectoryPlusReply reply) {
        MemoryNode directory = node(id);
        Attributes plain = new Attributes().directory(0755);
        boolean fits = position > 0 || reply.add(SELF, 0, plain, 1);
        fits = fits && (position > 1 || reply.add(UP, 0, plain, 2));
        for (MemoryEntry entry : directory.positions.tailMap(position, false).values()) {
            MemoryNode node = entry.node();
            if (!fits || !reply.add(entry.bytes(), node.id, node.attributes, entry.position())) {
                break;
            }
            node.lookups++;
        }
        reply.done();
    }

    private MemoryNode node(long id) {
        return Objects.requireNonNull(nodes.get(id), () -> "node " + id);
    }

    /** Makes a node with a name, or returns null if the name exists. */
    private @Nullable MemoryNode make(Request request, long parent, Name name, int mode) {
        MemoryNode directory = node(parent);
        Pathname key = name.pathname();
        if (directory.child(key) != null) {
            return null;
        }
        MemoryNode node = newNode(request, directory, mode);
        directory.put(key, node);
        directory.changed(nowNs());
        return node;
    }

    /** A directory with the set-group-id bit gives its group to new files in it, and the bit to directories. */
    private MemoryNode newNode(Request request, MemoryNode directory, int mode) {
        MemoryNode node = new MemoryNode(++lastId);
        boolean inherits = (directory.attributes.mode() & S_ISGID) != 0;
        boolean isDirectory = (mode & Statx.S_IFMT) == Statx.S_IFDIR;
        node.attributes
                .mode(inherits && isDirectory ? mode | S_ISGID : mode)
                .nlink(isDirectory ? 2 : 1)
                .uid(request.uid())
                .gid(inherits ? directory.attributes.gid() : request.gid())
                .timesNs(nowNs())
                .timeoutsNs(TIMEOUT_NS);
        nodes.put(node.id, node);
        return node;
    }

    private static void entry(MemoryNode node, EntryReply reply) {
        node.lookups++;
        reply.entry(node.id, node.attributes);
    }

    private static int renameError(@Nullable MemoryNode node, @Nullable MemoryNode replaced, int flags) {
        if (node == null || ((flags & RENAME_EXCHANGE) != 0 && replaced == null)) {
            return Errno.ENOENT;
        }
        if ((flags & ~(RENAME_NOREPLACE | RENAME_EXCHANGE)) != 0) {
            return Errno.EINVAL;
        }
        if (replaced == null || (flags & RENAME_EXCHANGE) != 0) {
            return 0;
        }
        if ((flags & RENAME_NOREPLACE) != 0) {
            return Errno.EEXIST;
        }
        if (node.attributes.isDirectory() != replaced.attributes.isDirectory()) {
            return replaced.attributes.isDirectory() ? Errno.EISDIR : Errno.ENOTDIR;
        }
        return replaced.names.isEmpty() ? 0 : Errno.ENOTEMPTY;
    }

    private void move(MemoryNode from, Pathname fromName, MemoryNode to, Pathname toName, boolean exchanges) {
        MemoryNode node = Objects.requireNonNull(from.child(fromName));
        MemoryNode replaced = to.child(toName);
        from.remove(fromName);
        if (replaced != null && exchanges) {
            to.remove(toName);
            from.put(fromName, replaced);
            replaced.attributes.ctimeNs(nowNs());
        } else if (replaced != null) {
            removeName(to, toName, replaced);
        }
        to.put(toName, node);
        node.attributes.ctimeNs(nowNs());
        from.changed(nowNs());
        to.changed(nowNs());
    }

    private void removeName(MemoryNode directory, Pathname name, MemoryNode node) {
        directory.remove(name);
        directory.changed(nowNs());
        boolean isDirectory = node.attributes.isDirectory();
        node.attributes.nlink(isDirectory ? 0 : node.attributes.nlink() - 1).ctimeNs(nowNs());
        dropIfUnused(node);
    }

    private void dropIfUnused(MemoryNode node) {
        if (node.attributes.nlink() == 0 && node.lookups <= 0) {
            nodes.remove(node.id);
        }
    }

    private long nowNs() {
        Instant now = clock.instant();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }
}
