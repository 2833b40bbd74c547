package io.chagres.examples;

import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.loopback.LoopbackFileSystem;
import io.chagres.linux.Pathname;
import java.nio.file.Path;

/** A directory mirrored, read and write: {@link LoopbackFileSystem} as a program. */
public final class PassthroughFs {
    private static final long BELIEVED_NS = 1_000_000_000;

    private PassthroughFs() {}

    /**
     * Mirrors a directory until it is unmounted.
     *
     * @param arguments the directory, and where to mount it
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 2) {
            System.err.println("usage: PassthroughFs MIRRORED DIRECTORY");
            System.exit(2);
        }
        LoopbackFileSystem mirror = new LoopbackFileSystem(Pathname.of(arguments[0]), BELIEVED_NS);
        FuseOptions options = LoopbackFileSystem.OPTIONS.withName("passthrough").withAllowOther(true);
        try (FuseServer server = FuseServer.mount(mirror, Path.of(arguments[1]), options)) {
            server.join();
        }
    }
}
