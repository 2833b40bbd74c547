package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryTest {
    private final Path temp;

    private Directory dir;

    DirectoryTest(@TempDir Path temp) {
        this.temp = temp;
    }

    @BeforeEach
    void open() throws IOException {
        dir = Directory.open(FdTest.pathname(temp));
    }

    @AfterEach
    void close() {
        dir.close();
        dir.close();
    }

    @Test
    void listsEveryNameOnce() throws IOException {
        Set<Pathname> expected = new TreeSet<>();
        for (int i = 1; i <= 3000; i++) {
            String name = i + "x".repeat(i % 200);
            Files.createFile(temp.resolve(name));
            expected.add(Pathname.of(name));
        }
        expected.add(Pathname.of("..."));
        expected.add(Pathname.of(".x"));
        expected.add(Pathname.of("y."));
        expected.add(Pathname.of("z".repeat(255)));
        for (Pathname odd : expected) {
            int fd = Fd.tryOpen(FdTest.pathname(temp).resolve(odd), Fd.O_CREAT, 0600);
            Fd.ofValue(fd).close();
        }
        for (int round = 0; round < 2; round++) {
            Set<Pathname> seen = new TreeSet<>();
            while (dir.next()) {
                assertThat(seen.add(dir.name())).isTrue();
                assertThat(dir.nameLength()).isEqualTo(dir.name().length());
            }
            assertThat(dir.next()).isFalse();
            assertThat(seen).isEqualTo(expected);
            dir.rewind();
        }
    }

    @Test
    void entriesTellTypeAndInode() throws IOException {
        Files.createFile(temp.resolve("file"));
        dir.mkdir(Pathname.of("sub"), 0700);
        dir.symlink(Pathname.of("nowhere"), Pathname.of("link"));
        dir.mkfifo(Pathname.of("fifo"), 0600);
        int entries = 0;
        while (dir.next()) {
            int expected =
                    switch (dir.name().toString()) {
                        case "file" -> Directory.DT_REG;
                        case "sub" -> Directory.DT_DIR;
                        case "link" -> Directory.DT_LNK;
                        default -> Directory.DT_FIFO;
                    };
            assertThat(dir.type()).isIn(expected, Directory.DT_UNKNOWN);
            Path path = temp.resolve(dir.name().toString());
            assertThat(dir.ino()).isEqualTo(Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS));
            assertThat(Pathname.ofSegment(dir.nameSegment(), dir.nameOffset(), dir.nameLength()))
                    .isEqualTo(dir.name());
            entries++;
        }
        assertThat(entries).isEqualTo(4);
    }

    @Test
    void namesThatAreNotTextWork() throws IOException {
        Pathname odd = Pathname.ofBytes(new byte[] {(byte) 0xff, '\n', ' ', (byte) 0xc3});
        Fd.openAt(dir.fd(), odd, Fd.O_CREAT | Fd.O_WRONLY, 0600).close();
        assertThat(dir.next()).isTrue();
        assertThat(dir.name()).isEqualTo(odd);
        dir.unlink(odd);
        dir.rewind();
        assertThat(dir.next()).isFalse();
    }

    @Test
    void namesComeGoAndMove() throws IOException {
        Pathname a = Pathname.of("a");
        Pathname b = Pathname.of("b");
        Files.writeString(temp.resolve("a"), "a");
        dir.rename(a, dir, b, Directory.RENAME_NOREPLACE);
        assertThat(temp.resolve("b")).hasContent("a");
        Files.writeString(temp.resolve("a"), "other");
        assertThatThrownBy(() -> dir.rename(a, dir, b, Directory.RENAME_NOREPLACE))
                .hasMessageContaining("EEXIST");
        dir.rename(a, dir, b, Directory.RENAME_EXCHANGE);
        assertThat(temp.resolve("a")).hasContent("a");
        dir.rename(a, dir, b, 0);
        assertThat(temp.resolve("a")).doesNotExist();
        dir.mkdir(a, 0700);
        assertThat(dir.tryMkdir(a, 0700)).isEqualTo(-Errno.EEXIST);
        try (Directory sub = Directory.of(Fd.openBeneath(dir.fd(), a, Fd.O_RDONLY | Fd.O_DIRECTORY, 0))) {
            dir.rename(b, sub, b, 0);
            assertThat(temp.resolve("a/b")).hasContent("a");
            assertThat(dir.tryLink(sub, b, b)).isZero();
            assertThat(dir.tryLink(sub, b, b)).isEqualTo(-Errno.EEXIST);
            sub.unlink(b);
        }
        dir.rmdir(a);
        dir.fsync();
        assertThatThrownBy(() -> dir.unlink(a))
                .isInstanceOf(ErrnoException.class)
                .hasMessage("unlink " + temp + "/a: No such file or directory (ENOENT)");
        assertThat(Directory.isAbsent(-Errno.ENOENT)).isTrue();
        assertThat(Directory.isAbsent(-Errno.EACCES)).isFalse();
    }

    @Test
    void unnamedFilesGetANameOnce() throws IOException {
        try (Fd unnamed = Fd.open(FdTest.pathname(temp), Fd.O_TMPFILE | Fd.O_RDWR, 0600);
                Arena arena = Arena.ofConfined()) {
            unnamed.writeFully(arena.allocateFrom("text"), 0, 4);
            assertThat(dir.tryLink(unnamed, Pathname.of("named"))).isZero();
            assertThat(dir.tryLink(unnamed, Pathname.of("named"))).isEqualTo(-Errno.EEXIST);
        }
        assertThat(temp.resolve("named")).hasContent("text");
    }

    @Test
    void linksKeepTheirOwnAttributes() throws IOException {
        Pathname link = Pathname.of("link");
        Path path = temp.resolve("link");
        dir.symlink(Pathname.of("no/where"), link);
        assertThat(dir.readlink(link)).isEqualTo(Pathname.of("no/where"));
        dir.setTimes(link, Long.MIN_VALUE, 1_500_000_000L);
        dir.chown(link, -1, -1);
        assertThat(Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS).toMillis())
                .isEqualTo(1500);
        Files.createFile(temp.resolve("file"));
        assertThatThrownBy(() -> dir.readlink(Pathname.of("file"))).hasMessageContaining("EINVAL");
    }

    @Test
    void aRemovedDirectoryIsEmpty() throws IOException {
        dir.mkdir(Pathname.of("sub"), 0700);
        try (Directory sub = Directory.open(FdTest.pathname(temp.resolve("sub")))) {
            dir.rmdir(Pathname.of("sub"));
            assertThat(sub.next()).isFalse();
        }
        assertThatThrownBy(() -> Directory.open(FdTest.pathname(temp.resolve("sub"))))
                .hasMessageContaining("ENOENT");
    }

    @Test
    void aClosedDirectoryIsNotRead() {
        dir.close();
        assertThatThrownBy(dir::next).isInstanceOf(ErrnoException.class);
        assertThatThrownBy(dir::rewind).isInstanceOf(ErrnoException.class);
    }
}
