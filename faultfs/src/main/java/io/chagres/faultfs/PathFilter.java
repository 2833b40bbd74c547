package io.chagres.faultfs;

import io.chagres.fuse.AttributeChange;
import io.chagres.fuse.AttributesReply;
import io.chagres.fuse.BmapReply;
import io.chagres.fuse.CopyRange;
import io.chagres.fuse.CreateReply;
import io.chagres.fuse.DirectoryPlusReply;
import io.chagres.fuse.DirectoryReply;
import io.chagres.fuse.EmptyReply;
import io.chagres.fuse.EntryReply;
import io.chagres.fuse.FileLock;
import io.chagres.fuse.FuseConnection;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.IoctlCall;
import io.chagres.fuse.IoctlReply;
import io.chagres.fuse.LinkTargetReply;
import io.chagres.fuse.LockReply;
import io.chagres.fuse.LseekReply;
import io.chagres.fuse.Name;
import io.chagres.fuse.Notifier;
import io.chagres.fuse.OpenReply;
import io.chagres.fuse.Payload;
import io.chagres.fuse.PollReply;
import io.chagres.fuse.ReadReply;
import io.chagres.fuse.Reply;
import io.chagres.fuse.Request;
import io.chagres.fuse.StatfsReply;
import io.chagres.fuse.StatxReply;
import io.chagres.fuse.WriteReply;
import io.chagres.fuse.XattrNamesReply;
import io.chagres.fuse.XattrReply;
import java.util.function.LongFunction;

/** A file system in front of another one that sees the paths of each request before it is passed on. */
abstract class PathFilter implements FuseFileSystem {
    final FuseFileSystem inner;
    private final LongFunction<String> pathOf;

    PathFilter(FuseFileSystem inner, LongFunction<String> pathOf) {
        this.inner = inner;
        this.pathOf = pathOf;
    }

    /**
     * Looks at a request before it is passed on.
     *
     * @param operation the method's name
     * @param reply answered if it is not passed on
     * @param size the bytes that are read or written; of other requests more than 0
     * @param paths what it is about, from the root of the mount on; empty for files without a name
     * @return how many bytes it may have, or 0 if it was answered
     */
    abstract int meets(String operation, Reply reply, int size, String... paths);

    /** Returns the path of a node, or an empty text. */
    final String path(long node) {
        return pathOf.apply(node);
    }

    final String path(long parent, Name name) {
        String directory = pathOf.apply(parent);
        return (directory.equals("/") ? "" : directory) + "/" + name;
    }

    private boolean passes(String operation, Reply reply, String... paths) {
        return meets(operation, reply, Integer.MAX_VALUE, paths) > 0;
    }

    @Override
    public void init(FuseConnection connection, Notifier notifier) {
        inner.init(connection, notifier);
    }

    @Override
    public void destroy() {
        inner.destroy();
    }

    @Override
    public void lookup(Request request, long parent, Name name, EntryReply reply) {
        if (passes("lookup", reply, path(parent, name))) {
            inner.lookup(request, parent, name, reply);
        }
    }

    @Override
    public void forget(long node, long lookups) {
        inner.forget(node, lookups);
    }

    @Override
    public void getattr(Request request, long node, long handle, AttributesReply reply) {
        if (passes("getattr", reply, path(node))) {
            inner.getattr(request, node, handle, reply);
        }
    }

    @Override
    public void statx(Request request, long node, long handle, int mask, StatxReply reply) {
        if (passes("statx", reply, path(node))) {
            inner.statx(request, node, handle, mask, reply);
        }
    }

    @Override
    public void setattr(Request request, long node, AttributeChange change, AttributesReply reply) {
        if (passes("setattr", reply, path(node))) {
            inner.setattr(request, node, change, reply);
        }
    }

    @Override
    public void readlink(Request request, long node, LinkTargetReply reply) {
        if (passes("readlink", reply, path(node))) {
            inner.readlink(request, node, reply);
        }
    }

