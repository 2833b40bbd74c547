package io.chagres.fuse.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.FuseTransport;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A fault of a file system costs the request in which it shows, and no other, through the kernel. */
@Tag("it")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FaultyPathsTest {
    @TempDir
    private Path mount;

    private final Faulty fileSystem = new Faulty();
    private FuseServer server;

    /** Has a fault when told so. */
    private static final class Faulty extends PathMemory {
        private volatile boolean faulty;
        private volatile boolean implemented = true;

        private void fault() {
            if (faulty) {
                List.of().add(null);
            }
        }

        @Override
        public synchronized long open(String path, int flags) throws NoSuchFileException {
            fault();
            return super.open(path, flags);
        }

        @Override
        public synchronized long create(String path, int mode, int flags) {
            fault();
            return super.create(path, mode, flags);
        }

        @Override
        public void fsync(String path, long handle) throws IOException {
            fault();
            if (!implemented) {
                throw new NotImplementedException("fsync");
            }
        }
    }

    /** Work that may fail. */
    @FunctionalInterface
    private interface Use {
        void run() throws IOException;
    }

    @BeforeEach
    void mount() throws IOException {
        Requires.root();
        Requires.fuse();
        server = FuseServer.mount(
                fileSystem.byNodes(), mount, FuseOptions.DEFAULTS.withTransport(FuseTransport.CLASSIC));
    }

    @AfterEach
    void unmount() {
        if (server != null) {
            Program.run(List.of("umount", "--lazy", mount.toString()));
            server.close();
        }
    }

    private void failsOnce(Use use) throws IOException {
        fileSystem.faulty = true;
        assertThatExceptionOfType(IOException.class).isThrownBy(use::run).withMessageContaining("Input/output error");
        fileSystem.faulty = false;
        use.run();
        assertThat(server.statistics().failures()).isEqualTo(1);
    }

    @Test
    void aFaultInCreate() throws IOException {
        failsOnce(() -> new FileOutputStream(mount.resolve("new").toFile()).close());
    }

    @Test
    void aFaultInOpen() throws IOException {
        Files.createFile(mount.resolve("file"));
        failsOnce(() -> assertThat(Files.readAllBytes(mount.resolve("file"))).isEmpty());
    }

    @Test
    void aFaultInFsync() throws IOException {
        try (FileChannel open =
                FileChannel.open(mount.resolve("file"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            open.write(ByteBuffer.allocate(1));
            failsOnce(() -> open.force(false));
        }
    }

    @Test
    void whatIsNotImplementedIsNoFault() throws IOException {
        fileSystem.implemented = false;
        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> Files.createDirectory(mount.resolve("directory")))
                .withMessageContaining("Function not implemented");
        try (FileChannel open =
                FileChannel.open(mount.resolve("file"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            open.force(false);
            open.force(false);
        }
        assertThat(server.statistics().failures()).isZero();
        assertThat(server.statistics().requests()).containsEntry("fsync", 1L);
    }
}
