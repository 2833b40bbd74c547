package io.chagres.examples;

import io.chagres.foreign.Errno;
import io.chagres.fuse.AttributesReply;
import io.chagres.fuse.DirectoryReply;
import io.chagres.fuse.EntryReply;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.Name;
import io.chagres.fuse.ReadReply;
import io.chagres.fuse.Request;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** What {@link HelloFs} is, by node numbers. Mounts itself on the directory it is given. */
public final class HelloNodes implements FuseFileSystem {
    private static final long HELLO = 2;
    private static final byte[] NAME = "hello".getBytes(StandardCharsets.UTF_8);
    private static final byte[] TEXT = "Hello, world!\n".getBytes(StandardCharsets.UTF_8);

    public static void main(String[] arguments) throws Exception {
        FuseServer.mount(new HelloNodes(), Path.of(arguments[0]), FuseOptions.DEFAULTS)
                .join();
    }

    @Override
    public void lookup(Request request, long parent, Name name, EntryReply reply) {
        if (parent == ROOT && name.is(NAME)) {
            reply.entry(HELLO, reply.attributes().file(0444, TEXT.length));
        } else {
            reply.error(Errno.ENOENT);
        }
    }

    @Override
    public void getattr(Request request, long node, long handle, AttributesReply reply) {
        reply.attributes(
                node == ROOT
                        ? reply.attributes().directory(0755)
                        : reply.attributes().file(0444, TEXT.length));
    }

    @Override
    public void readdir(Request request, long node, long handle, long position, DirectoryReply reply) {
        if (position == 0) {
            reply.add(NAME, HELLO, DirectoryReply.DT_REG, 1);
        }
        reply.done();
    }

    @Override
    public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
        int start = (int) Math.min(position, TEXT.length);
        int length = Math.min(size, TEXT.length - start);
        MemorySegment.copy(TEXT, start, reply.buffer(), ValueLayout.JAVA_BYTE, reply.offset(), length);
        reply.filled(length);
    }
}
