package io.chagres.fuse.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.fuse.Attributes;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.FuseTransport;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Methods that take long hold up the callers that mean the same file, and no others. */
@Tag("it")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SlowPathsTest {
    @TempDir
    private Path mount;

    private final Slow fileSystem = new Slow();
    private FuseServer server;

    /** Looks at one file only when it may continue. */
    private static final class Slow extends PathMemory {
        private final CountDownLatch looks = new CountDownLatch(1);
        private final CountDownLatch goesOn = new CountDownLatch(1);
        private volatile boolean slow;
        private volatile boolean looking;
        private volatile boolean releasedMeanwhile;

        private void look() {
            if (slow) {
                slow = false;
                looking = true;
                looks.countDown();
                try {
                    goesOn.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                looking = false;
            }
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the monitor is for what is quick
        public void getattr(String path, Attributes attributes) throws NoSuchFileException {
            if (path.equals("/slow")) {
                look();
            }
            super.getattr(path, attributes);
        }

        @Override
        public void fgetattr(String path, long handle, Attributes attributes) throws IOException {
            look();
            super.fgetattr(path, handle, attributes);
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // as above
        public void release(String path, long handle) {
            releasedMeanwhile |= looking;
            super.release(path, handle);
        }
    }

    @BeforeEach
    void mount() throws IOException {
        Requires.root();
        Requires.fuse();
        FuseOptions options = FuseOptions.DEFAULTS.withThreads(4).withTransport(FuseTransport.CLASSIC);
        server = FuseServer.mount(fileSystem.byNodes(), mount, options);
    }

    @AfterEach
    void unmount() {
        fileSystem.goesOn.countDown();
        if (server != null) {
            Program.run(List.of("umount", "--lazy", mount.toString()));
            server.close();
            assertThat(server.statistics().failures()).isZero();
        }
    }

    @Test
    void othersAreMovedAndRemovedMeanwhile() throws IOException, InterruptedException, ExecutionException {
        Path slow = Files.writeString(mount.resolve("slow"), "slow");
        Path file = Files.writeString(mount.resolve("file"), "file");
        try (ExecutorService one = Executors.newSingleThreadExecutor()) {
            fileSystem.slow = true;
            Future<Long> size = one.submit(() -> Files.size(slow));
            fileSystem.looks.await();
            Path moved = Files.move(file, mount.resolve("moved"), StandardCopyOption.ATOMIC_MOVE);
            assertThat(moved).hasContent("file");
            Files.delete(moved);
            assertThat(size.isDone()).isFalse();
            fileSystem.goesOn.countDown();
            assertThat(size.get()).isEqualTo(4);
        }
    }

    /** A caller that looks at a file without a name uses the handle of another, who must not lose it then. */
    @Test
    void aHandleStaysWhileSomebodyLooksByIt() throws IOException, InterruptedException, ExecutionException {
        Path file = Files.writeString(mount.resolve("file"), "four");
        RandomAccessFile oldest = new RandomAccessFile(file.toFile(), "rw");
        try (RandomAccessFile later = new RandomAccessFile(file.toFile(), "rw");
                ExecutorService one = Executors.newSingleThreadExecutor()) {
            Files.delete(file);
            fileSystem.slow = true;
            Future<Long> size = one.submit(later::length);
            fileSystem.looks.await();
            oldest.close();
            Await.until("the release waits", SlowPathsTest::somebodyWaitsForANode);
            fileSystem.goesOn.countDown();
            assertThat(size.get()).isEqualTo(4);
            later.write(1); // the handle that is left
            assertThat(later.length()).isEqualTo(4);
        }
        assertThat(fileSystem.releasedMeanwhile).isFalse();
    }

    private static boolean somebodyWaitsForANode() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Arrays::stream)
                .anyMatch(frame -> frame.getClassName().equals(HeldNames.class.getName())
                        && frame.getMethodName().equals("useAlone"));
    }
}
