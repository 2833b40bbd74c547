package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PathFdTest {
    private static final long FIRST = 3;
    private static final long SECOND = 300;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate(600);
    private final MemorySegment buffer = arena.allocate(1000, 8);

    @TempDir
    private Path temp;

    private PathFd directory;

    @BeforeEach
    void open() throws IOException {
        directory = PathFd.open(FdTest.pathname(temp));
    }

    @AfterEach
    void close() {
        directory.close();
        directory.close();
        arena.close();
    }

    /** Puts a name where names begin. */
    private MemorySegment name(String name) {
        memory.setString(FIRST, name);
        return memory;
    }

    private MemorySegment names(String first, String second) {
        memory.setString(SECOND, second);
        return name(first);
    }

    private PathFd path(String name) {
        return PathFd.ofValue(directory.tryOpen(name(name), FIRST));
    }

    @Test
    void findsNames() throws IOException {
        Files.writeString(temp.resolve("file"), "content");
        Files.createSymbolicLink(temp.resolve("link"), Path.of("file"));
        Statx statx = new Statx(buffer);
        try (PathFd file = path("file");
                PathFd link = path("link")) {
            assertThat(statx.of(file.value())).isZero();
            assertThat(statx.size()).isEqualTo(7);
            assertThat(statx.blockSize()).isPositive();
            long ino = statx.ino();
            assertThat(statx.of(directory.value(), name("file"), FIRST)).isZero();
            assertThat(statx.ino()).isEqualTo(ino);
            assertThat(statx.of(directory.value(), name("link"), FIRST)).isZero();
            assertThat(statx.isSymbolicLink()).isTrue();
            assertThat(statx.of(link.value())).isZero();
            assertThat(statx.isSymbolicLink()).isTrue();
            assertThat(link.readlink()).asString().isEqualTo("file");
            assertThatExceptionOfType(ErrnoException.class).isThrownBy(file::readlink);
            assertThat(file.tryOpen(name("x"), FIRST)).isEqualTo(-Errno.ENOTDIR);
            assertThat(link.reopen(Fd.O_RDONLY)).isEqualTo(-Errno.ELOOP);
        }
        assertThat(directory.tryOpen(name("none"), FIRST)).isEqualTo(-Errno.ENOENT);
        assertThat(statx.of(directory.value(), name("none"), FIRST)).isEqualTo(-Errno.ENOENT);
    }

    @Test
    void opensWhatLostItsName() throws IOException {
        Files.writeString(temp.resolve("file"), "content");
        try (PathFd file = path("file")) {
            Files.delete(temp.resolve("file"));
            try (Fd open = Fd.ofValue(file.reopen(Fd.O_RDWR));
                    PathFd again = PathFd.ofValue(PathFd.tryOpen(open))) {
                assertThat(open.pread(buffer, 0, 10, 0)).isEqualTo(7);
                assertThat(again.truncate(3)).isZero();
                assertThat(open.pread(buffer, 0, 10, 0)).isEqualTo(3);
                assertThat(directory.link(file, name("again"), FIRST)).isEqualTo(-Errno.ENOENT);
            }
        }
    }

    @Test
    void makesFiles() throws IOException {
        int fd = directory.create(name("file"), FIRST, Fd.O_RDWR | Fd.O_EXCL, 0600);
        try (Fd file = Fd.ofValue(fd)) {
            assertThat(FileControl.append(file, name("abc"), FIRST, 3)).isEqualTo(3);
            assertThat(FileControl.append(file, name("def"), FIRST, 3)).isEqualTo(3);
        }
        assertThat(temp.resolve("file")).hasContent("abcdef");
        assertThat(directory.create(name("file"), FIRST, Fd.O_EXCL, 0600)).isEqualTo(-Errno.EEXIST);
        assertThat(directory.symlink(names("link", "file"), FIRST, SECOND)).isZero();
        assertThat(directory.symlink(names("link", "file"), FIRST, SECOND)).isEqualTo(-Errno.EEXIST);
        assertThat(directory.create(name("link"), FIRST, Fd.O_RDONLY, 0600)).isEqualTo(-Errno.ELOOP);
        assertThat(Files.readSymbolicLink(temp.resolve("link"))).hasToString("file");
        assertThat(directory.mkdir(name("made"), FIRST, 0700)).isZero();
        assertThat(directory.mkdir(name("made"), FIRST, 0700)).isEqualTo(-Errno.EEXIST);
        assertThat(directory.mknod(name("fifo"), FIRST, Statx.S_IFIFO | 0600, 0))
                .isZero();
        assertThat(directory.mknod(name("fifo"), FIRST, Statx.S_IFIFO | 0600, 0))
                .isEqualTo(-Errno.EEXIST);
        assertThat((int) Files.getAttribute(temp.resolve("fifo"), "unix:mode")).isEqualTo(Statx.S_IFIFO | 0600);
    }

    @Test
    @Tag("it")
    void makesDevices() {
        Requires.root();
        int device = 0x34 | 0x12 << 8 | 0x56 << 20;
        assertThat(directory.mknod(name("device"), FIRST, Statx.S_IFCHR | 0600, device))
                .isZero();
        Statx statx = new Statx(buffer);
        assertThat(statx.of(directory.value(), name("device"), FIRST)).isZero();
        assertThat(statx.rdev()).isEqualTo(device);
    }

    @Test
    void makesFilesWithoutNames() throws IOException {
        assertThat(directory.createUnnamed(Fd.O_RDONLY, 0600)).isEqualTo(-Errno.EINVAL);
        try (Fd file = Fd.ofValue(directory.createUnnamed(Fd.O_RDWR, 0600));
                PathFd path = PathFd.ofValue(PathFd.tryOpen(file))) {
            assertThat(file.pwrite(name("abc"), FIRST, 3, 0)).isEqualTo(3);
            assertThat(directory.link(path, name("file"), FIRST)).isZero();
            assertThat(directory.link(path, name("file"), FIRST)).isEqualTo(-Errno.EEXIST);
            assertThat(directory.link(directory, name("hard"), FIRST)).isEqualTo(-Errno.EPERM);
        }
        assertThat(temp.resolve("file")).hasContent("abc");
    }

    @Test
    void removesAndMovesNames() throws IOException {
        Files.createDirectories(temp.resolve("a/b"));
        Files.writeString(temp.resolve("file"), "content");
        assertThat(directory.rmdir(name("a"), FIRST)).isEqualTo(-Errno.ENOTEMPTY);
        assertThat(directory.rmdir(name("file"), FIRST)).isEqualTo(-Errno.ENOTDIR);
        assertThat(directory.rmdir(name("none"), FIRST)).isEqualTo(-Errno.ENOENT);
        assertThat(directory.unlink(name("a"), FIRST)).isEqualTo(-Errno.EISDIR);
        assertThat(directory.unlink(name("none"), FIRST)).isEqualTo(-Errno.ENOENT);
        try (PathFd a = path("a")) {
            assertThat(directory.rename(names("file", "moved"), FIRST, a, SECOND, 0))
                    .isZero();
            assertThat(temp.resolve("a/moved")).hasContent("content");
            assertThat(directory.rename(names("file", "moved"), FIRST, a, SECOND, 0))
                    .isEqualTo(-Errno.ENOENT);
            assertThat(directory.rename(names("a", "c"), FIRST, a, SECOND, 0)).isEqualTo(-Errno.EINVAL);
            assertThat(a.rename(names("moved", "b"), FIRST, a, SECOND, Directory.RENAME_NOREPLACE))
                    .isEqualTo(-Errno.EEXIST);
            assertThat(a.rename(names("moved", "b"), FIRST, a, SECOND, Directory.RENAME_EXCHANGE))
                    .isZero();
            assertThat(temp.resolve("a/b")).hasContent("content");
            assertThat(a.rmdir(name("moved"), FIRST)).isZero();
            assertThat(a.unlink(name("b"), FIRST)).isZero();
            Files.createDirectory(temp.resolve("d"));
            Files.createFile(temp.resolve("a/file"));
            assertThat(directory.rename(names("d", "a"), FIRST, directory, SECOND, 0))
                    .isEqualTo(-Errno.ENOTEMPTY);
        }
    }

    @Test
    void changesAttributes() throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "content");
        Path link = Files.createSymbolicLink(temp.resolve("link"), Path.of("file"));
        try (PathFd path = path("file");
                PathFd linkPath = path("link")) {
            assertThat(path.chmod(0604)).isZero();
            assertThat((int) Files.getAttribute(file, "unix:mode")).isEqualTo(Statx.S_IFREG | 0604);
            assertThat(linkPath.chmod(0604)).isEqualTo(-Errno.EOPNOTSUPP);
            assertThat(path.chown(-1, -1)).isZero();
            assertThat(path.setTimes(1_000_000_001L, PathFd.OMIT)).isZero();
            assertThat(path.setTimes(PathFd.OMIT, -1)).isZero();
            assertThat(Files.getAttribute(file, "lastAccessTime")).isEqualTo(time(1, 1));
            assertThat(Files.getLastModifiedTime(file)).isEqualTo(time(-1, 999_999_999));
            Statx statx = new Statx(buffer);
            assertThat(statx.of(path.value())).isZero();
            assertThat(statx.atimeNs()).isEqualTo(1_000_000_001L);
            assertThat(path.setTimes(PathFd.NOW, PathFd.NOW)).isZero();
            assertThat(Files.getLastModifiedTime(file)).isGreaterThan(time(1_000_000_000, 0));
            assertThat(linkPath.setTimes(5_000_000_000L, 5_000_000_000L)).isZero();
            assertThat(Files.getLastModifiedTime(link, LinkOption.NOFOLLOW_LINKS))
                    .isEqualTo(time(5, 0));
            assertThat(path.truncate(3)).isZero();
            assertThat(file).hasContent("con");
            assertThat(directory.truncate(3)).isEqualTo(-Errno.EISDIR);
        }
    }

    private static FileTime time(long seconds, long nanoseconds) {
        return FileTime.from(Instant.ofEpochSecond(seconds, nanoseconds));
    }

    @Test
    void keepsExtendedAttributes() throws IOException {
        Files.writeString(temp.resolve("file"), "content");
        Files.createSymbolicLink(temp.resolve("link"), Path.of("file"));
        try (PathFd path = path("file");
                PathFd link = path("link")) {
            assertThat(path.setXattr(names("user.a", "value"), FIRST, SECOND, 5, 2))
                    .isEqualTo(-Errno.ENODATA);
            assertThat(path.setXattr(names("user.a", "value"), FIRST, SECOND, 5, 0))
                    .isZero();
            assertThat(path.setXattr(names("user.a", "value"), FIRST, SECOND, 5, 1))
                    .isEqualTo(-Errno.EEXIST);
            assertThat(path.setXattr(names("odd.a", "value"), FIRST, SECOND, 5, 1))
                    .isEqualTo(-Errno.EOPNOTSUPP);
            assertThat(link.setXattr(names("user.a", "value"), FIRST, SECOND, 5, 0))
                    .isEqualTo(-Errno.EPERM);
            assertThat(path.getXattr(name("user.a"), FIRST, buffer, 7, 0)).isEqualTo(5);
            assertThat(path.getXattr(name("user.a"), FIRST, buffer, 7, 4)).isEqualTo(-Errno.ERANGE);
            assertThat(path.getXattr(name("user.a"), FIRST, buffer, 7, 900)).isEqualTo(5);
            assertThat(text(7, 5)).isEqualTo("value");
            assertThat(path.listXattr(buffer, 9, 0)).isEqualTo(7);
            assertThat(path.listXattr(buffer, 9, 3)).isEqualTo(-Errno.ERANGE);
            assertThat(path.listXattr(buffer, 9, 900)).isEqualTo(7);
            assertThat(text(9, 7)).isEqualTo("user.a\0");
            assertThat(path.removeXattr(name("user.a"), FIRST)).isZero();
            assertThat(path.removeXattr(name("user.a"), FIRST)).isEqualTo(-Errno.ENODATA);
            assertThat(path.getXattr(name("user.a"), FIRST, buffer, 7, 900)).isEqualTo(-Errno.ENODATA);
        }
    }

    private String text(long offset, long length) {
        return new String(buffer.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII);
    }

    @Test
    void listsWithPositions() throws IOException {
        for (int i = 0; i < 100; i++) {
            Files.createFile(temp.resolve("name" + i));
        }
        DirectoryEntries entries = new DirectoryEntries(buffer);
        try (Fd open = Fd.ofValue(directory.reopen(Fd.O_RDONLY | Fd.O_DIRECTORY))) {
            int count = 0;
            int dots = 0;
            long position = 0;
            do {
                assertThat(entries.seek(open, position)).isNotNegative();
                assertThat(entries.fill(open)).isNotNegative();
                while (entries.next()) {
                    count++;
                    dots += entries.isDots() ? 1 : 0;
                    position = entries.position();
                    if (count % 7 == 0) {
                        break;
                    }
                }
            } while (count < 102);
            assertThat(dots).isEqualTo(2);
            assertThat(entries.seek(open, position)).isNotNegative();
            assertThat(entries.fill(open)).isZero();
            assertThat(entries.next()).isFalse();
            entries.seek(open, 0);
            assertThat(new DirectoryEntries(arena.allocate(8, 8)).fill(open)).isEqualTo(-Errno.EINVAL);
        }
    }

    @Test
    void tellsHowFullTheFileSystemIs() throws IOException {
        Statfs statfs = new Statfs(buffer);
        assertThat(statfs.of(directory.value())).isZero();
        assertThat(statfs.blocks() * statfs.fragmentSize())
                .isEqualTo(Files.getFileStore(temp).getTotalSpace());
        assertThat(statfs.blockSize()).isPositive();
        assertThat(statfs.freeBlocks()).isBetween(statfs.availableBlocks(), statfs.blocks());
        assertThat(statfs.freeFiles()).isLessThanOrEqualTo(statfs.files());
        assertThat(statfs.nameLength()).isEqualTo(255);
        assertThat(statfs.type()).isEqualTo(FileSystemId.typeOf(directory.value()));
        assertThat(statfs.of(-1)).isEqualTo(-Errno.EBADF);
    }
}
