package io.chagres.fuse;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Writes down what it is asked and answers something simple. */
final class RecordingFileSystem implements FuseFileSystem {
    static final Attributes SOME = new Attributes()
            .ino(77)
            .file(0640, 1000)
            .atimeNs(1_000_000_002L)
            .mtimeNs(3_000_000_004L)
            .ctimeNs(-1)
            .nlink(3)
            .uid(5)
            .gid(6)
            .rdev(0x101)
            .generation(9)
            .btimeNs(8_000_000_009L)
            .entryTimeoutNs(10_000_000_011L)
            .attributeTimeoutNs(12_000_000_013L);

    final List<String> calls = new ArrayList<>();
    FuseConnection connection;
    Notifier notifier;

    private void note(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        calls.add(line.toString());
    }

    private static String text(Payload data) {
        return new String(data.bytes(), StandardCharsets.UTF_8);
    }

    private static String text(FileLock lock) {
        return lock.owner() + ":" + lock.start() + "-" + lock.end() + ":" + lock.type() + ":" + lock.pid();
    }

    @Override
    public void init(FuseConnection agreed, Notifier told) {
        connection = agreed;
        notifier = told;
    }

    @Override
    public void lookup(Request request, long parent, Name name, EntryReply reply) {
        note("lookup", parent, name, request.uid(), request.gid(), request.pid());
        reply.entry(42, SOME);
    }

    @Override
    public void forget(long node, long lookups) {
        note("forget", node, lookups);
    }

    @Override
    public void getattr(Request request, long node, long handle, AttributesReply reply) {
        note("getattr", node, handle);
        reply.attributes(SOME);
    }

    @Override
    public void statx(Request request, long node, long handle, int mask, StatxReply reply) {
        note("statx", node, handle, mask);
        reply.attributes(SOME);
    }

    @Override
    public void setattr(Request request, long node, AttributeChange change, AttributesReply reply) {
        Attributes changed = new Attributes().set(SOME);
        change.applyTo(changed, 99);
        note(
                "setattr",
                node,
                change.hasHandle() ? change.handle() : NO_HANDLE,
                Integer.toOctalString(changed.mode()),
                changed.size(),
                changed.uid(),
                changed.gid(),
                changed.atimeNs(),
                changed.mtimeNs(),
                changed.ctimeNs());
        reply.attributes(changed);
    }

