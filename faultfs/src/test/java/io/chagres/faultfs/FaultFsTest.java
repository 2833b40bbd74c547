package io.chagres.faultfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.path.NioFileSystem;
import io.chagres.linux.Fd;
import io.chagres.linux.FileHandle;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
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

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class FaultFsTest {
    @TempDir
    private Path work;

    private Path behind;
    private Path mount;
    private Path file;
    private FaultFs faults;
    private FuseServer server;

    @BeforeEach
    void mountIt() throws IOException {
        Requires.root();
        Requires.fuse();
        behind = Files.createDirectory(work.resolve("behind"));
        mount = Files.createDirectory(work.resolve("mount"));
        file = mount.resolve("file");
        mountAgain();
        Files.writeString(file, "0123456789");
    }

    private void mountAgain() throws IOException {
        NioFileSystem files = new NioFileSystem(behind, Clock.systemUTC(), 0);
        faults = new FaultFs(files, files::pathOf);
        server = FuseServer.mount(faults, mount, FaultFs.options(files.options()));
    }

    @AfterEach
    void unmount() {
        if (server != null) {
            Program.run(List.of("umount", "--lazy", mount.toString()));
            faults.heal();
            server.close();
            assertThat(server.statistics().failures()).isZero();
        }
    }

    private String errors(String command) {
        return Program.run(List.of("sh", "-c", "cd " + mount + " && " + command))
                .err();
    }

    @Test
    void failsWhatIsAskedFor() throws IOException {
        FileFault fault = faults.on("read").path("/fi*").after(1).next(2).error(Errno.EIO);
        Files.writeString(mount.resolve("other"), "other");
        assertThat(mount.resolve("other")).hasContent("other");
        assertThat(fault.met()).isZero();
        try (FileChannel open = FileChannel.open(file)) {
            assertThat(open.read(ByteBuffer.allocate(4))).isEqualTo(4);
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(IOException.class)
                        .isThrownBy(() -> open.read(ByteBuffer.allocate(4)))
                        .withMessage("Input/output error");
            }
            assertThat(open.read(ByteBuffer.allocate(4))).isEqualTo(4);
        }
        assertThat(fault.met()).isEqualTo(2);
    }

    @Test
    void refusesToWrite() throws IOException {
        faults.on("write", "create").path("/**").error(Errno.ENOSPC);
        assertThat(errors("head -c 4 /dev/zero >> file")).contains("No space left on device");
        assertThat(errors("echo more > new")).contains("annot create");
        faults.heal();
        faults.on("fsync").error(Errno.EDQUOT);
        assertThat(errors("dd if=/dev/zero of=file bs=4 count=1 conv=fsync")).contains("Disk quota exceeded");
        faults.heal();
        assertThat(errors("sync file")).isEmpty();
    }

    @Test
    void losesHandles() throws IOException {
        try (FileChannel open = FileChannel.open(file)) {
            faults.on("read", "getattr").path("/file").error(Errno.ESTALE);
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> open.read(ByteBuffer.allocate(4)))
                    .withMessage("Stale file handle");
        }
        faults.on("rename").path("/new").next(1).error(Errno.ESTALE);
        assertThat(errors("mv file new")).isEmpty(); // the kernel tries again by itself, once
        assertThat(mount.resolve("new")).exists();
    }

    @Test
    void readsShort() throws IOException {
        FileFault fault = faults.on("read").shorten(3);
        try (FileChannel open = FileChannel.open(file)) {
            assertThat(open.read(ByteBuffer.allocate(10))).isEqualTo(3);
            assertThat(open.read(ByteBuffer.allocate(10))).isEqualTo(3);
        }
        assertThat(Program.ok("cat", file.toString())).isEqualTo("0123456789");
        fault.remove();
        assertThat(file).hasContent("0123456789");
    }

    @Test
    void waitsUntilItIsHealed() throws IOException, InterruptedException, ExecutionException {
        FileFault fault = faults.on("read").next(1).delay(Duration.ofHours(1));
        try (ExecutorService users = Executors.newSingleThreadExecutor()) {
            Future<String> reader = users.submit(() -> Files.readString(file));
            Await.until("it waits", () -> fault.met() == 1);
            assertThat(Files.readString(file)).isEqualTo("0123456789");
            assertThat(reader).isNotDone();
            faults.heal();
            assertThat(reader.get()).isEqualTo("0123456789");
        }
    }

    @Test
    void failsAtRandom() throws IOException {
        FileFault fault =
                faults.on("getattr", "lookup").share(0.5, new Random(1)).error(Errno.EIO);
        for (int i = 0; i < 100; i++) {
            Files.exists(file);
        }
        assertThat(fault.met()).isBetween(20, 180);
    }

    @Test
    void knowsItsOperations() {
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> faults.on("red"));
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> faults.on());
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> faults.on("read").shorten(0));
    }

    /** Programs that follow files tell them apart by handle and number, also after the server was started again. */
    @Test
    void keepsIdentities() throws IOException {
        List<Long> first = identity();
        server.close();
        mountAgain();
        assertThat(identity()).isEqualTo(first);
        Files.delete(file);
        Files.writeString(file, "another");
        assertThat(identity()).isNotEqualTo(first);
    }

    private List<Long> identity() throws ErrnoException {
        try (Fd fd = Fd.open(Pathname.of(file.toString()), Fd.O_RDONLY, 0);
                FileHandle handle = new FileHandle();
                Statx statx = new Statx()) {
            assertThat(handle.of(fd.value())).isZero();
            assertThat(statx.of(fd.value())).isZero();
            return List.of(statx.ino(), handle.generation());
        }
    }
}
