package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatusTest {
    private static final long TMPFS = 0x0102_1994L;

    private final Statx stat = new Statx();
    private final FileHandle handle = new FileHandle();

    private final Path temp;

    StatusTest(@TempDir Path temp) {
        this.temp = temp;
    }

    @AfterEach
    void close() {
        stat.close();
        stat.close();
        handle.close();
        handle.close();
    }

    @Test
    void whatIsRememberedIsTheSameFile() throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "hello");
        Files.createSymbolicLink(temp.resolve("link"), file);
        assertThat(stat.of(Pathname.of(file.toString()), true)).isZero();
        long ino = stat.ino();
        long dev = stat.dev();
        assertThat(stat.ofRemembered(Pathname.of(temp.resolve("link").toString())))
                .isZero();
        assertThat(stat.ino()).isEqualTo(ino);
        assertThat(stat.dev()).isEqualTo(dev);
        assertThat(stat.isRegular()).isTrue();
        assertThat(stat.ofRemembered(Pathname.of(temp.resolve("none").toString())))
                .isEqualTo(-Errno.ENOENT);
    }

    @Test
    void statusIsThatOfTheJdk() throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "hello");
        Files.createLink(temp.resolve("second"), file);
        Files.createSymbolicLink(temp.resolve("link"), file);
        for (String name : new String[] {"file", "link", "."}) {
            Path path = temp.resolve(name);
            assertThat(stat.of(FdTest.pathname(path), true)).isZero();
            agrees(Files.readAttributes(path, "unix:*"));
            assertThat(stat.of(FdTest.pathname(path), false)).isZero();
            agrees(Files.readAttributes(path, "unix:*", LinkOption.NOFOLLOW_LINKS));
        }
        assertThat(stat.of(FdTest.pathname(temp.resolve("none")), true)).isEqualTo(-Errno.ENOENT);
        assertThat(stat.of(-1)).isEqualTo(-Errno.EBADF);
        assertThat(stat.of(Pathname.of("/" + "./".repeat(2048)), true)).isEqualTo(-Errno.ENAMETOOLONG);
    }

    @Test
    void descriptorsAndDirectoriesNameTheSameFile() throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "hello");
        long inode = (long) Files.getAttribute(file, "unix:ino");
        try (Fd fd = Fd.open(FdTest.pathname(file), Fd.O_RDONLY, 0);
                Directory dir = Directory.open(FdTest.pathname(temp))) {
            assertThat(stat.of(fd.value())).isZero();
            assertThat(stat.ino()).isEqualTo(inode);
            assertThat(stat.blocks()).isNotNegative();
            assertThat(stat.btimeNs()).isBetween(0L, stat.ctimeNs());
            assertThat(stat.of(dir.fd(), Pathname.of("file"), false)).isZero();
            assertThat(stat.ino()).isEqualTo(inode);
        }
    }

    @Test
    void handlesKnowTheInode() throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "hello");
        try (Fd fd = Fd.open(FdTest.pathname(file), Fd.O_RDONLY, 0)) {
            assertThat(handle.of(fd.value())).isIn(0, -Errno.EOPNOTSUPP);
            assertThat(handle.of(-1)).isEqualTo(-Errno.EBADF);
        }
    }

    @Test
    void handlesAreParsedByType() {
        parsed(1, words(7, 9), 7, 9);
        parsed(1, words(9, 7, 1), 1L << 32 | 7, 9);
        parsed(2, words(-1, -2, 3, 4), 0xffff_ffffL, 0xffff_fffeL);
        parsed(0x81, words(7, 1, 9), 1L << 32 | 7, 9);
        parsed(0x82, words(7, 1, 9, 5, 5, 5), 1L << 32 | 7, 9);
    }

    @Test
    void subvolumesAreToldApart() {
        handle.set(0x4d, words(256, 0, 5, 0, 9));
        assertThat(handle.inode()).isEqualTo(256);
        long first = handle.generation();
        handle.set(0x4d, words(256, 0, 6, 0, 9));
        assertThat(handle.generation()).isNotEqualTo(first);
        handle.set(0x4e, words(256, 0, 5, 0, 9, 8, 8, 8));
        assertThat(handle.generation()).isEqualTo(first);
        handle.set(0x4d, words(256, 0, 5, 0, 10));
        assertThat(handle.generation()).isNotEqualTo(first);
    }

    @Test
    void unknownHandlesAreHashed() {
        handle.set(0xf8, words(1, 2, 3));
        long first = handle.generation();
        assertThat(handle.inode()).isZero();
        assertThat(handle.bytes()).isEqualTo(words(1, 2, 3));
        handle.set(0xf8, words(1, 2, 4));
        assertThat(handle.generation()).isNotEqualTo(first);
    }

    @Test
    void fileSystemsAreIdentified() throws IOException {
        try (Fd dir = Fd.open(FdTest.pathname(temp), Fd.O_RDONLY, 0);
                Fd proc = Fd.open(Pathname.of("/proc"), Fd.O_RDONLY, 0)) {
            assertThat(FileSystemId.of(dir.value())).hasSize(16).isEqualTo(FileSystemId.of(dir.value()));
            assertThat(FileSystemId.of(dir.value())).isNotEqualTo(FileSystemId.of(proc.value()));
            assertThat(FileSystemId.typeOf(proc.value())).isEqualTo(0x9fa0L);
            assertThat(FileSystemId.typeOf(-1)).isZero();
            assertThat(FileSystemId.of(-1)).isEqualTo(new byte[16]);
        }
        assertThat(FileSystemId.raisesEvents(TMPFS)).isTrue();
        assertThat(FileSystemId.raisesEvents(0x6969L)).isFalse();
        assertThat(FileSystemId.raisesEvents(0xFF53_4D42L)).isFalse();
        assertThat(FileSystemId.isOverlay(0x794C_7630L)).isTrue();
        assertThat(FileSystemId.isOverlay(TMPFS)).isFalse();
    }

    private void agrees(Map<String, Object> jdk) {
        assertThat(stat.ino()).isEqualTo(jdk.get("ino"));
        assertThat(stat.size()).isEqualTo(jdk.get("size"));
        assertThat(stat.mode()).isEqualTo(jdk.get("mode"));
        assertThat(stat.nlink()).isEqualTo(jdk.get("nlink"));
        assertThat(stat.uid()).isEqualTo(jdk.get("uid"));
        assertThat(stat.gid()).isEqualTo(jdk.get("gid"));
        assertThat(stat.isRegular()).isEqualTo(jdk.get("isRegularFile"));
        assertThat(stat.isDirectory()).isEqualTo(jdk.get("isDirectory"));
        assertThat(stat.isSymbolicLink()).isEqualTo(jdk.get("isSymbolicLink"));
        assertThat(stat.mtimeNs()).isEqualTo(((FileTime) value(jdk, "lastModifiedTime")).to(TimeUnit.NANOSECONDS));
        assertThat(stat.ctimeNs()).isEqualTo(((FileTime) value(jdk, "ctime")).to(TimeUnit.NANOSECONDS));
        long dev = (long) value(jdk, "dev");
        long major = (dev >>> 32 & 0xffff_f000L) | (dev >>> 8 & 0xfff);
        long minor = (dev >>> 12 & 0xffff_ff00L) | (dev & 0xff);
        assertThat(stat.dev()).isEqualTo(major << 32 | minor);
        assertThat(stat.permissions()).isEqualTo((int) value(jdk, "mode") & 07777);
    }

    private static Object value(Map<String, Object> attributes, String name) {
        return Objects.requireNonNull(attributes.get(name), name);
    }

    private void parsed(int type, byte[] bytes, long inode, long generation) {
        handle.set(type, bytes);
        assertThat(handle.type()).isEqualTo(type);
        assertThat(handle.inode()).isEqualTo(inode);
        assertThat(handle.generation()).isEqualTo(generation);
        assertThat(handle.bytes()).isEqualTo(bytes);
    }

    private static byte[] words(int... words) {
        ByteBuffer bytes = ByteBuffer.allocate(words.length * 4).order(ByteOrder.nativeOrder());
        for (int word : words) {
            bytes.putInt(word);
        }
        return bytes.array();
    }
}