    @Override
    public void readlink(Request request, long node, LinkTargetReply reply) {
        note("readlink", node);
        reply.target("to/there".getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void symlink(Request request, long parent, Name name, Name target, EntryReply reply) {
        note("symlink", parent, name, target);
        reply.entry(42, SOME);
    }

    @Override
    public void mknod(Request request, long parent, Name name, int mode, int device, EntryReply reply) {
        note("mknod", parent, name, mode, device, request.umask());
        reply.entry(42, SOME);
    }

    @Override
    public void mkdir(Request request, long parent, Name name, int mode, EntryReply reply) {
        note("mkdir", parent, name, mode, request.umask());
        reply.entry(42, SOME);
    }

    @Override
    public void unlink(Request request, long parent, Name name, EmptyReply reply) {
        note("unlink", parent, name);
        reply.done();
    }

    @Override
    public void rmdir(Request request, long parent, Name name, EmptyReply reply) {
        note("rmdir", parent, name);
        reply.done();
    }

    @Override
    public void rename(
            Request request, long parent, Name name, long newParent, Name newName, int flags, EmptyReply reply) {
        note("rename", parent, name, newParent, newName, flags);
        reply.done();
    }

    @Override
    public void link(Request request, long node, long newParent, Name newName, EntryReply reply) {
        note("link", node, newParent, newName);
        reply.entry(42, SOME);
    }

    @Override
    public void open(Request request, long node, int flags, OpenReply reply) {
        note("open", node, flags);
        reply.opened(7, OpenReply.DIRECT_IO);
    }

    @Override
    public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
        note("read", node, handle, position, size, flags, request.lockOwner());
        byte[] bytes = "content".getBytes(StandardCharsets.UTF_8);
        reply.data(bytes, 0, bytes.length);
    }

    @Override
    public void write(Request request, long node, long handle, long position, Payload data, WriteReply reply) {
        note("write", node, handle, position, text(data), data.flags(), request.lockOwner());
        reply.written(data.length());
    }

    @Override
    public void flush(Request request, long node, long handle, long lockOwner, EmptyReply reply) {
        note("flush", node, handle, lockOwner);
        reply.done();
    }

    @Override
    public void release(Request request, long node, long handle, int flags, int releaseFlags, EmptyReply reply) {
        note("release", node, handle, flags, releaseFlags, request.lockOwner());
        reply.done();
    }

    @Override
    public void fsync(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        note("fsync", node, handle, dataOnly);
        reply.done();
    }

    @Override
    public void statfs(Request request, long node, StatfsReply reply) {
        note("statfs", node);
        reply.statfs(512, 1, 2, 3, 4, 255);
    }

    @Override
    public void setxattr(Request request, long node, Name name, Payload value, int flags, EmptyReply reply) {
        note("setxattr", node, name, text(value), flags);
        reply.done();
    }

    @Override
    public void getxattr(Request request, long node, Name name, int size, XattrReply reply) {
        note("getxattr", node, name, size);
        reply.value("value".getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void listxattr(Request request, long node, int size, XattrNamesReply reply) {
        note("listxattr", node, size);
        reply.add("user.a".getBytes(StandardCharsets.UTF_8))
                .add("user.bc".getBytes(StandardCharsets.UTF_8))
                .done();
    }

    @Override
    public void removexattr(Request request, long node, Name name, EmptyReply reply) {
        note("removexattr", node, name);
        reply.done();
    }

    @Override
    public void opendir(Request request, long node, int flags, OpenReply reply) {
        note("opendir", node, flags);
        reply.opened(8, 0);
    }

    @Override
    public void readdir(Request request, long node, long handle, long position, DirectoryReply reply) {
        note("readdir", node, handle, position);
        byte[] name = "nine-char".getBytes(StandardCharsets.UTF_8);
        for (long next = position + 1; reply.add(name, 50 + next, DirectoryReply.DT_REG, next); next++) {
            assert next < 1000;
        }
        reply.done();
    }

    @Override
    public void readdirplus(Request request, long node, long handle, long position, DirectoryPlusReply reply) {
        note("readdirplus", node, handle, position);
        byte[] name = "n".getBytes(StandardCharsets.UTF_8);
        for (long next = position + 1; reply.add(name, 50 + next, SOME, next); next++) {
            assert next < 1000;
        }
        reply.done();
    }

    @Override
    public void releasedir(Request request, long node, long handle, int flags, EmptyReply reply) {
        note("releasedir", node, handle, flags);
        reply.done();
    }

    @Override
    public void fsyncdir(Request request, long node, long handle, boolean dataOnly, EmptyReply reply) {
        note("fsyncdir", node, handle, dataOnly);
        reply.done();
    }

    @Override
    public void access(Request request, long node, int mask, EmptyReply reply) {
        note("access", node, mask);
        reply.done();
    }

    @Override
    public void create(Request request, long parent, Name name, int mode, int flags, CreateReply reply) {
        note("create", parent, name, mode, flags, request.umask());
        reply.created(42, SOME, 7, OpenReply.NOFLUSH);
    }

    @Override
    public void tmpfile(Request request, long parent, int mode, int flags, CreateReply reply) {
        note("tmpfile", parent, mode, flags, request.umask());
        reply.created(42, SOME, 7, 0);
    }

    @Override
    public void getlk(Request request, long node, long handle, FileLock lock, LockReply reply) {
        note("getlk", node, handle, text(lock));
        reply.held(new FileLock().set(0, 3, 4, FileLock.F_WRLCK, 12));
    }

    @Override
    public void setlk(Request request, long node, long handle, FileLock lock, boolean waits, EmptyReply reply) {
        note("setlk", node, handle, text(lock), waits);
        reply.done();
    }

    @Override
    public void flock(Request request, long node, long handle, FileLock lock, boolean waits, EmptyReply reply) {
        note("flock", node, handle, text(lock), waits);
        reply.done();
    }

    @Override
    public void bmap(Request request, long node, int blockSize, long block, BmapReply reply) {
        note("bmap", node, blockSize, block);
        reply.block(block + 1);
    }

    @Override
    public void ioctl(Request request, long node, long handle, IoctlCall call, IoctlReply reply) {
        note(
                "ioctl",
                node,
                handle,
                call.command(),
                call.argument(),
                call.flags(),
                text(call.input()),
                call.outputLength());
        reply.result(3, "out".getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void poll(Request request, long node, long handle, int events, long wakeUp, PollReply reply) {
        note("poll", node, handle, events, wakeUp);
        reply.ready(5);
    }

    @Override
    public void fallocate(
            Request request, long node, long handle, long position, long length, int mode, EmptyReply reply) {
        note("fallocate", node, handle, position, length, mode);
        reply.done();
    }

    @Override
    public void lseek(Request request, long node, long handle, long position, int whence, LseekReply reply) {
        note("lseek", node, handle, position, whence);
        reply.position(1L << 40);
    }

    @Override
    public void copyFileRange(Request request, long node, CopyRange copy, WriteReply reply) {
        note(
                "copyFileRange",
                node,
                copy.handle(),
                copy.position(),
                copy.targetNode(),
                copy.targetHandle(),
                copy.targetPosition(),
                copy.length(),
                copy.flags());
        reply.written(copy.length());
    }

    @Override
    public void syncfs(Request request, long node, EmptyReply reply) {
        note("syncfs", node);
        reply.done();
    }

    @Override
    public void interrupt(long unique) {
        note("interrupt", unique);
    }
}
