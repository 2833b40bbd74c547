package io.chagres.faultfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.testkit.Await;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
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

/** Cases beyond the model of {@link PowerLossModelTest}: attributes, and programs that use the mount meanwhile. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class PowerLossTest {
    private static final FileTime LONG_AGO = FileTime.from(Instant.ofEpochSecond(1_000_000_000));

    @TempDir
    private Path work;

    private Path backing;
    private Path mountPoint;
    private Path file;
    private FaultMount mount;

    @BeforeEach
    void mountIt() throws IOException {
        Requires.root();
        Requires.fuse();
        backing = Files.createDirectory(work.resolve("backing"));
        mountPoint = Files.createDirectory(work.resolve("mount"));
        Files.writeString(backing.resolve("file"), "before");
        mode("rw-------", backing.resolve("file"));
        mount = FaultMount.mount(backing, mountPoint, true, false);
        file = mountPoint.resolve("file");
    }

    @AfterEach
    void unmount() {
        if (mount != null) {
            mount.close();
        }
    }

    private static void mode(String permissions, Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private void sync(boolean attributesToo) throws IOException {
        try (FileChannel open = FileChannel.open(file, StandardOpenOption.WRITE)) {
            open.force(attributesToo);
        }
    }

    @Test
    void attributesAreSyncedWithTheFile() throws IOException {
        mode("rwxrwxrwx", file);
        Files.setLastModifiedTime(file, LONG_AGO);
        sync(true);
        mode("---------", file);
        Files.writeString(file, "after");
        sync(false);
        mount.powerCut();
        assertThat(mode(file)).isEqualTo("rwxrwxrwx");
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(LONG_AGO);
        assertThat(file).hasContent("after");
    }

    /** The flag of one write, see pwritev2(2), which the JDK does not have. */
    @Test
    void aSyncedWriteIsSafeAlone() throws IOException {
        Requires.tool("python3");
        Program.ok("python3", "-c", """
                import os, sys
                file = os.open(sys.argv[1], os.O_WRONLY)
                os.pwritev(file, [b"BE"], 0, os.RWF_DSYNC)
                os.pwritev(file, [b"FO"], 2, 0)
                """, file.toString());
        assertThat(file).hasContent("BEFOre");
        mount.powerCut();
        assertThat(file).hasContent("BEfore");
    }

    @Test
    void whatWasMadeAndRemovedSinceLeavesNothing() throws IOException {
        Path made = mountPoint.resolve("made");
        try (FileChannel open = FileChannel.open(made, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            open.write(ByteBuffer.wrap(new byte[100]));
            open.force(true);
            Files.delete(made);
        }
        mount.powerCut();
        assertThat(made).doesNotExist();
        assertThat(file).hasContent("before");
    }

    @Test
    void inodeNumbersStay() throws IOException {
        Object before = Files.getAttribute(file, "unix:ino");
        Files.delete(file);
        Files.writeString(file, "another");
        mount.powerCut();
        assertThat(file).hasContent("before");
        assertThat(Files.getAttribute(file, "unix:ino")).isEqualTo(before);
        assertThat(Files.getAttribute(file, "unix:nlink")).isEqualTo(1);
    }

    @Test
    void aRemovalThatIsRefusedChangesNothing() throws IOException {
        Path directory = Files.createDirectory(mountPoint.resolve("directory"));
        Files.createFile(directory.resolve("in it"));
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> Files.delete(directory));
        mount.faults().on("unlink").error(io.chagres.foreign.Errno.EACCES);
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> Files.delete(file));
        assertThat(Files.getAttribute(file, "unix:nlink")).isEqualTo(1);
        assertThat(directory.resolve("in it")).exists();
    }

    @Test
    void whoHasItOpenGetsErrors() throws IOException {
        FileChannel open = FileChannel.open(file, StandardOpenOption.WRITE);
        open.write(ByteBuffer.wrap(new byte[100]));
        mount.powerCut();
        assertThat(fails(() -> open.write(ByteBuffer.wrap(new byte[100])))).isTrue();
        assertThat(fails(open::close)).isTrue();
        assertThat(file).hasContent("before");
    }

    @Test
    void waitersAreAnsweredAndFaultsStay() throws IOException, InterruptedException, ExecutionException {
        FileFault fault = mount.faults().on("write").delay(Duration.ofHours(1));
        try (ExecutorService users = Executors.newSingleThreadExecutor()) {
            Future<Boolean> writer = users.submit(() -> fails(() -> Files.writeString(file, "after")));
            Await.until("it waits", () -> fault.met() == 1);
            mount.powerCut();
            assertThat(writer.get()).isTrue();
            assertThat(file).hasContent("before");
            Future<Boolean> another = users.submit(() -> fails(() -> Files.writeString(file, "after")));
            Await.until("it waits", () -> fault.met() == 2);
            mount.faults().heal();
            assertThat(another.get()).isFalse();
        }
        assertThat(file).hasContent("after");
    }

    @FunctionalInterface
    private interface Action {
        void run() throws IOException;
    }

    private static boolean fails(Action action) {
        try {
            action.run();
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void refusesWhereItCannot() throws IOException {
        mount.close();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(mount::powerCut)
                .withMessageContaining("with power loss");
        try (Mounted root = Mounted.tmpfs(work.resolve("root"), "size=1m")) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> FaultMount.mount(root.directory(), mountPoint, true, false))
                    .withMessageContaining("root of a file system");
        }
    }
}