    @Override
    public void symlink(Request request, long parent, Name name, Name target, EntryReply reply) {
        if (passes("symlink", reply, path(parent, name))) {
            inner.symlink(request, parent, name, target, reply);
        }
    }

    @Override
    public void mknod(Request request, long parent, Name name, int mode, int device, EntryReply reply) {
        if (passes("mknod", reply, path(parent, name))) {
            inner.mknod(request, parent, name, mode, device, reply);
        }
    }

    @Override
    public void mkdir(Request request, long parent, Name name, int mode, EntryReply reply) {
        if (passes("mkdir", reply, path(parent, name))) {
            inner.mkdir(request, parent, name, mode, reply);
        }
    }

    @Override
    public void unlink(Request request, long parent, Name name, EmptyReply reply) {
        if (passes("unlink", reply, path(parent, name))) {
            inner.unlink(request, parent, name, reply);
        }
    }

    @Override
    public void rmdir(Request request, long parent, Name name, EmptyReply reply) {
        if (passes("rmdir", reply, path(parent, name))) {
            inner.rmdir(request, parent, name, reply);
        }
    }

    @Override
    public void rename(
            Request request, long parent, Name name, long newParent, Name newName, int flags, EmptyReply reply) {
        if (passes("rename", reply, path(parent, name), path(newParent, newName))) {
            inner.rename(request, parent, name, newParent, newName, flags, reply);
        }
    }

    @Override
    public void link(Request request, long node, long newParent, Name newName, EntryReply reply) {
        if (passes("link", reply, path(node), path(newParent, newName))) {
            inner.link(request, node, newParent, newName, reply);
        }
    }

    @Override
    public void open(Request request, long node, int flags, OpenReply reply) {
        if (passes("open", reply, path(node))) {
            inner.open(request, node, flags, reply);
        }
    }

