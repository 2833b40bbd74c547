package io.chagres.tests.faults;

import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.linux.Pathname;
import io.chagres.mount.ArchiveMount;
import io.chagres.mount.ArchiveSource;
import io.chagres.mount.MountContext;
import io.chagres.mount.MountOptions;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;

/** A directory archive mounted in this process, with links as they were written. */
final class MountedArchive implements AutoCloseable {
    private final Path directory;
    private final BlobStore store;
    private final ArchiveMount mount;
    private final List<String> messages = Collections.synchronizedList(new ArrayList<>());

    MountedArchive(Path archive, List<AgeIdentity> identities) {
        this(archive, identities, PointInTime.NOW);
    }

    MountedArchive(Path archive, List<AgeIdentity> identities, PointInTime at) {
        try {
            directory = Files.createTempDirectory("chagres-mounted-");
            ArchiveSource source =
                    () -> ProtectedStore.of(BlobStores.open(archive.toString(), false), KeyRing.reading(identities));
            store = source.open();
            LocalTables tables = new LocalTables(Pathname.of(System.getProperty("java.io.tmpdir")), false, 0, () -> {});
            MountContext context =
                    new MountContext(Executors.newFixedThreadPool(2), Clock.systemUTC()::millis, messages::add, tables);
            MountOptions options = MountOptions.DEFAULTS.withAt(at).withLinksAsWritten(true);
            mount = ArchiveMount.open(store, source, Pathname.of(directory.toString()), options, false, context);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether this user may mount; where nothing may be skipped it must. */
    static boolean isPossible() {
        if ("1".equals(System.getenv("CHAGRES_SKIPS_FAIL"))) {
            Requires.fuse();
            Requires.root();
        }
        return Files.isWritable(Path.of("/dev/fuse"))
                && System.getProperty("user.name").equals("root");
    }

    Path directory() {
        return directory;
    }

    /** Returns what the mount complained of; where to find what is gone is no complaint. */
    List<String> messages() {
        return messages.stream()
                .filter(message -> !message.endsWith("; what is gone is in .gone"))
                .toList();
    }

    @Override
    public void close() {
        Program.run(List.of("umount", "--lazy", directory.toString()));
        mount.close();
        store.close();
        directory.toFile().delete();
    }
}
