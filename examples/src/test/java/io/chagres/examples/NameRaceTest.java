package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.FuseTransport;
import io.chagres.fuse.path.NioFileSystem;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Several programs that make, link, move, open and remove names of one mount. Each knows what the names of its own
 * directory must have, and of those that all share, that one of them is always there and none tells nonsense.
 */
@ParameterizedClass
@CsvSource({"NODES, CLASSIC", "NODES, IO_URING", "PATHS, CLASSIC", "PATHS, IO_URING", "NIO, CLASSIC", "NIO, IO_URING"})
@Tag("it")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NameRaceTest {
    private static final int PROGRAMS = 4;
    private static final int STEPS = Share.count(5_000);
    private static final int NAMES = 4;

    /** The file system that is mounted. */
    enum Kind {
        NODES,
        PATHS,
        NIO
    }

    private final Kind kind;
    private final FuseTransport transport;

    @TempDir
    private Path work;

    private Path mount;
    private FuseServer server;

    NameRaceTest(Kind kind, FuseTransport transport) {
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
        FuseOptions options = PathMemoryFs.OPTIONS.withTransport(transport);
        server = switch (kind) {
            case NODES -> FuseServer.mount(new MemoryFs(Clock.systemUTC()), mount, options);
            case PATHS -> FuseServer.mount(new PathMemoryFs(Clock.systemUTC()).byNodes(), mount, options);
            case NIO -> {
                Path behind = Files.createDirectory(work.resolve("behind"));
                NioFileSystem files = new NioFileSystem(behind, Clock.systemUTC(), 0);
                yield FuseServer.mount(files, mount, files.options().withTransport(transport));
            }
        };
    }

    @AfterEach
    void unmount() {
        if (server != null) {
            Program.run(List.of("umount", "--lazy", mount.toString()));
            server.close();
            assertThat(server.statistics().failures()).isZero();
        }
    }

    @Test
    void everybodyFindsWhatHeLeft() throws IOException, InterruptedException, ExecutionException {
        long seed = Seeds.next("NameRaceTest " + kind + " " + transport);
        Files.writeString(mount.resolve("kept"), "kept");
        try (ExecutorService threads = Executors.newFixedThreadPool(PROGRAMS)) {
            List<Future<?>> programs = new ArrayList<>();
            for (int i = 0; i < PROGRAMS; i++) {
                OneProgram program = new OneProgram(i, seed);
                programs.add(threads.submit(() -> {
                    program.run();
                    return null;
                }));
            }
            for (Future<?> program : programs) {
                program.get();
            }
        }
        assertThat(mount.resolve("kept")).exists();
    }

    /** One of those that use the mount: what it alone uses is exactly as it left it. */
    private final class OneProgram {
        private final int number;
        private final RandomGenerator random;
        private final TreeMap<String, String> owned = new TreeMap<>();
        private Path directory;
        private int made;
        private @Nullable SeekableByteChannel open;
        private String opened = "";

        private OneProgram(int number, long seed) throws IOException {
            this.number = number;
            random = Seeds.random(seed + number);
            directory = Files.createDirectory(mount.resolve("even" + number));
        }

        private void run() throws IOException {
            for (int i = 0; i < STEPS; i++) {
                String name = "name" + random.nextInt(NAMES);
                String other = "name" + random.nextInt(NAMES);
                switch (random.nextInt(10)) {
                    case 0 -> write(name);
                    case 1, 2 -> move(name, other);
                    case 3 -> link(name, other);
                    case 4 -> remove(name);
                    case 5 -> open(name);
                    case 6 -> checkOpen();
                    case 7 -> moveDirectory();
                    case 8 -> replaceKept();
                    default -> useShared("shared" + random.nextInt(2));
                }
                check(name);
                assertThat(Files.readString(mount.resolve("kept"))).startsWith("kept");
                assertThat(Files.size(mount.resolve("kept"))).isBetween(4L, 10L);
            }
            for (int i = 0; i < NAMES; i++) {
                check("name" + i);
            }
            checkOpen();
            try (var listed = Files.list(directory)) {
                assertThat(listed.map(path -> path.getFileName().toString())).hasSameElementsAs(owned.keySet());
            }
            if (open != null) {
                open.close();
            }
        }

        private void check(String name) throws IOException {
            Path path = directory.resolve(name);
            String content = owned.get(name);
            if (content == null) {
                assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(() -> Files.readString(path));
                return;
            }
            assertThat(Files.readString(path)).as(name).isEqualTo(content);
            assertThat(Files.size(path)).as(name).isEqualTo(content.length());
        }

        /** A new file: a name that is there goes first, since the same file may have others. */
        private void write(String name) throws IOException {
            Files.deleteIfExists(directory.resolve(name));
            String content = number + ":" + "x".repeat(made % 7) + made++;
            Files.writeString(
                    directory.resolve(name), content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            owned.put(name, content);
        }

        private void move(String from, String to) throws IOException {
            String content = owned.get(from);
            if (content == null) {
                assertThatExceptionOfType(NoSuchFileException.class)
                        .isThrownBy(() -> moveTo(directory.resolve(from), directory.resolve(to)));
                return;
            }
            moveTo(directory.resolve(from), directory.resolve(to));
            // Two names of one file stay two, says rename(2), and one content has one file here.
            if (!content.equals(owned.get(to))) {
                owned.remove(from);
                owned.put(to, content);
            }
        }

        private static void moveTo(Path from, Path to) throws IOException {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        }

        private void link(String from, String to) throws IOException {
            String content = owned.get(from);
            if (content != null && !owned.containsKey(to)) {
                Files.createLink(directory.resolve(to), directory.resolve(from));
                owned.put(to, content);
            }
        }

        private void remove(String name) throws IOException {
            assertThat(Files.deleteIfExists(directory.resolve(name))).isEqualTo(owned.remove(name) != null);
        }

        private void open(String name) throws IOException {
            String content = owned.get(name);
            if (content != null) {
                if (open != null) {
                    open.close();
                }
                open = Files.newByteChannel(directory.resolve(name));
                opened = content;
            }
        }

        /** An open file stays what it was, whatever became of its names. */
        private void checkOpen() throws IOException {
            if (open != null) {
                ByteBuffer read = ByteBuffer.allocate(64);
                assertThat(open.position(0).read(read)).as(opened).isEqualTo(opened.length());
                assertThat(new String(read.array(), 0, read.position(), StandardCharsets.UTF_8))
                        .isEqualTo(opened);
                assertThat(open.size()).isEqualTo(opened.length());
            }
        }

        private void moveDirectory() throws IOException {
            boolean even = directory.endsWith("even" + number);
            Path moved = mount.resolve((even ? "odd" : "even") + number);
            moveTo(directory, moved);
            directory = moved;
        }

        private void replaceKept() throws IOException {
            Path next = mount.resolve("next" + number);
            Files.writeString(next, "kept" + made++);
            moveTo(next, mount.resolve("kept"));
        }

        /** Anything may have become of a name that all use, but nothing that none of them did. */
        private void useShared(String name) throws IOException {
            Path path = mount.resolve(name);
            try {
                switch (random.nextInt(5)) {
                    case 0 ->
                        Files.writeString(path, "shared", StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                    case 1 -> moveTo(path, mount.resolve(name.equals("shared0") ? "shared1" : "shared0"));
                    case 2 -> Files.createLink(path, mount.resolve("kept"));
                    case 3 -> Files.delete(path);
                    default -> assertThat(Files.readString(path)).matches("|shared|kept\\d*");
                }
            } catch (NoSuchFileException | FileAlreadyExistsException e) {
                assertThat(e.getFile()).isNotNull(); // somebody was faster
            }
        }
    }
}
