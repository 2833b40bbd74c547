package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.FuseTransport;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Does what the kernel and programs do with any file system that can write, over both transports. */
@ParameterizedClass
@EnumSource(
        value = FuseTransport.class,
        names = {"CLASSIC", "IO_URING"})
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
abstract class FileSystemContract {
    /** Where it is mounted, and empty. */
    @TempDir
    Path directory;

    @Parameter
    FuseTransport transport;

    FuseServer server;

    /** Mounts it on {@link #directory}, over the {@link #transport}. */
    abstract FuseServer mounted() throws IOException;

    @BeforeEach
    void mount() throws IOException {
        Requires.root();
        Requires.fuse();
        if (transport == FuseTransport.IO_URING) {
            Requires.fuseOverIoUring();
        }
        server = mounted();
    }

    @AfterEach
    void unmount() {
        if (server != null) {
            try {
                assertThat(server.statistics().failures()).isZero();
                assertThat(server.statistics().refused()).isZero();
            } finally {
                server.close();
                Program.run(List.of("umount", "--lazy", directory.toString()));
            }
        }
    }

    @Test
    void keepsContent() throws IOException {
        byte[] content = new byte[3_000_001];
        new Random(7).nextBytes(content);
        Path file = directory.resolve("file");
        Files.write(file, content);
        assertThat(Files.readAllBytes(file)).isEqualTo(content);
        Files.writeString(file, "tail", StandardOpenOption.APPEND);
        assertThat(Files.size(file)).isEqualTo(content.length + 4);
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(70_000);
            open.setLength(140_000);
            open.seek(69_999);
            assertThat(open.read()).isEqualTo(content[69_999] & 0xff);
            assertThat(open.read()).isZero();
        }
        Files.writeString(file, "short");
        assertThat(file).hasContent("short");
    }

    @Test
    void keepsFilesOfMoreThan4GiB() throws IOException {
        Path file = directory.resolve("file");
        byte[] content = new byte[300_000];
        new Random(8).nextBytes(content);
        long[] places = {0, (1L << 31) - 150_000, (1L << 32) - 150_000, 5L << 30, (1L << 40) + 1};
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            for (long place : places) {
                open.seek(place);
                open.write(content);
            }
        }
        assertThat(Files.size(file)).isEqualTo((1L << 40) + 1 + content.length);
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            byte[] read = new byte[content.length];
            for (long place : places) {
                open.seek(place);
                open.readFully(read);
                assertThat(read).isEqualTo(content);
            }
            open.setLength((1L << 32) + 1);
            open.seek((1L << 32) - 1);
            assertThat(open.read()).isEqualTo(content[149_999] & 0xff);
            assertThat(open.read()).isEqualTo(content[150_000] & 0xff);
            assertThat(open.read()).isEqualTo(-1);
        }
    }

    @Test
    void servesPrograms() throws IOException {
        Path made = Files.createDirectory(directory.resolve("made"));
        Files.writeString(made.resolve("a"), "content of a\n");
        assertThat(Program.ok("cat", made.resolve("a").toString())).isEqualTo("content of a\n");
        assertThat(Program.ok("ls", "-la", made.toString()).lines()).hasSize(4);
        assertThat(Program.ok("df", directory.toString())).contains(directory.toString());
        Program.ok("cp", "-a", made.toString(), directory.resolve("copy").toString());
        assertThat(directory.resolve("copy/a")).hasContent("content of a\n");
        Files.writeString(directory.resolve("run"), "#!/bin/sh\necho ran\n");
        Files.setPosixFilePermissions(directory.resolve("run"), PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(Program.ok(directory.resolve("run").toString())).isEqualTo("ran\n");
        Program.ok("cp", "/bin/echo", directory.resolve("echo").toString());
        assertThat(Program.ok(directory.resolve("echo").toString(), "executed")).isEqualTo("executed\n");
        Program.ok("rm", "-r", made.toString());
        assertThat(made).doesNotExist();
    }

    @Test
    void movesAndLinks() throws IOException {
        Path a = Files.writeString(directory.resolve("a"), "a");
        Path b = Files.writeString(directory.resolve("b"), "b");
        Files.move(a, b, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        assertThat(b).hasContent("a");
        assertThat(a).doesNotExist();
        Files.createLink(directory.resolve("c"), b);
        assertThat(Files.getAttribute(b, "unix:nlink")).isEqualTo(2);
        Files.delete(b);
        assertThat(directory.resolve("c")).hasContent("a");
        Files.createSymbolicLink(directory.resolve("d"), Path.of("c"));
        assertThat(Files.readSymbolicLink(directory.resolve("d"))).isEqualTo(Path.of("c"));
        assertThat(directory.resolve("d")).hasContent("a");
        Path full = Files.createDirectories(directory.resolve("x/y"));
        assertThatExceptionOfType(DirectoryNotEmptyException.class).isThrownBy(() -> Files.delete(full.getParent()));
        assertThatExceptionOfType(FileAlreadyExistsException.class)
                .isThrownBy(() -> Files.createDirectory(directory.resolve("c")));
        Files.move(full, directory.resolve("z"));
        assertThat(Files.getAttribute(directory.resolve("x"), "unix:nlink")).isEqualTo(2);
    }

    @Test
    void mapsFiles() throws IOException {
        Path file = directory.resolve("file");
        try (FileChannel channel = FileChannel.open(
                        file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
                Arena arena = Arena.ofShared()) {
            MemorySegment map = channel.map(FileChannel.MapMode.READ_WRITE, 0, 100_000, arena);
            map.fill((byte) 'x');
            map.force();
        }
        assertThat(Files.readString(file)).isEqualTo("x".repeat(100_000));
    }

    @Test
    void showsMappingsWhatIsWritten() throws IOException {
        Path file = directory.resolve("file");
        byte[] content = new byte[200_000];
        new Random(9).nextBytes(content);
        Files.write(file, content);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                Arena arena = Arena.ofShared()) {
            MemorySegment shared = channel.map(FileChannel.MapMode.READ_WRITE, 0, content.length, arena);
            MemorySegment own = channel.map(FileChannel.MapMode.PRIVATE, 0, content.length, arena);
            assertThat(shared.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
            own.set(ValueLayout.JAVA_BYTE, 7, (byte) ~content[7]);
            channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 150_000);
            assertThat(shared.asSlice(150_000, 3).toArray(ValueLayout.JAVA_BYTE))
                    .containsExactly(1, 2, 3);
            shared.set(ValueLayout.JAVA_BYTE, 5, (byte) 'm');
            ByteBuffer read = ByteBuffer.allocate(8);
            channel.read(read, 0);
            assertThat(read.get(5)).isEqualTo((byte) 'm');
            assertThat(read.get(7)).isEqualTo(content[7]);
        }
        assertThat(Files.readAllBytes(file)[5]).isEqualTo((byte) 'm');
    }

    @Test
    void readsAndWritesPastTheCache() throws IOException {
        Path file = Files.write(directory.resolve("file"), new byte[20_000]);
        int block = 4096;
        try (Arena arena = Arena.ofConfined();
                Fd direct = Fd.open(Pathname.of(file.toString()), Fd.O_RDWR | Fd.O_DIRECT, 0)) {
            MemorySegment memory = arena.allocate(8 * block, block);
            memory.asSlice(0, 2 * block).fill((byte) 'd');
            assertThat(direct.pwrite(memory, 0, 2 * block, block)).isEqualTo(2 * block);
            byte[] all = Files.readAllBytes(file);
            assertThat(new String(all, block, 2 * block, StandardCharsets.ISO_8859_1))
                    .isEqualTo("d".repeat(2 * block));
            assertThat(all[block - 1] | all[3 * block]).isZero();
            try (RandomAccessFile buffered = new RandomAccessFile(file.toFile(), "rw")) {
                buffered.seek(block + 1);
                buffered.write('b');
            }
            assertThat(direct.pread(memory, 0, 8 * block, block)).isEqualTo(20_000 - block);
            assertThat(memory.asSlice(0, 3).toArray(ValueLayout.JAVA_BYTE)).containsExactly('d', 'b', 'd');
            assertThat(direct.pread(memory, 0, block, 5 * block)).isZero();
        }
    }

    /** A reader sees one version as a whole or none, whatever is renamed over it or removed meanwhile. */
    @Test
    void servesReadersOfWhatIsReplacedAndRemoved() throws IOException, InterruptedException, ExecutionException {
        Path file = directory.resolve("file");
        AtomicBoolean over = new AtomicBoolean();
        try (ExecutorService users = Executors.newFixedThreadPool(3)) {
            List<Future<Integer>> readers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                readers.add(users.submit(() -> readUntil(over, file)));
            }
            try {
                for (int version = 0; version < 300; version++) {
                    Path next = Files.writeString(directory.resolve("next"), version(version));
                    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
                    if (version % 2 == 1) {
                        Files.delete(file);
                    }
                }
            } finally {
                over.set(true);
            }
            for (Future<Integer> reader : readers) {
                assertThat(reader.get()).isNotNegative();
            }
        }
    }

    private static String version(int number) {
        return (Integer.toString(1000 + number) + "\n").repeat(4000);
    }

    private static int readUntil(AtomicBoolean over, Path file) throws IOException {
        int seen = 0;
        while (!over.get()) {
            try {
                String content = Files.readString(file);
                assertThat(content).isEqualTo(version(Integer.parseInt(content.substring(0, 4)) - 1000));
                seen++;
            } catch (NoSuchFileException e) {
                assertThat(e.getFile()).isEqualTo(file.toString());
            }
        }
        return seen;
    }

    @Test
    void takesNamesOfAnyBytes() throws IOException {
        String make = "touch \"$(printf 'a\\377\\001\\n b')x\"; echo text > \"$(printf '\\200')\"";
        Program.ok("sh", "-c", "cd " + directory + "; " + make);
        String list = "cd " + directory + "; export LC_ALL=C; ls | od -An -c | tr -d ' \\n'; cat \"$(printf '\\200')\"";
        assertThat(Program.ok("sh", "-c", list)).isEqualTo("a377001\\nbx\\n200\\ntext\n");
    }

    @Test
    void takesEveryByteInANameAndLongNames() throws IOException {
        Pathname here = Pathname.of(directory.toString());
        Set<Pathname> names = new TreeSet<>();
        for (int value = 1; value < 256; value++) {
            if (value != '/') {
                names.add(Pathname.ofBytes(new byte[] {(byte) value, 'x', (byte) value}));
            }
        }
        byte[] longest = new byte[255];
        Arrays.fill(longest, (byte) 0xff);
        names.add(Pathname.ofBytes(longest));
        for (Pathname name : names) {
            Fd.open(here.resolve(name), Fd.O_CREAT | Fd.O_EXCL | Fd.O_WRONLY, 0600)
                    .close();
        }
        Set<Pathname> listed = new TreeSet<>();
        try (Directory open = Directory.open(here)) {
            while (open.next()) {
                listed.add(open.name());
            }
            assertThat(listed).isEqualTo(names);
            for (Pathname name : names) {
                open.unlink(name);
            }
            open.rewind();
            assertThat(open.next()).isFalse();
        }
    }

    @Test
    void tellsWhatIsWrong() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "content");
        String name = "x".repeat(256);
        assertThat(err("touch", directory.resolve(name).toString())).contains("File name too long");
        assertThat(err("mkdir", file.resolve("sub").toString())).contains("Not a directory");
        assertThat(err("ln", directory.toString(), directory.resolve("hard").toString()))
                .contains("not allowed");
        try (Arena arena = Arena.ofConfined();
                Fd open = Fd.open(Pathname.of(file.toString()), Fd.O_RDONLY, 0)) {
            long getVersion = 0x80087601L;
            assertThat(open.tryIoctl(getVersion, arena.allocate(8))).isEqualTo(-Errno.ENOTTY);
        }
    }

    static String err(String... command) {
        return Program.run(List.of(command)).err();
    }

    @Test
    void keepsAttributes() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "content");
        Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(123, 456)));
        assertThat(Files.getLastModifiedTime(file).toInstant()).isEqualTo(Instant.ofEpochSecond(123, 456));
        Files.setAttribute(file, "unix:mode", 0100604);
        Files.setAttribute(file, "unix:uid", 33);
        assertThat(Files.getAttribute(file, "unix:mode")).isEqualTo(0100604);
        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(33);
        UserDefinedFileAttributeView view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        view.write("some", ByteBuffer.wrap("value".getBytes(StandardCharsets.UTF_8)));
        assertThat(view.list()).containsExactly("some");
        ByteBuffer value = ByteBuffer.allocate(view.size("some"));
        view.read("some", value);
        assertThat(new String(value.array(), StandardCharsets.UTF_8)).isEqualTo("value");
        view.delete("some");
        assertThat(view.list()).isEmpty();
    }

    @Test
    void keepsWhatIsOpenAndRemoved() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "content");
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
            Files.delete(file);
            assertThat(open.readLine()).isEqualTo("content");
        }
    }

    @Test
    void listsManyNames() throws IOException {
        List<String> names = IntStream.range(0, 3000).mapToObj(i -> "name" + i).toList();
        for (String name : names) {
            Files.createFile(directory.resolve(name));
        }
        assertThat(list(directory)).containsExactlyInAnyOrderElementsOf(names);
        assertThat(Program.ok("ls", "-l", directory.toString()).lines()).hasSize(3001);
        for (String name : names) {
            Files.delete(directory.resolve(name));
        }
        assertThat(list(directory)).isEmpty();
    }

    @Test
    void listsAnewAfterRewinding() throws IOException {
        try (Directory open = Directory.open(Pathname.of(directory.toString()))) {
            Files.createFile(directory.resolve("first"));
            open.rewind();
            assertThat(names(open)).containsExactly("first");
            Files.move(directory.resolve("first"), directory.resolve("second"));
            Files.createFile(directory.resolve("third"));
            open.rewind();
            assertThat(names(open)).containsExactly("second", "third");
        }
    }

    private static Set<String> names(Directory open) throws IOException {
        Set<String> names = new TreeSet<>();
        while (open.next()) {
            names.add(open.name().toString());
        }
        return names;
    }

    @Test
    void servesSeveralAtOnce() throws IOException, InterruptedException, ExecutionException {
        try (ExecutorService users = Executors.newFixedThreadPool(4)) {
            List<Future<?>> futures = new ArrayList<>();
            for (int user = 0; user < 4; user++) {
                Path own = directory.resolve("user" + user);
                futures.add(users.submit(() -> use(own)));
            }
            for (Future<?> future : futures) {
                future.get();
            }
        }
        assertThat(list(directory)).isEmpty();
    }

    private static Void use(Path own) throws IOException {
        for (int round = 0; round < 50; round++) {
            Files.createDirectory(own);
            String content = own + " " + round;
            Files.writeString(own.resolve("file"), content);
            Files.move(own.resolve("file"), own.resolve("moved"));
            assertThat(own.resolve("moved")).hasContent(content);
            Files.delete(own.resolve("moved"));
            Files.delete(own);
        }
        return null;
    }

    private static List<String> list(Path path) throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
