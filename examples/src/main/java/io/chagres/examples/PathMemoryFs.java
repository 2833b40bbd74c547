package io.chagres.examples;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.AttributeChange;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.Request;
import io.chagres.fuse.path.DirectoryListing;
import io.chagres.fuse.path.PathFileSystem;
import io.chagres.fuse.path.Statvfs;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A file system in memory, like {@link MemoryFs}, by paths. One lock guards it all. */
public final class PathMemoryFs implements PathFileSystem {
    /** The features it has: lists bring attributes along. */
    public static final FuseOptions OPTIONS =
            FuseOptions.DEFAULTS.withName("memory").with(FuseFeature.READDIRPLUS, FuseFeature.READDIRPLUS_AUTO);

    private static final int FALLOC_FL_KEEP_SIZE = 1;
    private static final int FALLOC_FL_PUNCH_HOLE = 2;
    private static final int FALLOC_FL_ZERO_RANGE = 16;
    private static final int XATTR_CREATE = 1;
    private static final int XATTR_REPLACE = 2;
    private static final int S_ISGID = 02000;
    private static final int MOST_FILES = 1 << 20;

    private final Clock clock;
    private final MemoryNode root = new MemoryNode(1);
    private final Map<Long, MemoryNode> open = new HashMap<>();
    private long last = 1;
    private int files = 1;

    /**
     * Makes an empty one, which belongs to the superuser.
     *
     * @param clock gives files their times
     */
    public PathMemoryFs(Clock clock) {
        this.clock = clock;
        root.attributes.ino(root.id).directory(0755).timesNs(nowNs());
    }

