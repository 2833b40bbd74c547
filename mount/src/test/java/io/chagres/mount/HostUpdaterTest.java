package io.chagres.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.fuse.Attributes;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A mount meets a commit that it cannot read. */
class HostUpdaterTest {
    private static final int STEPS = 200;
    private static final int LINES = 10_000;

    /** A shipper compares the last MiB, which stays. */
    private static final int APPENDS = 50;

    @TempDir
    Path directory = Path.of("");

    private final AgeIdentity key = AgeIdentity.generate();
    private final List<String> messages = new ArrayList<>();
    private final AtomicLong requests = new AtomicLong();

    private interface Body {
        void run(SmallArchive writer, HostTree tree, HostUpdater updater, CommitReader reader) throws IOException;
    }

    private Path archive() {
        return directory.resolve("archive");
    }

    private void with(Body body) throws IOException {
        try (SmallArchive writer = new SmallArchive(archive(), "web1", List.of(key.recipient()));
                var threads = Executors.newSingleThreadExecutor()) {
            writer.file("/first");
            writer.commit(1);
            Path local = Files.createDirectories(directory.resolve("local"));
            LocalTables tables = new LocalTables(Pathname.of(local.toString()), false, 0, () -> {});
            MountContext context = new MountContext(threads, () -> 0, messages::add, tables);
            BlobStore stored = BlobStores.open(archive().toString(), false);
            try (BlobStore store = ProtectedStore.of(stored, KeyRing.reading(List.of(key)));
                    CommitReader reader = new CommitReader(store)) {
                HostRegistry.Owner owner = HostRegistry.hosts(store).getFirst();
                HostTree tree = new HostTree(store, context, MountOptions.DEFAULTS, 3, owner, Pathname.of("web1"));
                tree.load();
                body.run(writer, tree, new HostUpdater(new NodeTable(), tree, context, requests), reader);
            }
            tables.close();
        }
    }

    private void damage(HostTree tree, long seq, int at) throws IOException {
        Path commit = archive().resolve(ArchiveLayout.commit(tree.id(), seq));
        byte[] bytes = Files.readAllBytes(commit);
        bytes[at] ^= 1;
        Files.write(commit, bytes);
    }

    /** Bytes of the header of age, and of what is encrypted. */
    @ParameterizedTest
    @ValueSource(ints = {100, 300})
    void showsTheHostAsItWasBefore(int at) throws IOException {
        with((writer, tree, updater, reader) -> {
            writer.file("/second");
            writer.commit(2);
            damage(tree, 2, at);
            for (int i = 0; i < STEPS; i++) {
                updater.applied(reader);
            }
            assertThat(messages).hasSize(1).first().asString().contains("web1 is shown as it was after commit 1");
            assertThat(tree.state().seq()).isEqualTo(1);
            assertThat(requests).hasValueLessThan(10); // one for the commit, others for compactions
        });
    }

    /** Behind the old end the kernel may have zeros. */
    @Test
    void showsANewLengthOnceTheKernelHasDroppedThePages() throws IOException {
        with((writer, tree, updater, reader) -> {
            long log = writer.file("/log");
            writer.append(log, "one\n").commit(2);
            updater.applied(reader);
            FileVersion version = Objects.requireNonNull(tree.version(log));
            FileTarget file = new FileTarget(tree, version);
            Attributes attributes = new Attributes();
            file.fill(attributes);
            assertThat(attributes.size()).isEqualTo(4);
            writer.append(log, "two\n").commit(3);
            updater.applied(reader);
            file.fill(attributes);
            assertThat(attributes.size()).isEqualTo(4);
            assertThat(file.seek(0, true)).isEqualTo(4);
            assertThat(tree.span(log)).isEqualTo(new HostTree.VersionRange(0, 8)); // reads give all
            tree.showEnd(log, 8);
            file.fill(attributes);
            assertThat(attributes.size()).isEqualTo(8);
        });
    }

    /** Its pages are dropped from the first on, and until then they hold zeros behind the old end. */
    @Test
    void showsTheLengthOfBeforeAlsoWhereAFileLostItsBeginning() throws IOException {
        with((writer, tree, updater, reader) -> {
            String old = "old\n".repeat(LINES);
            long log = writer.file("/log");
            for (int i = 0; i < APPENDS; i++) {
                writer.append(log, old).commit(2);
            }
            updater.applied(reader);
            tree.showEnd(log, APPENDS * old.length());
            BlobStore stored = BlobStores.open(archive().toString(), false);
            try (BlobStore store = ProtectedStore.of(stored, KeyRing.reading(List.of(key)))) {
                for (int day = 1; day <= 2; day++) { // what expired is left out by the next run
                    SmallArchive.expire(store, 1, Clock.offset(Clock.systemUTC(), Duration.ofDays(day)));
                }
            }
            assertThat(updater.reloadIfCompacted()).isTrue();
            FileVersion version = Objects.requireNonNull(tree.version(log));
            assertThat(version.startPosition()).isPositive();
            writer.append(log, "new\n").commit(3);
            updater.applied(reader);
            Attributes attributes = new Attributes();
            new FileTarget(tree, Objects.requireNonNull(tree.version(log))).fill(attributes);
            assertThat(attributes.size()).isEqualTo(APPENDS * old.length());
        });
    }

    /** A checkpoint stands for the damaged commit, as repair makes one; the next commit is shown. */
    @Test
    void goesOnBehindWhatStandsForIt() throws IOException {
        with((writer, tree, updater, reader) -> {
            writer.file("/second");
            writer.commit(2);
            byte[] whole = Files.readAllBytes(archive().resolve(ArchiveLayout.commit(tree.id(), 2)));
            damage(tree, 2, 300);
            updater.applied(reader);
            Files.write(archive().resolve(ArchiveLayout.commit(tree.id(), 2)), whole);
            BlobStore stored = BlobStores.open(archive().toString(), false);
            try (BlobStore store = ProtectedStore.of(stored, KeyRing.reading(List.of(key)))) {
                SmallArchive.compact(store, 0, Clock.systemUTC());
            }
            writer.file("/third");
            writer.commit(3);
            for (int i = 0; i < STEPS; i++) {
                updater.applied(reader);
            }
            assertThat(messages).hasSize(1);
            assertThat(tree.state().seq()).isEqualTo(3);
        });
    }
}
