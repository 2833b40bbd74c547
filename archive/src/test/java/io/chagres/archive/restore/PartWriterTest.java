package io.chagres.archive.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody moves directories of the target while files are restored into them. */
class PartWriterTest {
    private static final String ID = "0123456789abcdef";

    @TempDir
    Path directory;

    @Test
    void aDirectoryThatIsMovedOutOfTheTargetGetsNoFurtherFile() throws IOException {
        MemoryStore store = new MemoryStore();
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/in/any");
            host.commit();
            HostState state = host.state();
            FileVersion version = Objects.requireNonNull(state.version(id));
            Path in = Files.createDirectories(directory.resolve("target/in"));
            Path aside = directory.resolve("aside");
            List<String> faults = new ArrayList<>();
            RestoreCounter counter = new RestoreCounter((subject, cause) -> faults.add(subject));
            Pathname target = Pathname.of(directory.resolve("target").toString());
            try (Fd root = Fd.open(target, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
                    VersionReader reader = new VersionReader(store, ID, state);
                    PartWriter writer = new PartWriter(root, reader, new AttributeSetter(false, counter), counter)) {
                writer.finish(new RestoredFile(version, Pathname.of("in/before")));
                Files.move(in, aside);
                writer.finish(new RestoredFile(version, Pathname.of("in/gone")));
                Files.createSymbolicLink(in, aside);
                writer.finish(new RestoredFile(version, Pathname.of("in/linked")));
            }
            assertThat(aside).isDirectoryContaining("glob:**/before").isDirectoryNotContaining("glob:**/*ed");
            assertThat(aside.resolve("gone")).doesNotExist();
            assertThat(faults).containsExactly("in/gone", "in/linked");
        }
    }
}
