package io.chagres.examples;

import io.chagres.foreign.Errno;
import io.chagres.fuse.AttributesReply;
import io.chagres.fuse.EntryReply;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.FuseTransport;
import io.chagres.fuse.Name;
import io.chagres.fuse.ReadReply;
import io.chagres.fuse.Request;
import io.chagres.fuse.loopback.LoopbackFileSystem;
import io.chagres.linux.Pathname;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A server for tests, in a JVM of its own. */
final class TestServer {
    /** Its output when a read came that it will never answer. */
    static final String HANGS = "a handler hangs";

    private TestServer() {}

    /** The command to start one: memory, hanging, or mirror and the directory to mirror. */
    static List<String> program(FuseTransport transport, Path mountPoint, String... kind) {
        List<String> program = new ArrayList<>(List.of(TestServer.class.getName(), transport.name()));
        program.add(mountPoint.toString());
        program.addAll(List.of(kind));
        return program;
    }

    public static void main(String[] arguments) throws Exception {
        FuseFileSystem fileSystem;
        FuseOptions options;
        switch (arguments[2]) {
            case "memory" -> {
                fileSystem = new MemoryFs(Clock.systemUTC());
                options = MemoryFs.OPTIONS;
            }
            case "mirror" -> {
                fileSystem = new LoopbackFileSystem(Pathname.of(arguments[3]), 0);
                options = LoopbackFileSystem.OPTIONS;
            }
            default -> {
                fileSystem = new Hanging();
                options = FuseOptions.DEFAULTS;
            }
        }
        FuseServer.mount(fileSystem, Path.of(arguments[1]), options.withTransport(FuseTransport.valueOf(arguments[0])))
                .join();
    }

    /** One file, whose reads never return. */
    private static final class Hanging implements FuseFileSystem {
        private static final long NODE = 2;
        private static final byte[] NAME = "file".getBytes(StandardCharsets.UTF_8);

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
            reply.attributes(
                    node == ROOT
                            ? reply.attributes().directory(0755)
                            : reply.attributes().file(0644, 4096));
        }

        @Override
        public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
            System.out.println(HANGS);
            boolean interrupted = false;
            while (!interrupted) {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            reply.error(Errno.EINTR);
        }
    }
}
