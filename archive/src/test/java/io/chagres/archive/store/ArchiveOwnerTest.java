package io.chagres.archive.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** To whom belongs what the superuser makes in the archive of somebody else. */
@Tag("it")
class ArchiveOwnerTest {
    private static final MemorySegment CONTENT = MemorySegment.ofArray(new byte[3]);
    private static final int NOBODY = 65534;

    @TempDir
    Path directory = Path.of("");

    private Map<String, Object> owners(int owner) throws IOException {
        Requires.root();
        Path root = Files.createDirectory(directory.resolve("archive"));
        Files.setAttribute(root, "unix:uid", owner);
        Files.setAttribute(root, "unix:gid", owner);
        try (BlobStore store = DirectoryStore.open(Pathname.of(root.toString()), true)) {
            store.putIfAbsent("hosts/a/1", CONTENT);
            try (BlobWriter writer = store.create("hosts/b/c/2")) {
                writer.write(CONTENT, 0, 3);
                writer.commit();
            }
        }
        Map<String, Object> owners = new TreeMap<>();
        try (Stream<Path> all = Files.walk(root)) {
            for (Path each : all.toList()) {
                owners.put(
                        root.relativize(each).toString(),
                        List.of(Files.getAttribute(each, "unix:uid"), Files.getAttribute(each, "unix:gid")));
            }
        }
        return owners;
    }

    @Test
    void theSuperuserMakesItForTheOwnerOfTheArchive() throws IOException {
        assertThat(owners(NOBODY))
                .containsKeys("hosts/a/1", "hosts/b/c/2")
                .allSatisfy((name, owner) -> assertThat(owner).isEqualTo(List.of(NOBODY, NOBODY)));
    }

    @Test
    void itsOwnIsItsOwn() throws IOException {
        assertThat(owners(0)).allSatisfy((name, owner) -> assertThat(owner).isEqualTo(List.of(0, 0)));
    }
}
