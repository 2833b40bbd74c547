package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sharing and looking at blocks, on the file systems that can. */
@Timeout(120)
@Tag("it")
class SharedBlocksTest {
    private static final int BYTES = 300_000;

    private final Path temp;

    SharedBlocksTest(@TempDir Path temp) {
        this.temp = temp;
    }

    @Test
    void xfsSharesWhatIsEqual() throws IOException {
        on("xfs", "mkfs.xfs", "-q", "-m", "reflink=1");
    }

    @Test
    void btrfsSharesWhatIsEqual() throws IOException {
        on("btrfs", "mkfs.btrfs", "-q");
    }

    @Test
    void othersSaySo() throws IOException {
        Requires.loopDevices();
        Requires.tool("mkfs.ext4");
        try (Mounted disk = Mounted.image(Mounted.ext4Image(temp.resolve("image")), temp.resolve("disk"));
                FileRangeDedupe call = new FileRangeDedupe();
                Fd a = file(disk.directory().resolve("a"), new byte[4096]);
                Fd b = file(disk.directory().resolve("b"), new byte[4096])) {
            call.source(0, 4096);
            call.add(b, 0);
            assertThat(call.call(a)).isEqualTo(-Errno.EOPNOTSUPP);
        }
    }

    private void on(String fileSystem, String... mkfs) throws IOException {
        Requires.loopDevices();
        Requires.tool(mkfs[0]);
        Requires.kernelFileSystem(fileSystem);
        byte[] content = new byte[BYTES];
        new Random(1).nextBytes(content);
        byte[] other = content.clone();
        other[BYTES - 1]++;
        try (Mounted disk = Mounted.directFileSystem(
                        temp.resolve("image"), temp.resolve("disk"), "320M", "defaults", mkfs);
                Fd a = file(disk.directory().resolve("a"), content);
                Fd b = file(disk.directory().resolve("b"), content);
                Fd c = file(disk.directory().resolve("c"), other)) {
            share(a, b, c);
            assertThat(Files.readAllBytes(disk.directory().resolve("b"))).isEqualTo(content);
            assertThat(Files.readAllBytes(disk.directory().resolve("c"))).isEqualTo(other);
            assertThat(FileSystemId.ofVolume(a.value())).isEqualTo(FileSystemId.ofVolume(b.value()));
        }
    }

    private static void share(Fd a, Fd b, Fd c) {
        try (FileRangeDedupe call = new FileRangeDedupe();
                Fiemap extents = new Fiemap();
                CacheStat cache = new CacheStat()) {
            long before = place(extents, a);
            assertThat(place(extents, b)).isNotEqualTo(before);
            assertThat(extents.flags(0) & Fiemap.FIEMAP_EXTENT_SHARED).isZero();
            call.source(0, BYTES);
            call.add(b, 0);
            call.add(c, 0);
            call.add(a, 0);
            assertThat(call.call(a)).isZero();
            assertThat(call.status(0)).isEqualTo(FileRangeDedupe.FILE_DEDUPE_RANGE_SAME);
            assertThat(call.bytes(0)).isGreaterThanOrEqualTo(BYTES);
            assertThat(call.status(1)).isEqualTo(FileRangeDedupe.FILE_DEDUPE_RANGE_DIFFERS);
            assertThat(call.status(2)).isEqualTo(-Errno.EINVAL);
            assertThat(place(extents, a)).isEqualTo(before);
            assertThat(place(extents, b)).isEqualTo(before);
            assertThat(extents.flags(0) & Fiemap.FIEMAP_EXTENT_SHARED).isNotZero();
            assertThat(place(extents, c)).isNotEqualTo(before);
            call.source(0, 4096);
            call.add(c, 100);
            assertThat(call.call(a)).isZero();
            assertThat(call.status(0)).as("not aligned").isEqualTo(-Errno.EINVAL);
            long cached = cache.cachedBytes(a, 0, BYTES);
            assertThat(cached == -Errno.ENOSYS || cached >= 4096).isTrue();
        }
    }

    private static long place(Fiemap extents, Fd fd) {
        assertThat(extents.read(fd, 0, Long.MAX_VALUE, Fiemap.FIEMAP_FLAG_SYNC)).isPositive();
        assertThat(extents.count()).isPositive();
        assertThat(extents.logical(0)).isZero();
        assertThat(extents.length(0)).isPositive();
        assertThat(extents.flags(extents.count() - 1) & Fiemap.FIEMAP_EXTENT_LAST)
                .isNotZero();
        return extents.physical(0);
    }

    private static Fd file(Path path, byte[] content) throws IOException {
        Files.write(path, content);
        return Fd.open(Pathname.of(path.toString()), Fd.O_RDWR, 0);
    }
}
