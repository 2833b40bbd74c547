package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.testkit.Allocations;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** One file whose reads are answered when a test wants it, and what the kernel may ask for beside that. */
final class OneFileSystem implements FuseFileSystem {
    static final byte[] NAME = "file".getBytes(StandardCharsets.UTF_8);
    static final long NODE = 2;

    /** One read that waits for its answer. */
    record Waiting(Request request, long unique, ReadReply reply) {}

    final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    final Queue<Long> interrupted = new ConcurrentLinkedQueue<>();
    volatile byte[] attribute = {};
    volatile boolean deferring = true;
    volatile int openFlags = OpenReply.DIRECT_IO;

    /** The answer to poll(2), and the last caller who wants to be woken up. */
    volatile int ready;

    volatile long wakeUp;

    /** The bytes that serving threads allocated between two requests for attributes, and how often they were read. */
    volatile long allocatedBytes;

    volatile int looks;
    private volatile @Nullable Thread lastThread;
    private volatile long lastAllocated;

    @Override
    public void lookup(Request request, long parent, Name name, EntryReply reply) {
        if (name.is(NAME)) {
            reply.entry(NODE, reply.attributes().ino(NODE).file(0644, 4096));
        } else {
            reply.error(Errno.ENOENT);
        }
    }

    @Override
    public void getattr(Request request, long node, long handle, AttributesReply reply) {
        look();
        Attributes attributes = reply.attributes().ino(node);
        reply.attributes(node == ROOT ? attributes.directory(0755) : attributes.file(0644, 4096));
    }

    private void look() {
        long allocated = Allocations.allocated();
        if (lastThread == Thread.currentThread()) {
            allocatedBytes += allocated - lastAllocated;
            looks++;
        }
        lastThread = Thread.currentThread();
        lastAllocated = allocated;
    }

    @Override
    public void open(Request request, long node, int flags, OpenReply reply) {
        reply.opened(1, openFlags);
    }

    @Override
    public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
        if (position > 0) {
            reply.filled(0);
        } else if (deferring) {
            reply.defer();
            waiting.add(new Waiting(request, request.unique(), reply));
        } else {
            reply.data(NAME, 0, NAME.length);
        }
    }

    @Override
    public void write(Request request, long node, long handle, long position, Payload data, WriteReply reply) {
        reply.written(data.length());
    }

    @Override
    public void poll(Request request, long node, long handle, int events, long newWakeUp, PollReply reply) {
        if (newWakeUp != 0) {
            wakeUp = newWakeUp;
        }
        reply.ready(ready);
    }

    /** Gives the argument back with all bits turned. */
    @Override
    public void ioctl(Request request, long node, long handle, IoctlCall call, IoctlReply reply) {
        byte[] bytes = call.input().bytes();
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) ~bytes[i];
        }
        reply.result(call.command() & 0xff, bytes);
    }

    @Override
    public void setxattr(Request request, long node, Name name, Payload value, int flags, EmptyReply reply) {
        attribute = value.bytes();
        reply.done();
    }

    @Override
    public void getxattr(Request request, long node, Name name, int size, XattrReply reply) {
        reply.value(attribute);
    }

    @Override
    public void interrupt(long unique) {
        interrupted.add(unique);
    }
}
