package io.chagres.archive.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.read.Workers;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Tables;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** An archive in memory, and a directory that it is restored into. */
abstract class RestoreFixture {
    static final String ID = "0123456789abcdef";

    final Path directory;
    final MemoryStore store = new MemoryStore();
    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    final List<String> faults = new ArrayList<>();

    RestoreFixture(@TempDir Path directory) {
        this.directory = directory;
    }

    @AfterEach
    void endThreads() {
        threads.close();
    }

    RestoreSummary restore(RestoreOptions options) throws IOException {
        return restoreInto("out", options);
    }

    RestoreSummary restoreInto(String name, RestoreOptions options) throws IOException {
        return restore(store, name, options);
    }

    RestoreSummary restore(BlobStore from, String name, RestoreOptions options) throws IOException {
        RestoreListener listener = new RestoreListener() {
            @Override
            public void progress(long doneBytes, long totalBytes) {
                assertThat(doneBytes).isLessThanOrEqualTo(totalBytes);
            }

            @Override
            public void fault(String subject, String cause) {
                faults.add(subject + ": " + cause);
            }
        };
        try (LocalTables tables = Tables.any()) {
            return new Restore(from, options, tables, new Workers(threads, 2), listener)
                    .into(pathname(directory.resolve(name)));
        }
    }

    static Pathname pathname(Path path) {
        return Pathname.of(path.toString());
    }

    Path out(String path) {
        return directory.resolve("out/" + path);
    }

    List<String> tree() throws IOException {
        Path root = directory.resolve("out");
        try (Stream<Path> walk = Files.walk(root)) {
            return walk.filter(path -> !path.equals(root))
                    .map(path -> root.relativize(path).toString())
                    .sorted()
                    .toList();
        }
    }

    static int mode(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode") & 07777;
    }
}
