package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A handler that never answers, and a kernel that knows how long to wait. It takes half a minute. */
@Tag("it")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RequestTimeoutTest {
    @TempDir
    private Path mount;

    @Test
    void endsTheMount() throws IOException, InterruptedException {
        Requires.root();
        Requires.fuse();
        OneFileSystem deferring = new OneFileSystem();
        FuseOptions options = FuseOptions.DEFAULTS.withRequestTimeout(1);
        try (FuseServer server = FuseServer.mount(deferring, mount, options)) {
            boolean agreed = server.connection().features().contains(FuseFeature.REQUEST_TIMEOUT);
            Requires.kernel("time limits for FUSE requests, Linux 6.15 or later", agreed);
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> Files.readAllBytes(mount.resolve("file")));
            server.join();
            assertThat(deferring.waiting).isNotEmpty();
        }
    }
}
