package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.fuse.OneFileSystem.Waiting;
import io.chagres.linux.Epoll;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Both ways to the kernel must do the same: deferred answers, interrupts, the end. */
@ParameterizedClass
@EnumSource(
        value = FuseTransport.class,
        names = {"CLASSIC", "IO_URING"})
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class TransportTest {
    private static final int READERS = 20;
    private static final int REQUESTS_A_ROUND = 200;

    private final FuseTransport transport;
    private final OneFileSystem fileSystem = new OneFileSystem();

    @TempDir
    private Path directory;

    private FuseServer server;
    private Path file;

    TransportTest(FuseTransport transport) {
        this.transport = transport;
    }

    @BeforeEach
    void mount() throws IOException {
        Requires.root();
        Requires.fuse();
        if (transport == FuseTransport.IO_URING) {
            Requires.fuseOverIoUring();
        }
        file = directory.resolve("file");
        FuseOptions options = FuseOptions.DEFAULTS.withSubtype("chagrestest").withTransport(transport);
        server = FuseServer.mount(fileSystem, directory, options);
    }

    @AfterEach
    void detach() {
        if (server != null) {
            Program.run(List.of("umount", "--lazy", directory.toString()));
            answerAll();
            server.close();
            assertThat(server.statistics().failures()).isZero();
            assertThat(server.statistics().refused()).isZero();
        }
    }

    private void answerAll() {
        fileSystem.deferring = false;
        for (Waiting one = fileSystem.waiting.poll(); one != null; one = fileSystem.waiting.poll()) {
            one.reply().data(OneFileSystem.NAME, 0, OneFileSystem.NAME.length);
        }
    }

    @Test
    void isTheOneWanted() {
        assertThat(server.connection().transport()).isEqualTo(transport);
        assertThat(server.statistics().transport()).isEqualTo(transport);
    }

    @Test
    void answersFromAnotherThread() throws IOException, InterruptedException, ExecutionException {
        try (ExecutorService readers = Executors.newFixedThreadPool(READERS)) {
            List<Future<String>> contents = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                contents.add(readers.submit(() -> Files.readString(file)));
            }
            Await.until("all wait at once", () -> fileSystem.waiting.size() == READERS);
            answerAll();
            for (Future<String> content : contents) {
                assertThat(content.get()).startsWith("file");
            }
        }
    }

    @Test
    void answersWhileItDefers() throws IOException, InterruptedException, ExecutionException {
        try (ExecutorService reader = Executors.newSingleThreadExecutor()) {
            Future<String> content = reader.submit(() -> Files.readString(file));
            Await.until("one waits", () -> !fileSystem.waiting.isEmpty());
            assertThat(Files.size(file)).isEqualTo(4096);
            answerAll();
            assertThat(content.get()).startsWith("file");
        }
    }

    @Test
    void tellsThatACallerGotASignal() throws IOException, InterruptedException {
        Process reader = new ProcessBuilder("cat", file.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Await.until("it waits", () -> !fileSystem.waiting.isEmpty());
        Waiting one = fileSystem.waiting.remove();
        assertThat(one.request().interrupted()).isFalse();
        reader.destroy();
        Await.until("it is interrupted", () -> one.request().interrupted() && !fileSystem.interrupted.isEmpty());
        assertThat(fileSystem.interrupted).containsExactly(one.unique());
        one.reply().error(Errno.EINTR);
        assertThat(reader.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void endsWithAnswersOutstanding() throws IOException, InterruptedException {
        try (ExecutorService reader = Executors.newSingleThreadExecutor()) {
            Future<String> content = reader.submit(() -> Files.readString(file));
            Await.until("one waits", () -> !fileSystem.waiting.isEmpty());
            server.close();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(content::get)
                    .withCauseInstanceOf(IOException.class);
            assertThat(directory).isEmptyDirectory();
            answerAll();
        }
    }

    @Test
    void passesLargeAttributes() throws IOException {
        byte[] value = new byte[1 << 16];
        new Random(3).nextBytes(value);
        UserDefinedFileAttributeView view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        view.write("large", ByteBuffer.wrap(value));
        assertThat(fileSystem.attribute).isEqualTo(value);
        ByteBuffer got = ByteBuffer.allocate(view.size("large"));
        view.read("large", got);
        assertThat(got.array()).isEqualTo(value);
    }

    @Test
    void retrievesWhatTheKernelHas() throws IOException {
        fileSystem.deferring = false;
        fileSystem.openFlags = OpenReply.KEEP_CACHE;
        assertThat(Files.readString(file)).startsWith("file");
        Queue<String> got = new ConcurrentLinkedQueue<>();
        int result = server.notifier()
                .retrieve(
                        OneFileSystem.NODE,
                        1,
                        3,
                        (position, data) -> got.add(position + new String(data.bytes(), StandardCharsets.UTF_8)));
        assertThat(result).isZero();
        Await.until("it comes", () -> !got.isEmpty());
        assertThat(got).containsExactly("1ile");
        assertThat(Files.size(file)).isEqualTo(4096);
    }

    @Test
    void wakesUpWhoPolls() throws IOException {
        try (Epoll epoll = Epoll.open();
                Fd open = Fd.open(Pathname.of(file.toString()), Fd.O_RDWR, 0)) {
            epoll.add(open.value(), Epoll.EPOLLIN, 5);
            assertThat(epoll.waitFor(0)).isZero();
            Await.until("somebody wants to be woken up", () -> fileSystem.wakeUp != 0);
            fileSystem.ready = Epoll.EPOLLIN;
            assertThat(server.notifier().pollWakeUp(fileSystem.wakeUp)).isZero();
            assertThat(epoll.waitFor(30_000)).isEqualTo(1);
            assertThat(epoll.data(0)).isEqualTo(5);
        }
    }

    @Test
    void passesIoctlsOn() throws IOException {
        long bothWays = 0xc0087805L;
        try (Arena arena = Arena.ofConfined();
                Fd open = Fd.open(Pathname.of(file.toString()), Fd.O_RDWR, 0)) {
            MemorySegment argument = arena.allocateFrom(ValueLayout.JAVA_LONG, 0x0102030405060708L);
            assertThat(open.tryIoctl(bothWays, argument)).isEqualTo(5);
            assertThat(argument.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(~0x0102030405060708L);
        }
    }

    @Test
    void storesInTheCache() throws IOException {
        fileSystem.deferring = false;
        fileSystem.openFlags = OpenReply.KEEP_CACHE;
        try (Arena arena = Arena.ofConfined();
                Fd open = Fd.open(Pathname.of(file.toString()), Fd.O_RDONLY, 0)) {
            MemorySegment page = arena.allocate(4096).fill((byte) 's');
            assertThat(server.notifier().store(OneFileSystem.NODE, 0, page, 0, 4096))
                    .isZero();
            page.fill((byte) 0);
            assertThat(open.pread(page, 0, 4096, 0)).isEqualTo(4096);
            assertThat(page.get(ValueLayout.JAVA_BYTE, 4095)).isEqualTo((byte) 's');
            assertThat(server.statistics().requests()).doesNotContainKey("read");
            assertThat(server.notifier().store(99, 0, page, 0, 4096)).isEqualTo(-Errno.ENOENT);
        }
    }

    @Test
    void removesNamesFromTheKernel() throws IOException {
        try (Fd open = Fd.open(Pathname.of(file.toString()), Fd.O_RDONLY, 0)) {
            Path opened = Path.of("/proc/self/fd/" + open.value());
            assertThat(Files.readSymbolicLink(opened)).isEqualTo(file);
            assertThat(server.notifier().delete(FuseFileSystem.ROOT, OneFileSystem.NODE, OneFileSystem.NAME))
                    .isZero();
            assertThat(Files.readSymbolicLink(opened)).hasToString(file + " (deleted)");
            assertThat(server.notifier().delete(FuseFileSystem.ROOT, 99, OneFileSystem.NAME))
                    .isEqualTo(-Errno.ENOENT);
        }
    }

    @Test
    void allocatesNothing() throws IOException {
        fileSystem.deferring = false;
        long fewest = Long.MAX_VALUE;
        try (Arena arena = Arena.ofConfined();
                Fd open = Fd.open(Pathname.of(file.toString()), Fd.O_RDWR, 0)) {
            MemorySegment memory = arena.allocate(4096);
            for (int round = 0; round < 200 && fewest > 0; round++) {
                fileSystem.allocatedBytes = 0;
                fileSystem.looks = 0;
                for (int i = 0; i < REQUESTS_A_ROUND; i++) {
                    assertThat(open.pread(memory, 0, 4096, 0)).isEqualTo(4);
                    assertThat(open.pwrite(memory, 0, 4096, 0)).isEqualTo(4096);
                    assertThat(file.toFile().length()).isEqualTo(4096);
                }
                if (fileSystem.looks > REQUESTS_A_ROUND / 2) {
                    fewest = Math.min(fewest, fileSystem.allocatedBytes);
                }
            }
        }
        assertThat(fewest).isZero();
        assertThat(server.statistics().requests()).containsKeys("getattr", "read", "write");
    }
}
