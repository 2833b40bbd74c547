package io.chagres.archive.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Runs the contract on a directory as on a file system that knows no files without names. */
class NamedTemporariesTest extends BlobStoreContract {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    @Override
    protected BlobStore open() throws IOException {
        return DirectoryStore.open(Pathname.of(directory.resolve("archive").toString()), true, true);
    }

    @AfterEach
    void leavesNoTemporaryFile() throws IOException {
        try (Stream<Path> left = Files.list(directory.resolve("archive/tmp"))) {
            assertThat(left).isEmpty();
        }
    }
}