    @Override
    public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
        int most = meets("read", reply, size, path(node));
        if (most > 0) {
            inner.read(request, node, handle, position, most, flags, reply);
        }
    }

    @Override
    public void write(Request request, long node, long handle, long position, Payload data, WriteReply reply) {
        int most = meets("write", reply, Math.max(1, data.length()), path(node));
        if (most > 0) {
            data.shorten(most);
            inner.write(request, node, handle, position, data, reply);
        }
    }

    @Override
    public void flush(Request request, long node, long handle, long lockOwner, EmptyReply reply) {
        if (passes("flush", reply, path(node))) {
            inner.flush(request, node, handle, lockOwner, reply);
        }
    }

    @Override
    public void release(Request request, long node, long handle, int flags, int releaseFlags, EmptyReply reply) {
        if (passes("release", reply, path(node))) {
            inner.release(request, node, handle, flags, releaseFlags, reply);
        }
    }

    @Override
    public void fsync(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        if (passes("fsync", reply, path(node))) {
            inner.fsync(request, node, handle, dataOnly, reply);
        }
    }

    @Override
    public void statfs(Request request, long node, StatfsReply reply) {
        if (passes("statfs", reply, path(node))) {
            inner.statfs(request, node, reply);
        }
    }

    @Override
    public void setxattr(Request request, long node, Name name, Payload value, int flags, EmptyReply reply) {
        if (passes("setxattr", reply, path(node))) {
            inner.setxattr(request, node, name, value, flags, reply);
        }
    }

    @Override
    public void getxattr(Request request, long node, Name name, int size, XattrReply reply) {
        if (passes("getxattr", reply, path(node))) {
            inner.getxattr(request, node, name, size, reply);
        }
    }

    @Override
    public void listxattr(Request request, long node, int size, XattrNamesReply reply) {
        if (passes("listxattr", reply, path(node))) {
            inner.listxattr(request, node, size, reply);
        }
    }

    @Override
    public void removexattr(Request request, long node, Name name, EmptyReply reply) {
        if (passes("removexattr", reply, path(node))) {
            inner.removexattr(request, node, name, reply);
        }
    }

    @Override
    public void opendir(Request request, long node, int flags, OpenReply reply) {
        if (passes("opendir", reply, path(node))) {
            inner.opendir(request, node, flags, reply);
        }
    }

    @Override
    public void readdir(Request request, long node, long handle, long position, DirectoryReply reply) {
        if (passes("readdir", reply, path(node))) {
            inner.readdir(request, node, handle, position, reply);
        }
    }

    @Override
    public void readdirplus(Request request, long node, long handle, long position, DirectoryPlusReply reply) {
        if (passes("readdirplus", reply, path(node))) {
            inner.readdirplus(request, node, handle, position, reply);
        }
    }

    @Override
    public void releasedir(Request request, long node, long handle, int flags, EmptyReply reply) {
        if (passes("releasedir", reply, path(node))) {
            inner.releasedir(request, node, handle, flags, reply);
        }
    }

    @Override
    public void fsyncdir(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        if (passes("fsyncdir", reply, path(node))) {
            inner.fsyncdir(request, node, handle, dataOnly, reply);
        }
    }

    @Override
    public void access(Request request, long node, int mask, EmptyReply reply) {
        if (passes("access", reply, path(node))) {
            inner.access(request, node, mask, reply);
        }
    }

    @Override
    public void create(Request request, long parent, Name name, int mode, int flags, CreateReply reply) {
        if (passes("create", reply, path(parent, name))) {
            inner.create(request, parent, name, mode, flags, reply);
        }
    }

    @Override
    public void tmpfile(Request request, long parent, int mode, int flags, CreateReply reply) {
        if (passes("tmpfile", reply, path(parent))) {
            inner.tmpfile(request, parent, mode, flags, reply);
        }
    }

    @Override
    public void getlk(Request request, long node, long handle, FileLock lock, LockReply reply) {
        if (passes("getlk", reply, path(node))) {
            inner.getlk(request, node, handle, lock, reply);
        }
    }

    @Override
    public void setlk(Request request, long node, long handle, FileLock lock, boolean waits, EmptyReply reply) {
        if (passes("setlk", reply, path(node))) {
            inner.setlk(request, node, handle, lock, waits, reply);
        }
    }

    @Override
    public void flock(Request request, long node, long handle, FileLock lock, boolean waits, EmptyReply reply) {
        if (passes("flock", reply, path(node))) {
            inner.flock(request, node, handle, lock, waits, reply);
        }
    }

    @Override
    public void bmap(Request request, long node, int blockSize, long block, BmapReply reply) {
        if (passes("bmap", reply, path(node))) {
            inner.bmap(request, node, blockSize, block, reply);
        }
    }

    @Override
    public void ioctl(Request request, long node, long handle, IoctlCall call, IoctlReply reply) {
        if (passes("ioctl", reply, path(node))) {
            inner.ioctl(request, node, handle, call, reply);
        }
    }

    @Override
    public void poll(Request request, long node, long handle, int events, long wakeUp, PollReply reply) {
        if (passes("poll", reply, path(node))) {
            inner.poll(request, node, handle, events, wakeUp, reply);
        }
    }

    @Override
    public void fallocate(
            Request request, long node, long handle, long position, long length, int mode, EmptyReply reply) {
        if (passes("fallocate", reply, path(node))) {
            inner.fallocate(request, node, handle, position, length, mode, reply);
        }
    }

    @Override
    public void lseek(Request request, long node, long handle, long position, int whence, LseekReply reply) {
        if (passes("lseek", reply, path(node))) {
            inner.lseek(request, node, handle, position, whence, reply);
        }
    }

    @Override
    public void copyFileRange(Request request, long node, CopyRange copy, WriteReply reply) {
        if (passes("copyFileRange", reply, path(node))) {
            inner.copyFileRange(request, node, copy, reply);
        }
    }

    @Override
    public void syncfs(Request request, long node, EmptyReply reply) {
        if (passes("syncfs", reply, path(node))) {
            inner.syncfs(request, node, reply);
        }
    }

    @Override
    public void interrupt(long unique) {
        inner.interrupt(unique);
    }
}
