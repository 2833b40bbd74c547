package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.path.PathFileSystem;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Against the kernel: mounting, unmounting, and what is in between, over both transports. */
@ParameterizedClass
@EnumSource(
        value = FuseTransport.class,
        names = {"CLASSIC", "IO_URING"})
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class MountTest {
    private final FuseTransport transport;
    private final FuseOptions options;

    @TempDir
    private Path directory;

    /** One file whose content can change. */
    private static final class OneFile implements PathFileSystem {
        private volatile byte[] content = "first\n".getBytes(StandardCharsets.UTF_8);
        private volatile boolean throwing;
        private volatile boolean goingOn = true;
        private final CountDownLatch hanging = new CountDownLatch(1);

        @Override
        public void getattr(String path, Attributes attributes) throws IOException {
            switch (path) {
                case "/" -> attributes.directory(0755);
                case "/file" -> attributes.file(0644, content.length).timeoutsNs(Long.MAX_VALUE);
                default -> throw new NoSuchFileException(path);
            }
        }

        @Override
        public List<String> readdir(String path) {
            return List.of("file");
        }

        @Override
        public void read(String path, long handle, ByteBuffer buffer, long position) {
            if (throwing) {
                throw new IllegalStateException("as the test wants");
            }
            hanging.countDown();
            Await.until("the handler may go on", () -> goingOn);
            byte[] bytes = content;
            int start = (int) Math.min(position, bytes.length);
            buffer.put(bytes, start, Math.min(buffer.remaining(), bytes.length - start));
        }
    }

    private final OneFile fileSystem = new OneFile();

    MountTest(FuseTransport transport) {
        this.transport = transport;
        options =
                FuseOptions.DEFAULTS.withName("test").withSubtype("chagrestest").withTransport(transport);
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

    private void reads(String expected) throws IOException {
        assertThat(Files.readString(directory.resolve("file"))).isEqualTo(expected);
    }

    @Test
    void servesUntilItIsClosed() throws IOException {
        try (FuseServer server = FuseServer.mount(fileSystem.byNodes(), directory, options)) {
            assertThat(server.connection().minor()).isBetween(31, 45);
            reads("first\n");
            assertThat(Program.ok("ls", directory.toString())).isEqualTo("file\n");
            assertThat(Program.ok("findmnt", "-rno", "SOURCE,FSTYPE", directory.toString()))
                    .isEqualTo("test fuse.chagrestest\n");
            assertThat(directory.resolve("none")).doesNotExist();
            assertThat(server.statistics().requests()).containsKeys("lookup", "read", "readdir");
            assertThat(server.statistics().failures()).isZero();
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void servesWithOneThread() throws IOException {
        try (FuseServer server = FuseServer.mount(
                fileSystem.byNodes(),
                directory,
                options.withTransport(FuseTransport.AUTO).withThreads(1))) {
            reads("first\n");
            assertThat(server.mountPoint()).isEqualTo(Pathname.of(directory.toString()));
        }
    }

    @Test
    void mountsThroughFusermount() throws IOException {
        Requires.tool("fusermount3");
        Pathname path = Pathname.of(directory.toString());
        try (FuseServer server = FuseServer.mount(fileSystem.byNodes(), path, options, new Fusermount())) {
            reads("first\n");
            assertThat(server.statistics().failures()).isZero();
        }
        assertThat(directory).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void takesTheOptionsOfAMount(boolean byFusermount) throws IOException {
        if (byFusermount) {
            Requires.tool("fusermount3");
        }
        FuseOptions strict = options.withNoExec(true).withNoAtime(true).withReadOnly(true);
        Mounter mounter = byFusermount ? new Fusermount() : new KernelMounter();
        Pathname path = Pathname.of(directory.toString());
        try (FuseServer server = FuseServer.mount(fileSystem.byNodes(), path, strict, mounter)) {
            assertThat(Program.ok("findmnt", "-rno", "OPTIONS", directory.toString())
                            .strip()
                            .split(","))
                    .contains("ro", "noexec", "noatime", "nosuid", "nodev");
            assertThat(server.statistics().failures()).isZero();
        }
    }

    /** Larger ones than a mebibyte, where the kernel may send them. */
    @Test
    void takesLargeWrites() throws IOException {
        Path limit = Path.of("/proc/sys/fs/fuse/max_pages_limit");
        Requires.kernel("a limit of FUSE requests that can be raised (Linux 6.13)", Files.exists(limit));
        String before = Program.ok("cat", limit.toString()).strip();
        int wanted = 4 << 20;
        AtomicInteger largest = new AtomicInteger();
        PathFileSystem sink = new PathFileSystem() {
            @Override
            public void getattr(String path, Attributes attributes) {
                if (path.equals("/")) {
                    attributes.directory(0755);
                } else {
                    attributes.file(0644, 0);
                }
            }

            @Override
            public List<String> readdir(String path) {
                return List.of("file");
            }

            @Override
            public void write(String path, long handle, ByteBuffer data, long position) {
                largest.accumulateAndGet(data.remaining(), Math::max);
            }
        };
        FuseOptions large = options.withMaxWrite(wanted).with(FuseFeature.DIRECT_IO);
        String file = directory.resolve("file").toString();
        try {
            Files.writeString(limit, Integer.toString(wanted / 4096));
            try (FuseServer server = FuseServer.mount(sink.byNodes(), directory, large)) {
                assertThat(server.connection().maxWrite()).isEqualTo(wanted);
                Program.ok("dd", "if=/dev/zero", "of=" + file, "bs=8M", "count=1", "conv=notrunc", "status=none");
                assertThat(largest).hasValue(wanted);
            }
        } finally {
            Files.writeString(limit, before);
        }
        largest.set(0);
        try (FuseServer server = FuseServer.mount(sink.byNodes(), directory, large)) {
            assertThat(server.connection().maxWrite()).isEqualTo(Integer.parseInt(before) * 4096);
            Program.ok("dd", "if=/dev/zero", "of=" + file, "bs=8M", "count=1", "conv=notrunc", "status=none");
            assertThat(largest).hasValue(server.connection().maxWrite());
        }
    }

    @Test
    void isUnmountedByItsGuard() throws IOException {
        Requires.tool("fusermount3");
        try (FuseServer server = FuseServer.mount(fileSystem.byNodes(), directory, options.withAutoUnmount(true))) {
            reads("first\n");
            assertThatExceptionOfType(ErrnoException.class)
                    .isThrownBy(server::handOver)
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
        }
        assertThat(directory).isEmptyDirectory();
        assertThat(Program.ok("cat", "/proc/mounts")).doesNotContain(directory.toString());
    }

    @Test
    void saysWhatFusermountSays() throws IOException {
        Requires.tool("fusermount3");
        Fusermount mounter = new Fusermount();
        Path none = directory.resolve("none");
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(
                        () -> FuseServer.mount(fileSystem.byNodes(), Pathname.of(none.toString()), options, mounter))
                .withMessageContaining("failed to access mountpoint " + none)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
        Pathname path = Pathname.of(directory.toString());
        assertThat(mounter.unmount(path, false)).isEqualTo(-Errno.EINVAL);
        try (FuseServer server = FuseServer.mount(fileSystem.byNodes(), path, options, mounter);
                InputStream open = Files.newInputStream(directory.resolve("file"))) {
            assertThat(open.read()).isEqualTo('f');
            assertThatExceptionOfType(ErrnoException.class)
                    .isThrownBy(server::unmount)
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        }
        assertThat(new Fusermount.Outcome(1, "user has no write access to mountpoint /x").errno())
                .isEqualTo(Errno.EPERM);
    }

    @Test
    void repairsThroughFusermount() throws IOException {
        Requires.tool("fusermount3");
        Pathname path = Pathname.of(directory.toString());
        new Fusermount().mount(path, options).close();
        try (FuseServer server = FuseServer.mount(fileSystem.byNodes(), path, options, new Fusermount())) {
            reads("first\n");
            assertThat(server.statistics().failures()).isZero();
        }
    }

    @Test
    void saysWhyItCannotMount() {
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(() -> FuseServer.mount(fileSystem.byNodes(), directory.resolve("none"), options))
                .withMessageContaining("none")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
    }

    @Test
    void endsWhenSomebodyElseUnmounts() throws IOException, InterruptedException {
        FuseServer server = FuseServer.mount(fileSystem.byNodes(), directory, options);
        // Others who look at all mounts may be using it for a moment.
        List<String> umount = List.of("umount", directory.toString());
        Await.until("it can be unmounted", () -> Program.run(umount).exitCode() == 0);
        server.join();
        server.close();
    }

    @Test
    void doesNotUnmountWhatIsInUseUnlessItIsClosed() throws IOException {
        FuseServer server = FuseServer.mount(fileSystem.byNodes(), directory, options);
        InputStream open = Files.newInputStream(directory.resolve("file"));
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(server::unmount)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        assertThat(open.read()).isEqualTo('f');
        server.close();
        // Closing a file asks the server to flush it.
        assertThatExceptionOfType(IOException.class).isThrownBy(open::close).withMessageContaining("not connected");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void servesThoseOnWhoHaveFilesOpen() throws IOException, InterruptedException, ExecutionException {
        FuseServer server = FuseServer.mount(fileSystem.byNodes(), directory, options);
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            InputStream open = Files.newInputStream(directory.resolve("file"));
            server.unmountLazily();
            assertThat(directory).isEmptyDirectory();
            Future<?> closing = other.submit(server::close);
            assertThat(open.readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("first\n");
            assertThat(closing.isDone()).isFalse();
            open.close();
            closing.get();
        }
    }

    @Test
    void survivesAHandlerThatThrows() throws IOException {
        try (FuseServer server = FuseServer.mount(fileSystem.byNodes(), directory, options)) {
            fileSystem.throwing = true;
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> reads("first\n"))
                    .withMessageContaining("Input/output error");
            fileSystem.throwing = false;
            reads("first\n");
            assertThat(server.statistics().failures()).isPositive();
        }
    }

    /** A waiting caller gets an error at once; the closer waits for the handler. */
    @Test
    void freesTheCallersOfAHandlerThatHangs() throws IOException, InterruptedException, ExecutionException {
        fileSystem.goingOn = false;
        FuseServer server = FuseServer.mount(fileSystem.byNodes(), directory, options);
        try (ExecutorService others = Executors.newFixedThreadPool(2)) {
            Future<String> reader = others.submit(() -> Files.readString(directory.resolve("file")));
            fileSystem.hanging.await();
            Future<?> closing = others.submit(server::close);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(reader::get)
                    .withCauseInstanceOf(IOException.class);
            assertThat(closing.isDone()).isFalse();
            fileSystem.goingOn = true;
            closing.get();
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void runsHandlersOnVirtualThreads() throws IOException {
        try (ExecutorService handlers = Executors.newVirtualThreadPerTaskExecutor();
                FuseServer server = FuseServer.mount(fileSystem.byNodes(), directory, options.withHandlers(handlers))) {
            reads("first\n");
            assertThat(server.statistics().total()).isPositive();
        }
    }

    @Test
    void repairsAMountWhoseServerIsGone() throws IOException {
        new KernelMounter().mount(Pathname.of(directory.toString()), options).close();
        assertThat(Program.run(List.of("ls", directory.toString())).err()).contains("not connected");
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(() -> FuseServer.mount(fileSystem.byNodes(), directory, options.withSubtype("other")))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOTCONN));
        try (FuseServer server = FuseServer.mount(fileSystem.byNodes(), directory, options)) {
            reads("first\n");
            assertThat(server.statistics().total()).isPositive();
        }
    }

    @Test
    void forgetsWhatItIsTold() throws IOException {
        FuseOptions cached = options.with(FuseFeature.KEEP_CACHE).without(FuseFeature.AUTO_INVALIDATE);
        try (FuseServer server = FuseServer.mount(fileSystem.byNodes(), directory, cached)) {
            reads("first\n");
            fileSystem.content = "other\n".getBytes(StandardCharsets.UTF_8);
            reads("first\n");
            long node = (long) Files.getAttribute(directory.resolve("file"), "unix:ino");
            assertThat(server.notifier().invalidateNode(node, 0, 0)).isZero();
            reads("other\n");
            assertThat(server.notifier().invalidateNode(node + 1000, 0, 0)).isEqualTo(-Errno.ENOENT);
            assertThat(server.notifier().invalidateEntry(1, "file".getBytes(StandardCharsets.UTF_8)))
                    .isZero();
            assertThat(server.notifier().expireEntry(1, "none".getBytes(StandardCharsets.UTF_8)))
                    .isEqualTo(-Errno.ENOENT);
            reads("other\n");
        }
    }

    @Test
    void namesItsThreads() throws IOException {
        try (FuseServer server = FuseServer.mount(fileSystem.byNodes(), directory, options.withThreads(2))) {
            String second = transport == FuseTransport.IO_URING ? "chagres-fuse-uring-0" : "chagres-fuse-1";
            assertThat(threads()).contains("chagres-fuse-0", second);
            server.unmountLazily();
            Await.until("the threads end", () -> threads().isEmpty());
        }
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("chagres-fuse-") && !name.endsWith("exit"))
                .toList();
    }

    @Test
    @SuppressWarnings("try") // closes while the other lives
    void endsThoughAnotherMountNamespaceHoldsACopy() throws IOException {
        Requires.tool("unshare");
        try (FuseServer server = FuseServer.mount(fileSystem.byNodes(), directory, options)) {
            Process other =
                    new ProcessBuilder("unshare", "--mount", "--propagation", "private", "sleep", "600").start();
            try {
                Path theirs = Path.of("/proc/" + other.pid() + "/ns/mnt");
                Path ours = Files.readSymbolicLink(Path.of("/proc/self/ns/mnt"));
                Await.until("it has its own mounts", () -> !isLink(theirs, ours));
                server.close();
                assertThat(other.isAlive()).isTrue();
            } finally {
                other.destroyForcibly();
            }
        }
        assertThat(directory).isEmptyDirectory();
    }

    private static boolean isLink(Path link, Path target) {
        try {
            return Files.readSymbolicLink(link).equals(target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void endsBelowAnotherMountWithoutHarmToIt() throws IOException {
        FuseServer below = FuseServer.mount(fileSystem.byNodes(), directory, options);
        OneFile other = new OneFile();
        other.content = "other\n".getBytes(StandardCharsets.UTF_8);
        try (FuseServer above = FuseServer.mount(other.byNodes(), directory, options)) {
            assertThatExceptionOfType(ErrnoException.class)
                    .isThrownBy(below::unmount)
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
            below.close();
            reads("other\n");
            assertThat(above.statistics().failures()).isZero();
        }
        assertThat(directory).isEmptyDirectory();
    }
}
