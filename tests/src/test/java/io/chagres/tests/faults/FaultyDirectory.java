package io.chagres.tests.faults;

import io.chagres.faultfs.FaultFs;
import io.chagres.faultfs.FaultMount;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A directory with faults in its way: all who use it by this path meet them, the kernel included. */
final class FaultyDirectory implements AutoCloseable {
    private final Path path;
    private final FaultMount mount;

    private FaultyDirectory(Path path, FaultMount mount) {
        this.path = path;
        this.mount = mount;
    }

    /**
     * Mounts one.
     *
     * @param path made here
     * @param behind where the files are, made here
     * @param powerLoss whether its power can be cut
     */
    static FaultyDirectory mount(Path path, Path behind, boolean powerLoss) {
        Requires.root();
        Requires.fuse();
        try {
            Files.createDirectories(path);
            Files.createDirectories(behind);
            return new FaultyDirectory(path, FaultMount.mount(behind, path, powerLoss, false));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path path() {
        return path;
    }

    FaultFs faults() {
        return mount.faults();
    }

    /** Leaves only what was synced. */
    void powerCut() throws IOException {
        mount.powerCut();
    }

    @Override
    public void close() {
        faults().heal();
        Program.run(List.of("umount", "--lazy", path.toString()));
        mount.close();
    }
}
