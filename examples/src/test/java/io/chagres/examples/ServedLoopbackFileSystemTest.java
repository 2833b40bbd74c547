package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseOptions;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** The same where the server reads and writes. */
class ServedLoopbackFileSystemTest extends LoopbackFileSystemTest {
    @Override
    FuseOptions options() {
        return super.options().without(FuseFeature.PASSTHROUGH);
    }

    @Override
    @Test
    void movesContent() throws IOException {
        Files.writeString(directory.resolve("file"), "content");
        assertThat(directory.resolve("file")).hasContent("content");
        assertThat(server.statistics().requests()).containsKeys("read", "write");
    }
}
