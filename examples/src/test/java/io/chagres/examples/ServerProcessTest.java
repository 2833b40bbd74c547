package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.FuseTransport;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that dies, and one of an ordinary user. */
@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class ServerProcessTest {
    private static final int NOBODY = 65534;
    private static final List<String> AS_NOBODY =
            List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");

    @TempDir
    private Path work;

    private Path mountPoint;

    @BeforeEach
    void prepare() throws IOException {
        Requires.root();
        Requires.fuse();
        Files.setPosixFilePermissions(work, PosixFilePermissions.fromString("rwxr-xr-x"));
        mountPoint = Files.createDirectory(work.resolve("mounted"));
    }

    @AfterEach
    void detach() {
        if (mountPoint != null) {
            Program.run(List.of("umount", "--lazy", mountPoint.toString()));
        }
    }

    @Test
    void servesAnOrdinaryUser() throws IOException, InterruptedException {
        Requires.fuseForEverybody();
        Files.setAttribute(mountPoint, "unix:uid", NOBODY);
        try (ServerProcess server = ServerProcess.start(work, mountPoint, AS_NOBODY)) {
            List<String> cat = new ArrayList<>(AS_NOBODY);
            cat.addAll(List.of("cat", mountPoint.resolve("hello").toString()));
            assertThat(Program.ok(cat.toArray(String[]::new))).isEqualTo("Hello, world!\n");
            // Others, even the superuser, see nothing without allowOther.
            assertThat(Program.run(List.of("ls", mountPoint.toString())).err()).contains("Permission denied");
            server.terminate();
            assertThat(ServerProcess.isMounted(mountPoint)).isFalse();
        }
    }

    @Test
    void unmountsWhenItIsToldToEnd() throws IOException, InterruptedException {
        try (ServerProcess server = ServerProcess.start(work, mountPoint, List.of())) {
            assertThat(Files.readString(mountPoint.resolve("hello"))).isEqualTo("Hello, world!\n");
            server.terminate();
            assertThat(ServerProcess.isMounted(mountPoint)).isFalse();
        }
    }

    @Test
    void leavesAMountThatTheNextRepairs() throws IOException {
        try (ServerProcess server = ServerProcess.start(work, mountPoint, List.of())) {
            assertThat(Files.readString(mountPoint.resolve("hello"))).isEqualTo("Hello, world!\n");
            server.kill();
            assertThat(ServerProcess.isMounted(mountPoint)).isTrue();
            // Over io_uring the kernel may still be at clearing the server away, and cancels what its ring held.
            assertThat(Program.run(List.of("ls", mountPoint.toString())).err())
                    .containsAnyOf("not connected", "connection abort", "canceled");
        }
        try (FuseServer next = FuseServer.mount(new HelloFs().byNodes(), mountPoint, FuseOptions.DEFAULTS)) {
            assertThat(Files.readString(mountPoint.resolve("hello"))).isEqualTo("Hello, world!\n");
            assertThat(next.statistics().failures()).isZero();
        }
    }

    @Test
    void doesNotMountWithQueuesThatFail() throws IOException, InterruptedException {
        try (ServerProcess server = launchWithFailingQueues("EIO:when=1+")) {
            assertThat(server.await()).isEqualTo(1);
            assertThat(ServerProcess.isMounted(mountPoint)).isFalse();
            assertThat(server.output()).containsOnlyOnce("is unmounted").contains("start FUSE over io_uring");
        }
    }

    @Test
    void endsWithOneLineWhenAQueueFailsLater() throws IOException, InterruptedException {
        try (ServerProcess server = launchWithFailingQueues("EIO:when=8+")) {
            Await.until("it is mounted", () -> ServerProcess.isMounted(mountPoint));
            String use = "while stat " + mountPoint + "/none 2>&1 | grep -q 'No such'; do :; done";
            Program.ok("timeout", "60", "sh", "-c", "cd / && " + use);
            assertThat(server.await()).isZero();
            assertThat(ServerProcess.isMounted(mountPoint)).isFalse();
            assertThat(server.output()).containsOnlyOnce("is unmounted").contains("io_uring_enter");
        }
    }

    private ServerProcess launchWithFailingQueues(String errors) throws IOException {
        Requires.fuseOverIoUring();
        Requires.tool("strace");
        List<String> strace = new ArrayList<>(List.of("strace", "-f", "--seccomp-bpf", "-o"));
        strace.addAll(List.of(work.resolve("trace").toString(), "-e", "trace=io_uring_enter"));
        strace.addAll(List.of("-e", "inject=io_uring_enter:error=" + errors));
        return ServerProcess.launch(work, strace, TestServer.program(FuseTransport.AUTO, mountPoint, "memory"));
    }
}
