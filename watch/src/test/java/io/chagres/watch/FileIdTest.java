package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Allocations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileIdTest {
    private final Path top;

    FileIdTest(@TempDir Path top) {
        this.top = top;
    }

    private FileIdentity identity(FileId id, Path file) throws IOException {
        try (Fd fd = Fd.open(Pathname.of(file.toString()), Fd.O_RDONLY, 0)) {
            assertThat(id.read(fd.value())).isZero();
            assertThat(id.inode()).isEqualTo(Files.getAttribute(file, "unix:ino"));
            assertThat(id.is(id.identity())).isTrue();
            return id.identity();
        }
    }

    @Test
    void identityStaysThroughRenameLinkAndGrowth() throws Exception {
        try (FileId id = new FileId()) {
            Path file = Files.createFile(top.resolve("f"));
            FileIdentity before = identity(id, file);
            Files.writeString(file, "grown");
            Path moved = Files.move(file, top.resolve("g"));
            Path link = Files.createLink(top.resolve("h"), moved);
            assertThat(identity(id, moved)).isEqualTo(before);
            assertThat(identity(id, link)).isEqualTo(before);
            assertThat(identity(id, Files.createFile(top.resolve("other")))).isNotEqualTo(before);
        }
    }

    @Test
    void filesThatHadOneInodeNumberInTurnDiffer() throws Exception {
        try (FileId id = new FileId()) {
            Path file = top.resolve("f");
            for (int i = 0; i < 100; i++) {
                FileIdentity first = identity(id, Files.createFile(file));
                Files.delete(file);
                FileIdentity second = identity(id, Files.createFile(file));
                Files.delete(file);
                assertThat(second).isNotEqualTo(first);
            }
        }
    }

    @Test
    void readerStandsForTheLastFileOnly() throws Exception {
        try (FileId id = new FileId()) {
            FileIdentity one = identity(id, Files.createFile(top.resolve("one")));
            identity(id, Path.of("/proc/self/status"));
            assertThat(id.is(one)).isFalse();
            assertThat(id.read(-1)).isEqualTo(-Errno.EBADF);
        }
    }

    @Test
    void readingAllocatesNothing() throws Exception {
        try (FileId id = new FileId();
                Fd fd = Fd.open(Pathname.of(top.toString()), Fd.O_RDONLY, 0)) {
            long bytes = Allocations.fewestBytes(50, () -> {
                for (int i = 0; i < 2000; i++) {
                    id.read(fd.value());
                }
            });
            assertThat(bytes).isZero();
        }
    }
}
