package io.chagres.mount;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A host of an archive as a mount holds it, without a mount, by a clock of the test's. */
final class LoadedHost implements AutoCloseable {
    final SmallArchive writer;
    final AtomicLong nowMs = new AtomicLong();
    final List<String> messages = Collections.synchronizedList(new ArrayList<>());
    final ExecutorService threads = Executors.newFixedThreadPool(2);
    final BlobStore store;
    final MountContext context;
    final HostTree tree;
    final NodeTable nodes = new NodeTable();

    /** What the store does instead of an answer. */
    volatile @Nullable IOException refusal;

    /** Makes an archive whose host has an empty file, /first. */
    LoadedHost(Path directory, MountOptions options) throws IOException {
        Path archive = directory.resolve("archive");
        writer = new SmallArchive(archive, "web1");
        writer.file("/first");
        writer.commit(1);
        store = new FaultyStore(BlobStores.open(archive.toString(), false), (operation, done) -> {
            IOException thrown = refusal;
            if (thrown != null) {
                throw thrown;
            }
        });
        Path local = Files.createDirectories(directory.resolve("local"));
        LocalTables tables = new LocalTables(Pathname.of(local.toString()), false, 0, () -> {});
        context = new MountContext(threads, nowMs::get, messages::add, tables);
        HostRegistry.Owner owner = HostRegistry.hosts(store).getFirst();
        tree = new HostTree(store, context, options, 3, owner, Pathname.of("web1"));
    }

    /** Returns the root of the host, with all that was committed so far. */
    TreeFolder load() throws IOException {
        tree.load();
        return TreeFolder.ofHost(nodes, tree);
    }

    /** Applies the next commit, as the thread of a mount does. */
    void applyNext() throws IOException {
        try (CommitReader reader = new CommitReader(store)) {
            CommitHeader commit = HostLog.next(reader, tree.id(), tree.state());
            if (commit == null) {
                throw new AssertionError("no commit behind " + tree.state().seq());
            }
            tree.apply(commit.object(), commit);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        writer.close();
        store.close();
    }
}
