package io.chagres.faultfs;

import io.chagres.fuse.FuseServer;
import io.chagres.fuse.path.NioFileSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A directory that is seen through faults at another path, where its power can be cut. Safe for any thread; closed by
 * its mounter.
 */
public final class FaultMount implements AutoCloseable {
    private final Path backing;
    private final Path mountPoint;
    private final boolean allowOther;
    private final @Nullable Path aside;
    private final @Nullable VolatileTree tree;
    private @Nullable PowerLossFs volatileFiles;
    private FaultFs faults;
    private FuseServer server;
    private boolean closed;

    private FaultMount(Path backing, Path mountPoint, boolean allowOther, @Nullable Path aside) throws IOException {
        this.backing = backing;
        this.mountPoint = mountPoint;
        this.allowOther = allowOther;
        this.aside = aside;
        tree = aside == null ? null : new VolatileTree(backing, aside);
        faults = new FaultFs(new NioFileSystem(backing, Clock.systemUTC(), 0), node -> "");
        server = mount();
    }

    /**
     * Mounts a directory.
     *
     * @param backing where the files are
     * @param mountPoint an empty directory where they are used
     * @param powerLoss whether the power can be cut. Then nobody else may change {@code backing}, which must not be the
     *     root of a file system: what was removed and not synced is kept in a directory beside it
     * @param allowOther whether other users may use it
     * @return without faults
     * @throws IOException if it cannot be mounted
     */
    public static FaultMount mount(Path backing, Path mountPoint, boolean powerLoss, boolean allowOther)
            throws IOException {
        Path real = backing.toRealPath();
        Path aside = powerLoss ? aside(real) : null;
        boolean done = false;
        try {
            FaultMount mount = new FaultMount(real, mountPoint, allowOther, aside);
            done = true;
            return mount;
        } finally {
            if (!done && aside != null) {
                Files.delete(aside);
            }
        }
    }

    private static Path aside(Path backing) throws IOException {
        Path parent = backing.getParent();
        if (parent == null || !device(parent).equals(device(backing))) {
            throw new IOException(backing + " is the root of a file system; for power loss take a directory in it");
        }
        return Files.createTempDirectory(parent, "." + backing.getFileName() + ".unsynced-");
    }

    private static Object device(Path path) throws IOException {
        return Files.getAttribute(path, "unix:dev", LinkOption.NOFOLLOW_LINKS);
    }

    private FuseServer mount() throws IOException {
        NioFileSystem files = new NioFileSystem(backing, Clock.systemUTC(), 0);
        if (tree == null) {
            faults = faults.before(files, files::pathOf);
        } else {
            volatileFiles = new PowerLossFs(files, backing, tree);
            faults = faults.before(volatileFiles, files::pathOf);
        }
        return FuseServer.mount(
                faults,
                mountPoint,
                FaultFs.options(files.options()).withName("faultfs").withAllowOther(allowOther));
    }

    /**
     * Returns what puts faults in the way; the same before and after the power was cut.
     *
     * @return as long as it is mounted
     */
    public synchronized FaultFs faults() {
        return faults;
    }

    /**
     * Cuts the power: changes that were not synced are undone, programs with open files get errors, and what survived
     * is mounted again. Only what docs/FAULTFS.md lists survives.
     *
     * @throws IOException if it was mounted without power loss, or the directory behind fails
     */
    public synchronized void powerCut() throws IOException {
        if (tree == null || closed) {
            throw new IOException("the power can only be cut of a mount with power loss");
        }
        Objects.requireNonNull(volatileFiles).cut();
        faults.wake();
        server.close();
        tree.powerCut();
        server = mount();
    }

    /**
     * Waits until it is unmounted for good.
     *
     * @throws InterruptedException if this thread is
     */
    public void join() throws InterruptedException {
        FuseServer seen;
        do {
            seen = server();
            seen.join();
        } while (seen != server());
    }

    private synchronized FuseServer server() {
        return server;
    }

    /** Ends all faults and unmounts; written bytes are there, synced or not. */
    @Override
    public synchronized void close() {
        faults.heal();
        server.close();
        if (tree != null && aside != null && !closed) {
            try {
                tree.forget();
                Files.delete(aside);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        closed = true;
    }
}
