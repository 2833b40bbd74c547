package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.DescriptorSocket;
import io.chagres.linux.Fd;
import io.chagres.linux.MountPoint;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that somebody else opened, and that go from one server to the next. */
@Tag("it")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HandoverTest {
    private static final int READERS = 3;
    private static final int HANDOVERS = 20;
    private static final FuseOptions OPTIONS = FuseOptions.DEFAULTS.withTransport(FuseTransport.CLASSIC);

    @TempDir
    private Path mount;

    private final List<FuseServer> servers = new ArrayList<>();

    private static final byte[] NAME = "file".getBytes(StandardCharsets.UTF_8);
    private static final byte[] CONTENT = "content".getBytes(StandardCharsets.UTF_8);
    private static final long NODE = 2;

    /** One file, and how often it was handed over. */
    private static final class Counting implements TransferableFileSystem {
        private byte[] got = {};
        private final CountDownLatch hanging = new CountDownLatch(1);
        private volatile CountDownLatch hangs = new CountDownLatch(0);
        private volatile boolean fails;
        private volatile boolean destroyed;

        @Override
        public void lookup(Request request, long parent, Name name, EntryReply reply) {
            if (name.is(NAME)) {
                reply.entry(NODE, attributes(NODE, reply.attributes()));
            } else {
                reply.error(Errno.ENOENT);
            }
        }

        @Override
        public void getattr(Request request, long node, long handle, AttributesReply reply) {
            reply.attributes(attributes(node, reply.attributes()));
        }

        private static Attributes attributes(long node, Attributes attributes) {
            attributes.ino(node);
            return node == ROOT ? attributes.directory(0755) : attributes.file(0644, CONTENT.length);
        }

        @Override
        public void readdir(Request request, long node, long handle, long position, DirectoryReply reply) {
            if (position == 0) {
                reply.add(NAME, NODE, DirectoryReply.DT_UNKNOWN, 1);
            }
            reply.done();
        }

        @Override
        public void read(Request request, long node, long handle, long position, int size, int flags, ReadReply reply) {
            hanging.countDown();
            try {
                hangs.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            int from = (int) Math.min(position, CONTENT.length);
            reply.data(CONTENT, from, CONTENT.length - from);
        }

        @Override
        public byte[] handOver() throws IOException {
            if (fails) {
                throw new ErrnoException("hand over", Errno.EBUSY, "just now");
            }
            return (new String(got, StandardCharsets.UTF_8) + "x").getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public void takeOver(FuseConnection connection, Notifier notifier, byte[] state) {
            got = state;
        }

        @Override
        public void destroy() {
            destroyed = true;
        }
    }

    @BeforeEach
    void check() {
        Requires.root();
        Requires.fuse();
    }

    @AfterEach
    void unmount() {
        Program.run(List.of("umount", "--lazy", mount.toString()));
        servers.forEach(FuseServer::close);
    }

    private FuseServer kept(FuseServer server) {
        servers.add(server);
        return server;
    }

    private void read() throws IOException {
        assertThat(Files.readAllBytes(mount.resolve("file"))).isEqualTo(CONTENT);
        try (var names = Files.list(mount)) {
            assertThat(names).hasSize(1);
        }
    }

    @Test
    void noRequestFailsWhileServersTakeTurns() throws IOException, InterruptedException, ExecutionException {
        FuseServer server = kept(FuseServer.mount(new Counting(), mount, OPTIONS));
        AtomicBoolean goesOn = new AtomicBoolean(true);
        Counting last = new Counting();
        try (ExecutorService threads = Executors.newFixedThreadPool(READERS)) {
            List<Future<Integer>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                readers.add(threads.submit(() -> {
                    int rounds = 0;
                    for (; goesOn.get(); rounds++) {
                        read();
                    }
                    return rounds;
                }));
            }
            try {
                for (int i = 0; i < HANDOVERS; i++) {
                    read();
                    try (FuseHandover handover = server.handOver()) {
                        last = new Counting();
                        server = kept(FuseServer.takeOver(last, handover, OPTIONS));
                    }
                }
            } finally {
                goesOn.set(false);
            }
            for (Future<Integer> reader : readers) {
                assertThat(reader.get()).isPositive();
            }
        }
        assertThat(new String(last.got, StandardCharsets.UTF_8)).isEqualTo("x".repeat(HANDOVERS));
        server.unmount();
        server.join();
        assertThat(last.destroyed).isTrue();
        for (FuseServer each : servers) {
            assertThat(each.statistics().failures()).isZero();
            assertThat(each.statistics().refused()).isZero();
        }
    }

    @Test
    void goesOverASocket() throws IOException {
        FuseServer first = kept(FuseServer.mount(new Counting(), mount, OPTIONS));
        DescriptorSocket[] sockets = DescriptorSocket.pair();
        Counting next = new Counting();
        try (DescriptorSocket ours = sockets[0];
                DescriptorSocket theirs = sockets[1]) {
            try (FuseHandover handover = first.handOver()) {
                handover.send(ours);
            }
            try (FuseHandover received = FuseHandover.receive(theirs)) {
                assertThat(received.mountPoint()).isEqualTo(first.mountPoint());
                FuseServer second = kept(FuseServer.takeOver(next, received, OPTIONS));
                assertThat(second.connection()).isEqualTo(first.connection());
            }
        }
        read();
        assertThat(next.got).containsExactly('x');
    }

    @Test
    void whatIsNoMountIsRefused() throws IOException {
        DescriptorSocket[] sockets = DescriptorSocket.pair();
        DescriptorSocket ours = sockets[0];
        try (DescriptorSocket theirs = sockets[1];
                Arena arena = Arena.ofConfined();
                Fd zero = Fd.open(Pathname.of("/dev/zero"), Fd.O_RDONLY, 0)) {
            ours.send(zero.value(), arena.allocate(100), 0, 100);
            assertThatExceptionOfType(ErrnoException.class).isThrownBy(() -> FuseHandover.receive(theirs));
            ours.close();
            assertThatExceptionOfType(ErrnoException.class)
                    .isThrownBy(() -> FuseHandover.receive(theirs))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENODATA));
        }
    }

    @Test
    void servesOnWhenItCannotHandOver() throws IOException {
        Counting fileSystem = new Counting();
        FuseServer server = kept(FuseServer.mount(fileSystem, mount, OPTIONS));
        fileSystem.fails = true;
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(server::handOver)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        read();
        fileSystem.fails = false;
        server.handOver().close();
        assertThatExceptionOfType(ErrnoException.class).isThrownBy(server::handOver);
        assertThatExceptionOfType(IOException.class).isThrownBy(this::read); // nobody has it now
    }

    /** A handler that hangs keeps the mount from nobody else, where requests are read or elsewhere. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void servesOnWhenAHandlerHangs(boolean elsewhere) throws Exception {
        Counting fileSystem = new Counting();
        try (ExecutorService handlers = Executors.newVirtualThreadPerTaskExecutor();
                ExecutorService callers = Executors.newFixedThreadPool(1)) {
            FuseServer server =
                    kept(FuseServer.mount(fileSystem, mount, elsewhere ? OPTIONS.withHandlers(handlers) : OPTIONS));
            fileSystem.hangs = new CountDownLatch(1);
            Future<byte[]> caller = callers.submit(() -> Files.readAllBytes(mount.resolve("file")));
            fileSystem.hanging.await();
            for (int i = 0; i < HANDOVERS; i++) {
                assertThatExceptionOfType(ErrnoException.class)
                        .isThrownBy(() -> server.handOver(1))
                        .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ETIMEDOUT));
                assertThat(Files.size(mount.resolve("file"))).isEqualTo(CONTENT.length);
            }
            fileSystem.hangs.countDown();
            assertThat(caller.get()).isEqualTo(CONTENT);
            read();
            Counting next = new Counting();
            try (FuseHandover handover = server.handOver(Long.MAX_VALUE)) {
                kept(FuseServer.takeOver(next, handover, OPTIONS));
            }
            read();
        }
    }

    @Test
    void onlyWhatCanBeHandedOverIs() throws IOException {
        FuseServer server = kept(FuseServer.mount(new OneFileSystem(), mount, OPTIONS));
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(server::handOver)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
        assertThat(Files.size(mount.resolve("file"))).isEqualTo(4096);
    }

    /** The one may mount, the other serves. */
    @Test
    void servesWhatSomebodyElseMounts() throws IOException {
        try (Fd device = Fd.open(Pathname.of("/dev/fuse"), Fd.O_RDWR, 0)) {
            assertThatExceptionOfType(ErrnoException.class)
                    .isThrownBy(() -> FuseServer.serve(new Counting(), device, OPTIONS))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EPERM));
            int result = MountPoint.tryMount(
                    Pathname.of("other"),
                    Pathname.of(mount.toString()),
                    Pathname.of("fuse.other"),
                    0,
                    Pathname.of("fd=" + device.value() + ",rootmode=40000,user_id=0,group_id=0"));
            assertThat(result).isZero();
            kept(FuseServer.serve(new Counting(), device, OPTIONS));
        }
        FuseServer server = servers.getFirst();
        read();
        assertThatExceptionOfType(ErrnoException.class).isThrownBy(server::unmount);
        server.close();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(this::read); // the last copy of the descriptor is closed
        Await.until("it is mounted still", () -> Program.ok("cat", "/proc/self/mounts")
                .contains(" " + mount + " "));
    }
}
