package io.chagres.fuse.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.chagres.foreign.Errno;
import io.chagres.fuse.FuseServer;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Three providers that differ in all they can, used through the kernel. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class NioFileSystemTest {
    /** The mounted directory. */
    enum Kind {
        LOCAL,
        JIMFS,
        ZIP
    }

    private static final int OF_MANY = 50;

    @TempDir
    private Path work;

    private Path mount;
    private Path behind;
    private FileSystem opened;
    private FuseServer server;

    @BeforeEach
    void check() throws IOException {
        Requires.root();
        Requires.fuse();
        mount = Files.createDirectory(work.resolve("mount"));
    }

    private void mount(Kind kind) throws IOException {
        mount(kind, 0);
    }

    private void mount(Kind kind, long timeoutNs) throws IOException {
        opened = switch (kind) {
            case LOCAL -> null;
            case JIMFS ->
                Jimfs.newFileSystem(Configuration.unix().toBuilder()
                        .setAttributeViews("basic", "owner", "posix", "unix", "user")
                        .build());
            case ZIP -> FileSystems.newFileSystem(zip(), Map.of("create", "true"));
        };
        behind = Files.createDirectory(opened == null ? work.resolve("behind") : opened.getPath("/behind"));
        NioFileSystem files = new NioFileSystem(behind, Clock.systemUTC(), timeoutNs);
        server = FuseServer.mount(files, mount, files.options());
    }

    private Path zip() {
        return work.resolve("file.zip");
    }

    @AfterEach
    void unmount() throws IOException {
        if (server != null) {
            Program.run(List.of("umount", "--lazy", mount.toString()));
            server.close();
        }
        if (opened != null) {
            opened.close();
        }
        if (server != null) {
            assertThat(server.statistics().failures()).isZero();
        }
    }

    /** Attributes that may be believed come with the names, and nobody asks for each. */
    @ParameterizedTest
    @EnumSource
    void listsInOnePass(Kind kind) throws IOException {
        mount(kind, 60_000_000_000L);
        for (int i = 0; i < OF_MANY; i++) {
            Files.writeString(behind.resolve("file" + i), "x".repeat(i));
        }
        Files.createDirectory(behind.resolve("directory"));
        List<String> lines = Program.ok("ls", "-la", mount.toString()).lines().toList();
        assertThat(lines)
                .hasSize(1 + 2 + OF_MANY + 1)
                .anyMatch(line -> line.contains(" 49 ") && line.endsWith("file49"))
                .anyMatch(line -> line.startsWith("d") && line.endsWith("directory"));
        Map<String, Long> requests = server.statistics().requests();
        assertThat(requests).containsKey("readdirplus");
        assertThat(requests.getOrDefault("lookup", 0L)).as("lookups").isLessThan(5);
        assertThat(requests.getOrDefault("getattr", 0L)).as("of the directory").isLessThan(5);
        assertThat(Files.readString(mount.resolve("file7"))).isEqualTo("x".repeat(7));
        Files.delete(mount.resolve("file7"));
        assertThat(mount.resolve("file7")).doesNotExist();
    }

    @ParameterizedTest
    @EnumSource
    void listsAnewAfterRewinding(Kind kind) throws IOException {
        mount(kind, 60_000_000_000L);
        try (Directory open = Directory.open(Pathname.of(mount.toString()))) {
            Files.createFile(mount.resolve("first"));
            open.rewind();
            assertThat(names(open)).containsExactly("first");
            Files.move(mount.resolve("first"), mount.resolve("second"));
            Files.createFile(mount.resolve("third"));
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

    /** Three names that are no UTF-8 would be one in characters. */
    @Test
    void saysWhatItCannotName() throws IOException {
        mount(Kind.LOCAL);
        Files.createFile(behind.resolve("good"));
        for (int last = 0x80; last < 0x83; last++) {
            Pathname name = Pathname.ofBytes(new byte[] {'x', (byte) last});
            Fd.open(Pathname.of(behind.toString()).resolve(name), Fd.O_CREAT | Fd.O_WRONLY, 0600)
                    .close();
        }
        Program ls = Program.run(List.of("ls", mount.toString()));
        assertThat(ls.exitCode()).isNotZero();
        assertThat(new String(ls.out(), StandardCharsets.UTF_8)).isEqualTo("good\n");
        assertThat(ls.err()).contains(Errno.message(Errno.EILSEQ));
    }

    @Test
    void showsNoOtherTarget() throws IOException {
        mount(Kind.LOCAL);
        try (Directory directory = Directory.open(Pathname.of(behind.toString()))) {
            Pathname target = Pathname.ofBytes(new byte[] {'x', (byte) 0x80});
            directory.symlink(target, Pathname.of("link"));
        }
        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> Files.readSymbolicLink(mount.resolve("link")))
                .withMessageContaining(Errno.message(Errno.EILSEQ));
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource
    void keepsContent(Kind kind) throws IOException {
        mount(kind);
        byte[] content = random(3_000_001);
        Path file = Files.write(mount.resolve("file"), content);
        assertThat(Files.readAllBytes(file)).isEqualTo(content);
        assertThat(Files.readAllBytes(behind.resolve("file"))).isEqualTo(content);
        Files.writeString(file, "tail", StandardOpenOption.APPEND);
        assertThat(Files.size(file)).isEqualTo(content.length + 4);
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(100_000);
            open.write("middle".getBytes(StandardCharsets.US_ASCII));
            assertThat(Files.size(file)).isEqualTo(content.length + 4);
            open.seek(99_999);
            assertThat(open.read()).isEqualTo(content[99_999] & 0xff);
            assertThat(open.readLine()).startsWith("middle");
            open.setLength(150_000);
            open.setLength(200_000);
            open.seek(150_000);
            assertThat(open.read()).isZero();
            open.getFD().sync();
            assertThat(Files.size(behind.resolve("file"))).isEqualTo(200_000);
            open.seek(250_000);
            open.write(7);
        }
        assertThat(Files.size(behind.resolve("file"))).isEqualTo(250_001);
        Program.ok("truncate", "--size=5", file.toString());
        assertThat(Files.readAllBytes(behind.resolve("file"))).hasSize(5);
        Files.writeString(file, "short");
        assertThat(Files.readString(behind.resolve("file"))).isEqualTo("short");
    }

    /** A second handle reads what the first has written before either is closed. */
    @ParameterizedTest
    @EnumSource
    void sharesWhatIsOpen(Kind kind) throws IOException {
        mount(kind);
        Path file = Files.writeString(mount.resolve("file"), "0123456789");
        try (RandomAccessFile reader = new RandomAccessFile(file.toFile(), "r");
                RandomAccessFile writer = new RandomAccessFile(file.toFile(), "rw");
                RandomAccessFile other = new RandomAccessFile(file.toFile(), "rw")) {
            assertThat(reader.read()).isEqualTo('0');
            writer.seek(8);
            writer.writeBytes("abcdef");
            other.seek(1);
            other.writeBytes("xyz");
            assertThat(reader.readLine()).isEqualTo("xyz4567abcdef");
        }
        assertThat(Files.readString(behind.resolve("file"))).isEqualTo("0xyz4567abcdef");
    }

    @ParameterizedTest
    @EnumSource
    void keepsNames(Kind kind) throws IOException {
        mount(kind);
        Path a = Files.writeString(mount.resolve("a"), "a");
        Path b = Files.writeString(mount.resolve("b"), "b");
        Object number = Files.getAttribute(a, "unix:ino");
        Files.move(a, b, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        assertThat(b).hasContent("a");
        assertThat(a).doesNotExist();
        assertThat(Files.getAttribute(b, "unix:ino")).isEqualTo(number);
        Path directory = Files.createDirectories(mount.resolve("x/y"));
        Files.writeString(directory.resolve("file"), "deep");
        assertThatExceptionOfType(DirectoryNotEmptyException.class)
                .isThrownBy(() -> Files.delete(directory.getParent()));
        assertThatExceptionOfType(FileAlreadyExistsException.class).isThrownBy(() -> Files.createDirectory(b));
        Program.ok("mv", mount.resolve("x").toString(), mount.resolve("z").toString());
        assertThat(mount.resolve("z/y/file")).hasContent("deep");
        assertThat(Program.ok("ls", mount.toString())).isEqualTo("b\nz\n");
        assertThat(Program.ok("find", mount.toString(), "-type", "f").lines()).hasSize(2);
        assertThat(Program.run(List.of(
                                "mv", "-T", b.toString(), mount.resolve("z").toString()))
                        .exitCode())
                .isNotZero();
        assertThat(Program.run(List.of("sh", "-c", "touch " + mount + "/$(printf '\\377')"))
                        .err())
                .contains("Invalid or incomplete multibyte");
        Program.ok("rm", "-r", mount.resolve("z").toString());
        Files.delete(b);
        try (Stream<Path> left = Files.list(behind)) {
            assertThat(left).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void keepsWhatIsOpenAndRemoved(Kind kind) throws IOException {
        mount(kind);
        Path file = Files.writeString(mount.resolve("file"), "content\n");
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            Files.delete(file);
            assertThat(Files.exists(behind.resolve("file"))).isFalse();
            Files.writeString(file, "another");
            assertThat(open.readLine()).isEqualTo("content");
            open.writeBytes("more\n");
            assertThat(open.length()).isEqualTo(13);
            open.setLength(3);
            assertThat(open.length()).isEqualTo(3);
        }
        assertThat(Files.readString(behind.resolve("file"))).isEqualTo("another");
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
            Files.move(Files.writeString(mount.resolve("new"), "newest"), file, StandardCopyOption.REPLACE_EXISTING);
            assertThat(open.readLine()).isEqualTo("another");
        }
        assertThat(file).hasContent("newest");
    }

    @ParameterizedTest
    @EnumSource
    void keepsTimes(Kind kind) throws IOException {
        mount(kind);
        Path file = Files.writeString(mount.resolve("file"), "content");
        FileTime time = FileTime.from(Instant.ofEpochSecond(1_600_000_002));
        Files.setLastModifiedTime(file, time);
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(time);
        assertThat(Files.getLastModifiedTime(behind.resolve("file"))).isEqualTo(time);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL", "JIMFS"})
    void keepsPermissionsLinksAndAttributes(Kind kind) throws IOException {
        mount(kind);
        Path file = Files.writeString(mount.resolve("file"), "content");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-x--x"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r-x--x");
        assertThat(Files.getPosixFilePermissions(behind.resolve("file")))
                .isEqualTo(PosixFilePermissions.fromString("rw-r-x--x"));
        Files.createSymbolicLink(mount.resolve("link"), Path.of("file"));
        assertThat(Files.readSymbolicLink(mount.resolve("link"))).isEqualTo(Path.of("file"));
        assertThat(mount.resolve("link")).hasContent("content");
        Files.createLink(mount.resolve("hard"), file);
        assertThat(Files.getAttribute(file, "unix:nlink")).isEqualTo(2);
        assertThat(Files.getAttribute(mount.resolve("hard"), "unix:ino"))
                .isEqualTo(Files.getAttribute(file, "unix:ino"));
        Files.delete(file);
        assertThat(mount.resolve("hard")).hasContent("content");
        Path hard = mount.resolve("hard");
        Requires.kernel("extended attributes here", Files.getFileStore(behind).supportsFileAttributeView("user"));
        UserDefinedFileAttributeView view = Files.getFileAttributeView(hard, UserDefinedFileAttributeView.class);
        view.write("some", ByteBuffer.wrap("value".getBytes(StandardCharsets.UTF_8)));
        assertThat(view.list()).containsExactly("some");
        ByteBuffer value = ByteBuffer.allocate(view.size("some"));
        view.read("some", value);
        assertThat(new String(value.array(), StandardCharsets.UTF_8)).isEqualTo("value");
        view.delete("some");
        assertThat(view.list()).isEmpty();
    }

    @Test
    void givesFilesToWhoMakesThem() throws IOException {
        mount(Kind.LOCAL);
        Program.ok("chmod", "777", mount.toString());
        Program.ok("chown", "33:34", Files.createFile(mount.resolve("file")).toString());
        Program.ok("chmod", "4750", mount.resolve("file").toString());
        assertThat(Program.ok("stat", "-c", "%u %g %a", behind.resolve("file").toString()))
                .isEqualTo("33 34 4750\n");
        assertThat(Program.ok("stat", "-c", "%u %g %a", mount.resolve("file").toString()))
                .isEqualTo("33 34 4750\n");
        assertThat(Program.ok("df", mount.toString())).contains("file");
    }

    /** Somebody else replaces a file. */
    @Test
    void seesChangesBehindIt() throws IOException {
        mount(Kind.LOCAL);
        Path file = Files.writeString(mount.resolve("file"), "first\n");
        Object number = Files.getAttribute(file, "unix:ino");
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
            Path other = Files.writeString(behind.resolve("other"), "second");
            Files.move(other, behind.resolve("file"), StandardCopyOption.REPLACE_EXISTING);
            assertThat(file).hasContent("second");
            assertThat(Files.getAttribute(file, "unix:ino")).isNotEqualTo(number);
            assertThat(open.readLine()).isEqualTo("first");
            assertThat(open.length()).isEqualTo(6);
        }
    }

    @Test
    void saysWhatZipFilesCannot() throws IOException {
        mount(Kind.ZIP);
        Path file = Files.writeString(mount.resolve("file"), "content");
        assertThat(Program.run(List.of(
                                "ln", file.toString(), mount.resolve("hard").toString()))
                        .err())
                .contains("Operation not supported");
        assertThat(Program.run(List.of("chmod", "600", file.toString())).err()).contains("Operation not supported");
        assertThat(Program.run(List.of("mkfifo", mount.resolve("fifo").toString()))
                        .err())
                .contains("Operation not permitted");
        assertThat(Program.ok("ls", "-l", mount.toString())).contains("-rw-r--r--");
        server.close();
        opened.close();
        try (FileSystem again = FileSystems.newFileSystem(zip())) {
            assertThat(Files.readString(again.getPath("/behind/file"))).isEqualTo("content");
        }
    }

    /** The kernel believes that it can write, the provider knows better. */
    @Test
    void refusesToWriteWhatIsReadOnly() throws IOException {
        try (FileSystem made = FileSystems.newFileSystem(zip(), Map.of("create", "true"))) {
            Files.writeString(made.getPath("/file"), "content");
        }
        opened = FileSystems.newFileSystem(zip(), Map.of("accessMode", "readOnly"));
        NioFileSystem files = new NioFileSystem(opened, Clock.systemUTC(), 0);
        assertThat(files.options().readOnly()).isTrue();
        server = FuseServer.mount(files, mount, files.options().withReadOnly(false));
        assertThat(mount.resolve("file")).hasContent("content");
        for (String change : List.of("echo x >> file", "touch new", "mkdir new", "rm file", "mv file new")) {
            assertThat(Program.run(List.of("sh", "-c", "cd " + mount + " && " + change))
                            .err())
                    .as(change)
                    .contains("Read-only file system");
        }
    }
}
