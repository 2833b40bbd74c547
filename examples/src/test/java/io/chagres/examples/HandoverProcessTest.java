package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A mount goes from process to process while it is used, and its users do not notice. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class HandoverProcessTest {
    /** How many processes serve, one after the other: the first, those that take over and hand over, the last. */
    private static final int SERVERS = Share.count(20) + 1;

    private static final byte[] CONTENT = "content".getBytes();

    @TempDir
    private Path work;

    private final List<ServerProcess> servers = new ArrayList<>();
    private final AtomicBoolean goesOn = new AtomicBoolean(true);
    private final List<AtomicLong> rounds = new ArrayList<>();
    private final List<Future<?>> users = new ArrayList<>();
    /** Open files without a name, each for some rounds. */
    private final Deque<FileChannel> nameless = new ArrayDeque<>();

    private Path behind;
    private Path mount;

    @BeforeEach
    void prepare() throws IOException {
        Requires.root();
        Requires.fuse();
        behind = Files.createDirectory(work.resolve("behind"));
        mount = Files.createDirectory(work.resolve("mount"));
    }

    @AfterEach
    void end() {
        servers.forEach(ServerProcess::close);
        if (mount != null) {
            Program.run(List.of("umount", "--lazy", mount.toString()));
        }
    }

    private Path socket(int server) {
        return work.resolve("socket" + server);
    }

    private void startServer(HandoverServer.Kind kind, int number) throws IOException {
        String from = "";
        if (number > 0) {
            Path before = socket(number - 1);
            Await.until("the server waits for the next", () -> Files.exists(before));
            from = before.toString();
        }
        List<String> program = HandoverServer.program(kind, behind, mount, from, socket(number));
        ServerProcess server = ServerProcess.launch(work, List.of(), program);
        servers.add(server);
        Await.until("it serves", () -> server.output().contains(HandoverServer.SERVES) || server.hasEnded());
        assertThat(server.output()).contains(HandoverServer.SERVES);
    }

    /** Does something again and again. */
    private void use(ExecutorService threads, Callable<?> once) {
        AtomicLong round = new AtomicLong();
        rounds.add(round);
        users.add(threads.submit(() -> {
            while (goesOn.get()) {
                once.call();
                round.incrementAndGet();
            }
            return null;
        }));
    }

    /** Everybody gets on, with the server that serves now. */
    private void awaitUse() {
        List<Long> before = rounds.stream().map(AtomicLong::get).toList();
        for (int i = 0; i < rounds.size(); i++) {
            AtomicLong round = rounds.get(i);
            long old = before.get(i);
            Future<?> user = users.get(i);
            Await.until("it is used", () -> round.get() > old + 1 || user.isDone());
        }
    }

    @ParameterizedTest
    @EnumSource
    void noRequestFails(HandoverServer.Kind kind) throws Exception {
        startServer(kind, 0);
        Path steady = Files.write(mount.resolve("steady"), CONTENT);
        Path log = mount.resolve("log");
        try (ExecutorService threads = Executors.newCachedThreadPool();
                FileChannel open = FileChannel.open(
                        log, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            AtomicLong written = new AtomicLong();
            use(threads, () -> read(steady));
            use(threads, () -> list());
            use(threads, () -> writeOn(open, written));
            if (kind != HandoverServer.Kind.NODES) {
                use(threads, this::changeNames);
            }
            if (kind == HandoverServer.Kind.NIO) {
                use(threads, this::useWithoutName);
            }
            try {
                awaitUse();
                for (int i = 1; i < SERVERS; i++) {
                    startServer(kind, i);
                    assertThat(servers.get(i - 1).await()).isZero();
                    assertThat(servers.get(i - 1).output()).contains(HandoverServer.WELL);
                    awaitUse();
                }
            } finally {
                goesOn.set(false);
            }
            for (Future<?> user : users) {
                user.get();
            }
            assertThat(Files.size(log)).isEqualTo(written.get() * Long.BYTES);
            for (FileChannel file : nameless) {
                file.close();
            }
        }
        servers.getLast().terminate();
        assertThat(ServerProcess.isMounted(mount)).as("the last one unmounts").isFalse();
    }

    private Void read(Path steady) throws IOException {
        assertThat(Files.readAllBytes(steady)).isEqualTo(CONTENT);
        return null;
    }

    private Void list() throws IOException {
        try (Stream<Path> names = Files.list(mount)) {
            assertThat(names).contains(mount.resolve("steady"), mount.resolve("log"));
        }
        return null;
    }

    /** One descriptor, open all the time. */
    private static Void writeOn(FileChannel open, AtomicLong written) throws IOException {
        long number = written.get();
        ByteBuffer buffer = ByteBuffer.allocate(Long.BYTES).putLong(0, number);
        assertThat(open.write(buffer, number * Long.BYTES)).isEqualTo(Long.BYTES);
        written.incrementAndGet();
        buffer.clear();
        long some = number / 2;
        assertThat(open.read(buffer, some * Long.BYTES)).isEqualTo(Long.BYTES);
        assertThat(buffer.getLong(0)).isEqualTo(some);
        assertThat(open.size()).isEqualTo(written.get() * Long.BYTES);
        return null;
    }

    private Void changeNames() throws IOException {
        Path directory = Files.createDirectory(mount.resolve("directory"));
        Path file = Files.write(directory.resolve("new"), CONTENT);
        Path target = mount.resolve("target");
        Files.move(file, target, StandardCopyOption.ATOMIC_MOVE);
        assertThat(Files.readAllBytes(target)).isEqualTo(CONTENT);
        Path renamed = Files.move(directory, mount.resolve("renamed"), StandardCopyOption.ATOMIC_MOVE);
        Files.write(renamed.resolve("other"), CONTENT);
        Files.delete(renamed.resolve("other"));
        Files.delete(renamed);
        return null;
    }

    private Void useWithoutName() throws IOException {
        Path file = mount.resolve("temporary");
        FileChannel made = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        made.write(ByteBuffer.wrap(CONTENT));
        Files.delete(file);
        nameless.add(made);
        if (nameless.size() > 3) {
            try (FileChannel oldest = nameless.remove()) {
                ByteBuffer content = ByteBuffer.allocate(CONTENT.length);
                assertThat(oldest.read(content, 0)).isEqualTo(CONTENT.length);
                assertThat(content.array()).isEqualTo(CONTENT);
                assertThat(oldest.size()).isEqualTo(CONTENT.length);
            }
        }
        return null;
    }
}
