package io.chagres.mount;

import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;

/** A mounted archive: a directory store, perhaps with faults before it, and what the mount said. */
final class MountFixture implements AutoCloseable {
    final Path directory;
    final ArchiveMount mount;
    final List<String> messages = Collections.synchronizedList(new ArrayList<>());
    private final BlobStore store;

    MountFixture(Path archive, Path directory, MountOptions options) {
        this(archive, directory, options, FaultyStore.Faults.NONE);
    }

    MountFixture(Path archive, Path directory, MountOptions options, FaultyStore.Faults faults) {
        this.directory = directory;
        try {
            Files.createDirectories(directory);
            BlobStore plain = BlobStores.open(archive.toString(), false);
            store = faults == FaultyStore.Faults.NONE ? plain : new FaultyStore(plain, faults);
            LocalTables tables = new LocalTables(Pathname.of(System.getProperty("java.io.tmpdir")), false, 0, () -> {});
            MountContext context =
                    new MountContext(Executors.newFixedThreadPool(4), new TestClock(), messages::add, tables);
            Pathname place = Pathname.of(directory.toString());
            ArchiveSource again = () -> BlobStores.open(archive.toString(), false);
            mount = ArchiveMount.open(store, again, place, options, false, context);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path host(String name) {
        return directory.resolve(name);
    }

    @Override
    public void close() {
        Program.run(List.of("umount", "--lazy", directory.toString()));
        mount.close();
        store.close();
    }
}
