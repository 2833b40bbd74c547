package io.chagres.examples;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.FuseHandover;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.FuseTransport;
import io.chagres.fuse.TransferableFileSystem;
import io.chagres.fuse.path.NioFileSystem;
import io.chagres.linux.DescriptorSocket;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/** A server in a JVM of its own that takes a mount over from another, and hands it over to the next. */
final class HandoverServer {
    /** Its output when it serves, and at its end if all requests were answered. */
    static final String SERVES = "serves";

    static final String WELL = "0 failures, 0 refused";

    private static final FuseOptions OPTIONS = FuseOptions.DEFAULTS.withTransport(FuseTransport.CLASSIC);

    /** The kind of file system that is mounted. */
    enum Kind {
        NODES,
        PATHS,
        NIO
    }

    private HandoverServer() {}

    /**
     * Says what to start.
     *
     * @param from the socket of the server before, or nothing to mount
     * @param to where to wait for the next one
     */
    static List<String> program(Kind kind, Path behind, Path mountPoint, String from, Path to) {
        return List.of(
                HandoverServer.class.getName(),
                kind.name(),
                behind.toString(),
                mountPoint.toString(),
                from,
                to.toString());
    }

    public static void main(String[] arguments) throws Exception {
        Kind kind = Kind.valueOf(arguments[0]);
        Path behind = Path.of(arguments[1]);
        FuseServer server = arguments[3].isEmpty()
                ? FuseServer.mount(fileSystem(kind, behind), Path.of(arguments[2]), OPTIONS)
                : takenOver(fileSystem(kind, behind), Pathname.of(arguments[3]));
        System.out.println(SERVES);
        try (DescriptorSocket next = DescriptorSocket.accept(Pathname.of(arguments[4]));
                FuseHandover handover = handedOver(server)) {
            handover.send(next);
            awaitWord(next);
        }
        System.out.println(server.statistics().failures() + " failures, "
                + server.statistics().refused() + " refused");
    }

    private static TransferableFileSystem fileSystem(Kind kind, Path behind) throws IOException {
        return switch (kind) {
            case NODES -> new TransferableNodes();
            case PATHS -> new MirrorPaths(behind).byNodes();
            case NIO -> new NioFileSystem(behind, Clock.systemUTC(), 0);
        };
    }

    private static FuseServer takenOver(TransferableFileSystem fileSystem, Pathname from) throws ErrnoException {
        try (DescriptorSocket before = DescriptorSocket.connect(from);
                FuseHandover received = FuseHandover.receive(before);
                Arena arena = Arena.ofConfined()) {
            FuseServer server = FuseServer.takeOver(fileSystem, received, OPTIONS);
            before.send(-1, arena.allocate(1), 0, 1);
            return server;
        }
    }

    /** While somebody has a file open without a name, a file system of paths serves on. */
    private static FuseHandover handedOver(FuseServer server) throws ErrnoException {
        while (true) {
            try {
                return server.handOver();
            } catch (ErrnoException e) {
                if (e.errno() != Errno.EBUSY) {
                    throw e;
                }
                Thread.yield();
            }
        }
    }

    /** The one that served before ends when the next one serves. */
    private static void awaitWord(DescriptorSocket next) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(1);
            if (next.receive(word, 0, 1, new int[1]) != 1) {
                throw new IllegalStateException("the next one failed");
            }
        }
    }
}