    /**
     * Mounts an empty one until it is unmounted.
     *
     * @param arguments the directory
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 1) {
            System.err.println("usage: PathMemoryFs DIRECTORY");
            System.exit(2);
        }
        PathMemoryFs files = new PathMemoryFs(Clock.systemUTC());
        try (FuseServer server = FuseServer.mount(files.byNodes(), Path.of(arguments[0]), OPTIONS)) {
            server.join();
        }
    }

    @Override
    public synchronized void getattr(String path, Attributes attributes) throws IOException {
        attributes.set(node(path).attributes);
    }

    @Override
    public synchronized void fgetattr(String path, long handle, Attributes attributes) {
        attributes.set(opened(handle).attributes);
    }

    @Override
    public synchronized List<String> readdir(String path) throws IOException {
        return node(path).positions.values().stream()
                .map(entry -> entry.name().toString())
                .toList();
    }

    @Override
    public synchronized void readdir(String path, DirectoryListing listing) throws IOException {
        for (MemoryEntry entry : node(path).positions.values()) {
            listing.add(entry.name().toString(), entry.node().attributes);
        }
    }

    @Override
    public synchronized long open(String path, int flags) throws IOException {
        return opened(node(path));
    }

    @Override
    public synchronized long create(String path, int mode, int flags) throws IOException {
        return opened(make(path, Statx.S_IFREG | mode));
    }

    @Override
    public synchronized void release(String path, long handle) {
        MemoryNode node = opened(handle);
        open.remove(handle);
        node.lookups--;
        dropIfUnused(node);
    }

    @Override
    public synchronized void read(String path, long handle, ByteBuffer buffer, long position) {
        MemorySegment to = MemorySegment.ofBuffer(buffer);
        int length = (int) opened(handle).read(position, to, 0, to.byteSize());
        buffer.position(buffer.position() + length);
    }

    @Override
    public synchronized void write(String path, long handle, ByteBuffer data, long position) {
        MemoryNode node = opened(handle);
        node.write(position, MemorySegment.ofBuffer(data), 0, data.remaining());
        node.changed(nowNs());
    }

    @Override
    public synchronized void truncate(String path, long size) throws IOException {
        truncate(node(path), size);
    }

    @Override
    public synchronized void ftruncate(String path, long handle, long size) {
        truncate(opened(handle), size);
    }

    @Override
    public synchronized void fallocate(String path, long handle, int mode, long position, long length)
            throws IOException {
        MemoryNode node = opened(handle);
        long end = position + length;
        if (length > Runtime.getRuntime().maxMemory()) {
            throw new ErrnoException("fallocate", Errno.ENOSPC, path);
        }
        switch (mode & ~FALLOC_FL_KEEP_SIZE) {
            case 0 -> node.allocate(position, end);
            case FALLOC_FL_PUNCH_HOLE, FALLOC_FL_ZERO_RANGE -> node.zero(position, end);
            default -> throw new ErrnoException("fallocate", Errno.EOPNOTSUPP, path);
        }
        if ((mode & FALLOC_FL_KEEP_SIZE) == 0 && end > node.attributes.size()) {
            node.truncate(end);
        }
        node.changed(nowNs());
    }

    @Override
    public synchronized void setattr(String path, AttributeChange change) throws IOException {
        change(node(path), change);
    }

    @Override
    public synchronized void fsetattr(String path, long handle, AttributeChange change) {
        change(opened(handle), change);
    }

    @Override
    public synchronized void mknod(String path, int mode, int rdev) throws IOException {
        make(path, mode).attributes.rdev(rdev);
    }

    @Override
    public synchronized void mkdir(String path, int mode) throws IOException {
        make(path, Statx.S_IFDIR | mode);
    }

    @Override
    public synchronized void symlink(String path, String target) throws IOException {
        MemoryNode node = make(path, Statx.S_IFLNK | 0777);
        node.target = Pathname.of(target).bytes();
        node.attributes.size(node.target.length);
    }

    @Override
    public synchronized String readlink(String path) throws IOException {
        return Pathname.ofBytes(node(path).target).toString();
    }

    @Override
    public synchronized void link(String existing, String path) throws IOException {
        MemoryNode node = node(existing);
        MemoryNode directory = node(parent(path));
        free(directory, path);
        node.attributes.nlink(node.attributes.nlink() + 1).ctimeNs(nowNs());
        directory.put(name(path), node);
        directory.changed(nowNs());
    }

    @Override
    public synchronized void unlink(String path) throws IOException {
        if (node(path).attributes.isDirectory()) {
            throw new ErrnoException("unlink", Errno.EISDIR, path);
        }
        remove(path);
    }

    @Override
    public synchronized void rmdir(String path) throws IOException {
        MemoryNode node = node(path);
        if (!node.attributes.isDirectory()) {
            throw new NotDirectoryException(path);
        }
        if (!node.names.isEmpty()) {
            throw new DirectoryNotEmptyException(path);
        }
        remove(path);
    }

    @Override
    public synchronized void rename(String from, String to) throws IOException {
        MemoryNode node = node(from);
        MemoryNode source = node(parent(from));
        MemoryNode directory = node(parent(to));
        MemoryNode replaced = directory.child(name(to));
        if (replaced == node) {
            return;
        }
        if (replaced != null) {
            boolean isDirectory = replaced.attributes.isDirectory();
            if (isDirectory != node.attributes.isDirectory()) {
                throw new ErrnoException("rename", isDirectory ? Errno.EISDIR : Errno.ENOTDIR, to);
            }
            if (!replaced.names.isEmpty()) {
                throw new DirectoryNotEmptyException(to);
            }
            remove(to);
        }
        source.remove(name(from));
        directory.put(name(to), node);
        node.attributes.ctimeNs(nowNs());
        source.changed(nowNs());
        directory.changed(nowNs());
    }

    @Override
    public synchronized Statvfs statfs(String path) {
        long total = Runtime.getRuntime().maxMemory() / MemoryNode.CHUNK;
        return new Statvfs(MemoryNode.CHUNK, total, total, MOST_FILES, MOST_FILES - files, 255);
    }

    @Override
    public synchronized void setxattr(String path, String name, byte[] value, int flags) throws IOException {
        MemoryNode node = node(path);
        boolean there = node.xattrs.containsKey(Pathname.of(name));
        if ((flags == XATTR_CREATE && there) || (flags == XATTR_REPLACE && !there)) {
            throw new ErrnoException("setxattr", there ? Errno.EEXIST : Errno.ENODATA, name);
        }
        node.xattrs.put(Pathname.of(name), value);
        node.attributes.ctimeNs(nowNs());
    }

    @Override
    public synchronized byte @Nullable [] getxattr(String path, String name) throws IOException {
        return node(path).xattrs.get(Pathname.of(name));
    }

    @Override
    public synchronized List<String> listxattr(String path) throws IOException {
        return node(path).xattrs.keySet().stream().map(Pathname::toString).toList();
    }

    @Override
    public synchronized void removexattr(String path, String name) throws IOException {
        MemoryNode node = node(path);
        if (node.xattrs.remove(Pathname.of(name)) == null) {
            throw new ErrnoException("removexattr", Errno.ENODATA, name);
        }
        node.attributes.ctimeNs(nowNs());
    }

    private MemoryNode node(String path) throws IOException {
        MemoryNode at = root;
        for (int start = 1; start < path.length(); ) {
            int slash = path.indexOf('/', start);
            int end = slash < 0 ? path.length() : slash;
            if (!at.attributes.isDirectory()) {
                throw new NotDirectoryException(path);
            }
            MemoryNode child = at.child(Pathname.of(path.substring(start, end)));
            if (child == null) {
                throw new NoSuchFileException(path);
            }
            at = child;
            start = end + 1;
        }
        return at;
    }

    private MemoryNode opened(long handle) {
        return Objects.requireNonNull(open.get(handle));
    }

    private long opened(MemoryNode node) {
        open.put(++last, node);
        node.lookups++;
        return last;
    }

    private static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash == 0 ? "/" : path.substring(0, slash);
    }

    private static Pathname name(String path) {
        return Pathname.of(path.substring(path.lastIndexOf('/') + 1));
    }

    private static void free(MemoryNode directory, String path) throws IOException {
        if (directory.child(name(path)) != null) {
            throw new FileAlreadyExistsException(path);
        }
    }

    /** A directory with the set-group-id bit gives its group to new files in it, and the bit to directories. */
    private MemoryNode make(String path, int mode) throws IOException {
        MemoryNode directory = node(parent(path));
        free(directory, path);
        Request caller = PathFileSystem.request();
        MemoryNode node = new MemoryNode(++last);
        boolean inherits = (directory.attributes.mode() & S_ISGID) != 0;
        boolean isDirectory = (mode & Statx.S_IFMT) == Statx.S_IFDIR;
        node.attributes
                .ino(node.id)
                .mode(inherits && isDirectory ? mode | S_ISGID : mode)
                .nlink(isDirectory ? 2 : 1)
                .uid(caller.uid())
                .gid(inherits ? directory.attributes.gid() : caller.gid())
                .timesNs(nowNs());
        directory.put(name(path), node);
        directory.changed(nowNs());
        files++;
        return node;
    }

    private void remove(String path) throws IOException {
        MemoryNode node = node(path);
        MemoryNode directory = node(parent(path));
        directory.remove(name(path));
        directory.changed(nowNs());
        boolean isDirectory = node.attributes.isDirectory();
        node.attributes.nlink(isDirectory ? 0 : node.attributes.nlink() - 1).ctimeNs(nowNs());
        dropIfUnused(node);
    }

    private void dropIfUnused(MemoryNode node) {
        if (node.attributes.nlink() == 0 && node.lookups == 0) {
            files--;
        }
    }

    private void truncate(MemoryNode node, long size) {
        node.truncate(size);
        node.changed(nowNs());
    }

    private void change(MemoryNode node, AttributeChange change) {
        long blocks = node.attributes.blocks();
        change.applyTo(node.attributes, nowNs());
        node.attributes.blocks(blocks);
    }

    private long nowNs() {
        Instant now = clock.instant();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }
}
