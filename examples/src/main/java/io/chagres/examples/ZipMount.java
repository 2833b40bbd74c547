package io.chagres.examples;

import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.path.NioFileSystem;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Mounts a zip file on a directory. */
public final class ZipMount {
    private static final String HELP = """
            Usage: ZipMount [--rw] ZIP DIRECTORY
            Mounts a zip file, or a jar, on a directory until it is unmounted: umount DIRECTORY, or SIGTERM.

              --rw    changes are kept in temporary files and written into the zip file when it is unmounted;
                      the zip file is made if it does not exist. Without it nothing can be changed.
              --help  prints this.
            """;

    private static final long HOUR_NS = 3_600_000_000_000L;

    private ZipMount() {}

    /**
     * Mounts a zip file until it is unmounted.
     *
     * @param arguments as the help says
     */
    public static void main(String[] arguments) throws Exception {
        List<String> names = new ArrayList<>(Arrays.asList(arguments));
        if (names.contains("--help")) {
            System.out.print(HELP);
            return;
        }
        boolean writable = names.remove("--rw");
        if (names.size() != 2 || names.stream().anyMatch(name -> name.startsWith("--"))) {
            System.err.print(HELP);
            System.exit(2);
        }
        try (Mount mount = mount(Path.of(names.get(0)), Path.of(names.get(1)), writable)) {
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(mount::save));
            mount.server.join();
        } catch (IOException e) {
            System.err.println(e);
            System.exit(1);
        }
    }

    /** A mounted zip file; closing it unmounts it and writes the zip file. Idempotent, safe for any thread. */
    record Mount(FileSystem zip, NioFileSystem files, FuseServer server) implements AutoCloseable {
        @Override
        public void close() {
            server.close();
            save();
        }

        /** Writes the zip file, also while others use the mount: they get errors from now on. */
        synchronized void save() {
            files.destroy();
            try {
                zip.close();
            } catch (IOException e) {
                System.err.println("the zip file is as it was: " + e);
            }
        }
    }

    static Mount mount(Path zip, Path directory, boolean writable) throws IOException {
        FileSystem opened = FileSystems.newFileSystem(
                zip, Map.of("accessMode", writable ? "readWrite" : "readOnly", "create", String.valueOf(writable)));
        try {
            NioFileSystem files = new NioFileSystem(opened, Clock.systemUTC(), HOUR_NS);
            FuseOptions options = files.options().withSubtype("zip").with(FuseFeature.KEEP_CACHE);
            return new Mount(opened, files, FuseServer.mount(files, directory, options));
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }
}
