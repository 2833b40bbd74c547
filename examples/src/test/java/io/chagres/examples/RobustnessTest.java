package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.FuseTransport;
import io.chagres.fuse.loopback.LoopbackFileSystem;
import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Things that go wrong around a server, or are larger or narrower than usual, over both transports. */
@ParameterizedClass
@EnumSource(
        value = FuseTransport.class,
        names = {"CLASSIC", "IO_URING"})
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class RobustnessTest {
    private static final int NOBODY = 65534;
    private static final List<String> AS_NOBODY =
            List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");
    private static final int MANY = 100_000;

    @TempDir
    private Path work;

    @Parameter
    FuseTransport transport;

    private Path mountPoint;

    @BeforeEach
    void prepare() throws IOException {
        Requires.root();
        Requires.fuse();
        if (transport == FuseTransport.IO_URING) {
            Requires.fuseOverIoUring();
        }
        Files.setPosixFilePermissions(work, PosixFilePermissions.fromString("rwxr-xr-x"));
        mountPoint = Files.createDirectory(work.resolve("mounted"));
    }

    @AfterEach
    void detach() {
        if (mountPoint != null) {
            Program.run(List.of("umount", "--lazy", mountPoint.toString()));
        }
    }

    private ServerProcess start(String kind, String... prefix) throws IOException {
        return ServerProcess.start(work, mountPoint, List.of(prefix), TestServer.program(transport, mountPoint, kind));
    }

    /** Starts a reader whose request the handler never answers. */
    private Process startHangingReader(ServerProcess server) throws IOException {
        Process reader = new ProcessBuilder("cat", mountPoint.resolve("file").toString())
                .redirectError(work.resolve("reader").toFile())
                .start();
        Await.until("the handler hangs", () -> server.output().contains(TestServer.HANGS));
        return reader;
    }

    private void endsWithAnError(Process reader) throws IOException, InterruptedException {
        assertThat(reader.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(reader.exitValue()).isEqualTo(1);
        assertThat(Files.readString(work.resolve("reader"))).containsAnyOf("not connected", "connection abort");
    }

    @Test
    void leavesNobodyStuckWhenItIsKilled() throws IOException, InterruptedException {
        try (ServerProcess server = start("hanging")) {
            Process reader = startHangingReader(server);
            server.kill();
            endsWithAnError(reader);
        }
        try (FuseServer next = FuseServer.mount(new HelloFs().byNodes(), mountPoint, FuseOptions.DEFAULTS)) {
            assertThat(mountPoint.resolve("hello")).hasContent("Hello, world!");
            assertThat(next.statistics().failures()).isZero();
        }
    }

    @Test
    void endsWhenItIsToldToThoughAHandlerHangs() throws IOException, InterruptedException {
        try (ServerProcess server = start("hanging")) {
            Process reader = startHangingReader(server);
            server.terminate();
            assertThat(ServerProcess.isMounted(mountPoint)).isFalse();
            endsWithAnError(reader);
        }
    }

    @Test
    void servesOthersWhileAHandlerHangs() throws IOException, InterruptedException {
        Requires.tool("taskset");
        // Over io_uring a handler that hangs holds up its processor.
        Requires.kernel("a second processor", Runtime.getRuntime().availableProcessors() > 1);
        try (ServerProcess server = start("hanging", "taskset", "-c", "0")) {
            String otherCpu = String.valueOf(Runtime.getRuntime().availableProcessors() - 1);
            Process reader = new ProcessBuilder(
                            "taskset",
                            "-c",
                            "0",
                            "cat",
                            mountPoint.resolve("file").toString())
                    .redirectError(work.resolve("reader").toFile())
                    .start();
            Await.until("the handler hangs", () -> server.output().contains(TestServer.HANGS));
            assertThat(Program.ok("taskset", "-c", otherCpu, "stat", "-c", "%s", mountPoint + "/file"))
                    .isEqualTo("4096\n");
            server.kill();
            endsWithAnError(reader);
        }
    }

    @Test
    void servesFromOneProcessor() throws IOException, InterruptedException {
        Requires.tool("taskset");
        try (ServerProcess server = start("memory", "taskset", "-c", "0")) {
            for (int cpu = 0; cpu < Runtime.getRuntime().availableProcessors(); cpu++) {
                Path own = Files.createDirectory(mountPoint.resolve("cpu" + cpu));
                String script = "cd " + own + " && seq 100000 > numbers && cp numbers copy && cmp numbers copy"
                        + " && ls -l && rm numbers && wc -l < copy";
                assertThat(Program.ok("taskset", "-c", String.valueOf(cpu), "sh", "-c", script))
                        .endsWith("\n100000\n");
            }
            server.terminate();
            assertThat(ServerProcess.isMounted(mountPoint)).isFalse();
        }
    }

    @Test
    void belongsToAnOrdinaryUser() throws IOException, InterruptedException {
        Requires.fuseForEverybody();
        Files.setAttribute(mountPoint, "unix:uid", NOBODY);
        String[] nobody = AS_NOBODY.toArray(String[]::new);
        try (ServerProcess server = start("memory", nobody)) {
            assertThat(asNobody("echo text > file && mkdir made && mv file made && stat -c %u made && cat made/file"))
                    .isEqualTo(NOBODY + "\ntext\n");
            server.kill();
            assertThat(ServerProcess.isMounted(mountPoint)).isTrue();
        }
        try (ServerProcess next = launchOver(nobody)) {
            Await.until("the dead mount is replaced", () -> next.output().contains("dead mount"));
            Await.until("it is mounted", () -> ServerProcess.isMounted(mountPoint));
            assertThat(asNobody("ls -A && echo new > file && cat file")).isEqualTo("new\n");
            next.terminate();
            assertThat(ServerProcess.isMounted(mountPoint)).isFalse();
        }
    }

    @Test
    void mirrorsForAnOrdinaryUser() throws IOException, InterruptedException {
        Requires.fuseForEverybody();
        Path below = Files.createDirectory(work.resolve("below"));
        Files.setAttribute(mountPoint, "unix:uid", NOBODY);
        Files.setAttribute(below, "unix:uid", NOBODY);
        List<String> program = TestServer.program(transport, mountPoint, "mirror", below.toString());
        try (ServerProcess server = ServerProcess.start(work, mountPoint, AS_NOBODY, program)) {
            String use = "umask 27 && seq 50000 > file && mkdir made && mv file made && cmp made/file made/file"
                    + " && ln made/file hard && echo more >> hard && flock hard tail -n 1 made/file && stat -c %a made";
            assertThat(asNobody(use)).isEqualTo("more\n750\n");
            assertThat(Files.getAttribute(below.resolve("hard"), "unix:uid")).isEqualTo(NOBODY);
            server.terminate();
            assertThat(ServerProcess.isMounted(mountPoint)).isFalse();
        }
    }

    private ServerProcess launchOver(String... prefix) throws IOException {
        return ServerProcess.launch(work, List.of(prefix), TestServer.program(transport, mountPoint, "memory"));
    }

    private List<String> asNobodyCommand(String script) {
        List<String> command = new ArrayList<>(AS_NOBODY);
        command.addAll(List.of("sh", "-c", "cd " + mountPoint + " && " + script));
        return command;
    }

    private String asNobody(String script) {
        return Program.ok(asNobodyCommand(script).toArray(String[]::new));
    }

    @Test
    void keepsDirectoriesOfManyNames() throws IOException {
        FuseOptions options = MemoryFs.OPTIONS.withTransport(transport);
        try (FuseServer server = FuseServer.mount(new MemoryFs(Clock.systemUTC()), mountPoint, options)) {
            makeMany(mountPoint);
            assertThat(listed()).hasSize(MANY);
            assertThat(Program.ok("sh", "-c", "ls " + mountPoint + " | wc -l").strip())
                    .isEqualTo(String.valueOf(MANY));
            assertThat(server.statistics().failures()).isZero();
        }
    }

    @Test
    void mirrorsDirectoriesOfManyNames() throws IOException {
        Path below = Files.createDirectory(work.resolve("below"));
        FuseOptions options = LoopbackFileSystem.OPTIONS.withTransport(transport);
        try (Mounted tmpfs = Mounted.tmpfs(below, "nr_inodes=0")) {
            makeMany(tmpfs.directory());
            LoopbackFileSystem mirror = new LoopbackFileSystem(Pathname.of(below.toString()), 0);
            try (FuseServer server = FuseServer.mount(mirror, mountPoint, options)) {
                assertThat(listed()).hasSize(MANY);
                assertThat(server.statistics().failures()).isZero();
            }
        }
    }

    private static void makeMany(Path in) throws IOException {
        try (Directory directory = Directory.open(Pathname.of(in.toString()))) {
            for (int i = 0; i < MANY; i++) {
                directory.mkfifo(Pathname.of("name" + i), 0600);
            }
        }
    }

    private TreeSet<Pathname> listed() throws IOException {
        TreeSet<Pathname> names = new TreeSet<>();
        try (Directory directory = Directory.open(Pathname.of(mountPoint.toString()))) {
            while (directory.next()) {
                assertThat(names.add(directory.name())).as("listed once").isTrue();
            }
        }
        return names;
    }
}
