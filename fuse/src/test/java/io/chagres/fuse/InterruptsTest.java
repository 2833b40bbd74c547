package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.fuse.path.PathFileSystem;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A signal to a caller interrupts the thread that works for him, and no other. */
@ParameterizedClass
@EnumSource(
        value = FuseTransport.class,
        names = {"CLASSIC", "IO_URING"})
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class InterruptsTest {
    private static final int CALLERS = 20;

    private final FuseTransport transport;
    private final FuseOptions options;

    @TempDir
    private Path directory;

    /** Reading what hangs never ends by itself; reading the other file tells in which state its thread was. */
    private static final class Hanging implements PathFileSystem {
        private final AtomicInteger interrupted = new AtomicInteger();
        private final AtomicInteger dirty = new AtomicInteger();
        private volatile CountDownLatch begun = new CountDownLatch(1);
        private volatile boolean unchecked;

        @Override
        public void getattr(String path, Attributes attributes) throws IOException {
            switch (path) {
                case "/" -> attributes.directory(0755);
                case "/hangs", "/file" -> attributes.file(0644, 1);
                default -> throw new NoSuchFileException(path);
            }
        }

        @Override
        public List<String> readdir(String path) {
            return List.of("hangs", "file");
        }

        @Override
        public void read(String path, long handle, ByteBuffer buffer, long position) throws IOException {
            dirty.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
            if (path.equals("/hangs")) {
                begun.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    interrupted.incrementAndGet();
                    InterruptedIOException asked = new InterruptedIOException("by the caller");
                    if (unchecked) {
                        throw new UncheckedIOException(asked);
                    }
                    throw asked;
                }
            }
            if (position == 0) {
                buffer.put((byte) 'x');
            }
        }
    }

    private final Hanging fileSystem = new Hanging();

    InterruptsTest(FuseTransport transport) {
        this.transport = transport;
        // reads ahead are the kernel's own requests: no signal to a caller interrupts them
        options = FuseOptions.DEFAULTS
                .withTransport(transport)
                .withInterrupts(true)
                .with(FuseFeature.DIRECT_IO);
    }

    @BeforeEach
    void check() {
        Requires.root();
        Requires.fuse();
        if (transport == FuseTransport.IO_URING) {
            Requires.fuseOverIoUring();
        }
    }

    @AfterEach
    void detach() {
        Program.run(List.of("umount", "--lazy", directory.toString()));
    }

    private void aSignalEndsTheRequest(FuseOptions with) throws IOException, InterruptedException {
        try (FuseServer server = FuseServer.mount(fileSystem.byNodes(), directory, with)) {
            for (int i = 1; i <= CALLERS; i++) {
                fileSystem.begun = new CountDownLatch(1);
                fileSystem.unchecked = i % 2 == 0;
                Process caller =
                        new ProcessBuilder("cat", directory.resolve("hangs").toString()).start();
                fileSystem.begun.await();
                caller.destroy();
                caller.waitFor();
                assertThat(fileSystem.interrupted).hasValue(i);
                assertThat(Files.readString(directory.resolve("file"))).isEqualTo("x");
            }
            assertThat(fileSystem.dirty).hasValue(0);
            assertThat(server.statistics().failures()).isZero();
        }
    }

    @Test
    void aSignalEndsWhatAVirtualThreadWaitsFor() throws IOException, InterruptedException {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            aSignalEndsTheRequest(options.withHandlers(threads));
        }
    }

    /** Interrupts come over the device, so a thread that reads it must be free: over io_uring there is one always. */
    @Test
    void aSignalEndsWhatAReadingThreadWaitsFor() throws IOException, InterruptedException {
        aSignalEndsTheRequest(options);
    }
}
