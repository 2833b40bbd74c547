package io.chagres.fuse.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.FuseTransport;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** Names that change while they are used, and files that outlive theirs, through the kernel. */
@ParameterizedClass
@CsvSource({"PATHS, CLASSIC", "PATHS, IO_URING", "NIO, CLASSIC", "NIO, IO_URING"})
@Tag("it")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReplacedFilesTest {
    /** How often a name is used while it is replaced all the time. */
    private static final int USES = Share.count(10_000);

    private static final byte[] EVEN = "even".getBytes(StandardCharsets.UTF_8);
    private static final byte[] ODD = "odd: longer".getBytes(StandardCharsets.UTF_8);

    /** The mounted directory. */
    enum Kind {
        PATHS,
        NIO
    }

    private final Kind kind;
    private final FuseTransport transport;

    @TempDir
    private Path work;

    private Path mount;
    private Path file;
    private FuseServer server;

    ReplacedFilesTest(Kind kind, FuseTransport transport) {
        this.kind = kind;
        this.transport = transport;
    }

    @BeforeEach
    void mount() throws IOException {
        Requires.root();
        Requires.fuse();
        if (transport == FuseTransport.IO_URING) {
            Requires.fuseOverIoUring();
        }
        mount = Files.createDirectory(work.resolve("mount"));
        FuseFileSystem fileSystem = kind == Kind.PATHS
                ? new PathMemory().byNodes()
                : new NioFileSystem(Files.createDirectory(work.resolve("behind")), Clock.systemUTC(), 0);
        server = FuseServer.mount(fileSystem, mount, FuseOptions.DEFAULTS.withTransport(transport));
        file = mount.resolve("file");
        Files.write(file, EVEN);
    }

    @AfterEach
    void unmount() {
        if (server != null) {
            Program.run(List.of("umount", "--lazy", mount.toString()));
            server.close();
            assertThat(server.statistics().failures()).isZero();
        }
    }

    /** Something done to a name that is always there. */
    @FunctionalInterface
    private interface Use {
        void run() throws IOException;
    }

    private void whileReplaced(Use use) throws IOException, InterruptedException, ExecutionException {
        AtomicBoolean goingOn = new AtomicBoolean(true);
        try (ExecutorService writer = Executors.newSingleThreadExecutor()) {
            Future<Integer> replacing = writer.submit(() -> {
                int replaced = 0;
                while (goingOn.get()) {
                    Path next = Files.write(mount.resolve("next"), replaced % 2 == 0 ? ODD : EVEN);
                    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
                    replaced++;
                }
                return replaced;
            });
            try {
                for (int i = 0; i < USES && !replacing.isDone(); i++) {
                    use.run();
                }
            } finally {
                goingOn.set(false);
            }
            assertThat(replacing.get()).isPositive();
        }
    }

    @Test
    void aNameThatIsReplacedCanBeReadAlways() throws IOException, InterruptedException, ExecutionException {
        whileReplaced(() -> assertThat(Files.readAllBytes(file)).isIn(EVEN, ODD));
    }

    @Test
    void aNameThatIsReplacedIsThereAlways() throws IOException, InterruptedException, ExecutionException {
        whileReplaced(() -> assertThat(Files.size(file)).isIn((long) EVEN.length, (long) ODD.length));
    }

    @Test
    void aNameThatIsReplacedCanBeCutAlways() throws IOException, InterruptedException, ExecutionException {
        whileReplaced(() -> FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)
                .close());
    }

    @Test
    void whatIsOpenOutlivesItsName() throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            Files.delete(file);
            checkNameless(open);
        }
    }

    @Test
    void whatIsOpenOutlivesItsReplacement() throws IOException {
        Path next = Files.write(mount.resolve("next"), ODD);
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            checkNameless(open);
            assertThat(Files.readAllBytes(file)).isEqualTo(ODD);
        }
    }

    private static void checkNameless(RandomAccessFile open) throws IOException {
        assertThat(open.length()).isEqualTo(EVEN.length);
        byte[] read = new byte[EVEN.length];
        open.readFully(read);
        assertThat(read).isEqualTo(EVEN);
        open.write(ODD);
        assertThat(open.length()).isEqualTo(EVEN.length + ODD.length);
        open.setLength(3);
        assertThat(open.length()).isEqualTo(3);
    }
}
