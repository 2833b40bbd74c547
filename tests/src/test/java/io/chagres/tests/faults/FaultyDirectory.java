package io.chagres.tests.faults;

import io.chagres.examples.FaultFs;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.path.NioFileSystem;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/** A directory in whose way faults can be put: all who use it by this path meet them, the kernel included. */
final class FaultyDirectory implements AutoCloseable {
    private final Path path;
    private final FaultFs faults;
    private final FuseServer server;

    private FaultyDirectory(Path path, FaultFs faults, FuseServer server) {
        this.path = path;
        this.faults = faults;
        this.server = server;
    }

    /**
     * Mounts one.
     *
     * @param path made here
     * @param behind where the files are, made here
     */
    static FaultyDirectory mount(Path path, Path behind) {
        Requires.root();
        Requires.fuse();
        try {
            Files.createDirectories(path);
            NioFileSystem files = new NioFileSystem(Files.createDirectories(behind), Clock.systemUTC(), 0);
            FaultFs faults = new FaultFs(files, files::pathOf);
            FuseServer server = FuseServer.mount(faults, path, FaultFs.options(files.options()));
            return new FaultyDirectory(path, faults, server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path path() {
        return path;
    }

    FaultFs faults() {
        return faults;
    }

    @Override
    public void close() {
        faults.heal();
        Program.run(List.of("umount", "--lazy", path.toString()));
        server.close();
    }
}
