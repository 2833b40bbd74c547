package io.chagres.fuse.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.fuse.Attributes;
import io.chagres.linux.PathFd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The numbers by which the kernel knows files. */
class LoopbackNodesTest {
    private static final long ROOT = 1;

    @TempDir
    private Path directory;

    private final Arena arena = Arena.ofConfined();
    private final LoopbackNodes nodes = new LoopbackNodes(0);
    private final Attributes attributes = new Attributes();

    @BeforeEach
    void open() throws IOException {
        nodes.addRoot(PathFd.open(Pathname.of(directory.toString())));
    }

    @AfterEach
    void close() {
        nodes.close();
        arena.close();
    }

    private long find(String name) {
        MemorySegment memory = arena.allocateFrom(name);
        return nodes.find(nodes.get(ROOT).path, memory, 0, attributes);
    }

    @Test
    void aFileHasOneNumberByAllItsNames() throws IOException {
        Files.writeString(directory.resolve("a"), "content");
        Files.createLink(directory.resolve("b"), directory.resolve("a"));
        long node = find("a");
        assertThat(find("b")).isEqualTo(node).isNotEqualTo(ROOT);
        assertThat(attributes.nlink()).isEqualTo(2);
        Files.move(directory.resolve("a"), directory.resolve("c"));
        assertThat(find("c")).isEqualTo(node);
        assertThat(find("a")).isEqualTo(-Errno.ENOENT);
        nodes.forget(node, 2);
        assertThat(nodes.get(node)).isNotNull();
        nodes.forget(node, 1);
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> nodes.get(node));
    }

    /** So a handle of the file before leads nowhere, and not to the file that has its number now. */
    @Test
    void aNumberThatIsUsedAgainHasAnotherGeneration() throws IOException {
        Files.writeString(directory.resolve("a"), "content");
        Files.writeString(directory.resolve("b"), "content");
        long node = find("a");
        assertThat(attributes.generation()).isZero();
        nodes.forget(node, 1);
        assertThat(find("b")).isEqualTo(node);
        assertThat(attributes.generation()).isEqualTo(1);
        assertThat(find("b")).isEqualTo(node);
        assertThat(attributes.generation()).isEqualTo(1);
    }

    @Test
    void theRootIsNeverForgotten() {
        nodes.forget(ROOT, 100);
        assertThat(nodes.get(ROOT).id).isEqualTo(ROOT);
    }

    @Test
    void thereIsRoomForManyFiles() throws IOException {
        for (int i = 0; i < 3000; i++) {
            Files.createFile(directory.resolve("file" + i));
            find("file" + i);
        }
        for (int i = 0; i < 3000; i++) {
            long node = find("file" + i);
            assertThat(node).isEqualTo(i + 2);
            assertThat(nodes.get(node).lookups).isEqualTo(2);
        }
    }
}
