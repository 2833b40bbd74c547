package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FdTest {
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(1 << 20);

    private final Path temp;

    private Path file;
    private Fd fd;

    FdTest(@TempDir Path temp) {
        this.temp = temp;
    }

    @BeforeEach
    void open() throws IOException {
        file = temp.resolve("file");
        fd = Fd.open(pathname(file), Fd.O_RDWR | Fd.O_CREAT | Fd.O_EXCL, 0640);
    }

    @AfterEach
    void close() {
        fd.close();
        arena.close();
    }

    static Pathname pathname(Path path) {
        return Pathname.of(path.toString());
    }

    @Test
    void bytesWrittenAreRead() throws IOException {
        text("hello world");
        fd.writeFully(buffer, 0, 5);
        fd.writeFully(buffer, 5, 6);
        assertThat(file).hasContent("hello world");
        assertThat(fd.pread(buffer, 100, 5, 6)).isEqualTo(5);
        assertThat(string(100, 5)).isEqualTo("world");
        assertThat(Fd.pread(fd.value(), buffer, 200, 50, 9)).isEqualTo(2);
        assertThat(fd.pread(buffer, 0, 50, 11)).isZero();
        assertThat(fd.pread(buffer, 0, 50, 5000)).isZero();
        assertThat(fd.pwrite(buffer, 100, 5, 0)).isEqualTo(5);
        assertThat(file).hasContent("world world");
    }

    @Test
    void pagesThatAreNotOnTheDiskAreCounted() throws IOException {
        fd.writeFully(buffer, 0, 10_000);
        try (CacheStat cache = new CacheStat()) {
            long unwritten = cache.unwrittenBytes(fd);
            if (unwritten >= 0 && FileSystemId.timesStores(FileSystemId.typeOf(fd.value()))) {
                assertThat(unwritten).isPositive();
            }
            fd.fdatasync();
            assertThat(cache.unwrittenBytes(fd)).isLessThanOrEqualTo(0);
        }
    }

    @Test
    void readingMovesOn() throws IOException {
        Files.writeString(file, "abcdef");
        assertThat(fd.read(buffer, 0, 4)).isEqualTo(4);
        assertThat(fd.read(buffer, 4, 4)).isEqualTo(2);
        assertThat(fd.read(buffer, 6, 4)).isZero();
        assertThat(string(0, 6)).isEqualTo("abcdef");
    }

    @Test
    void fullReadsEndAtTheLengthOrTheEnd() throws IOException {
        buffer.fill((byte) 7);
        fd.pwriteFully(buffer, 0, 1 << 20, 3);
        assertThat(fd.preadFully(buffer, 0, 1 << 20, 0)).isEqualTo(1 << 20);
        assertThat(buffer.get(ValueLayout.JAVA_INT, 0)).isEqualTo(7 << 24);
        assertThat(fd.preadFully(buffer, 0, 1 << 20, 100)).isEqualTo((1 << 20) + 3 - 100);
    }

    @Test
    void buffersAreChecked() {
        assertThatThrownBy(() -> fd.pread(buffer, 1, 1 << 20, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> fd.pread(buffer, -1, 1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> fd.read(buffer.asReadOnly(), 0, 1)).isInstanceOf(IllegalArgumentException.class);
        MemorySegment heap = MemorySegment.ofArray(new byte[8]);
        assertThatThrownBy(() -> fd.pread(heap, 0, 8, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> fd.writeFully(heap, 0, 8)).isInstanceOf(IllegalArgumentException.class);
        MemorySegment freed;
        try (Arena short0 = Arena.ofConfined()) {
            freed = short0.allocate(8);
        }
        assertThatThrownBy(() -> fd.pread(freed, 0, 8, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> fd.writeFully(freed, 0, 8)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingIsIdempotentAndFinal() throws IOException {
        assertThat(fd.isOpen()).isTrue();
        fd.close();
        fd.close();
        assertThat(fd.isOpen()).isFalse();
        assertThat(fd.value()).isEqualTo(-1);
        assertThat(fd.pread(buffer, 0, 1, 0)).isEqualTo(-Errno.EBADF);
        assertThatThrownBy(fd::fsync).isInstanceOf(ErrnoException.class).hasMessageContaining("EBADF");
        assertThatThrownBy(() -> Fd.ofValue(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void failuresNameTheFile() throws IOException {
        Pathname missing = pathname(temp.resolve("missing"));
        assertThatThrownBy(() -> Fd.open(missing, Fd.O_RDONLY, 0))
                .hasMessage("open " + missing + ": No such file or directory (ENOENT)");
        assertThat(Fd.tryOpen(missing, Fd.O_RDONLY, 0)).isEqualTo(-Errno.ENOENT);
        try (Fd reading = Fd.open(pathname(file), Fd.O_RDONLY, 0)) {
            assertThatThrownBy(() -> reading.truncate(1)).hasMessageContaining("ftruncate " + file);
            assertThatThrownBy(() -> reading.writeFully(buffer, 0, 1)).hasMessageContaining("EBADF");
        }
    }

    @Test
    void flagsAreThoseOfThisArchitecture() throws IOException {
        Path link = Files.createSymbolicLink(temp.resolve("link"), file);
        assertThat(Fd.tryOpen(pathname(link), Fd.O_RDONLY | Fd.O_NOFOLLOW, 0)).isEqualTo(-Errno.ELOOP);
        assertThat(Fd.tryOpen(pathname(file), Fd.O_RDONLY | Fd.O_DIRECTORY, 0)).isEqualTo(-Errno.ENOTDIR);
        assertThat(Fd.tryOpen(pathname(file), Fd.O_RDWR | Fd.O_CREAT | Fd.O_EXCL, 0))
                .isEqualTo(-Errno.EEXIST);
        try (Fd place = Fd.open(pathname(file), Fd.O_PATH, 0)) {
            assertThat(place.pread(buffer, 0, 1, 0)).isEqualTo(-Errno.EBADF);
        }
        try (Fd unnamed = Fd.open(pathname(temp), Fd.O_TMPFILE | Fd.O_RDWR, 0600);
                Statx stat = new Statx()) {
            assertThat(stat.of(unnamed.value())).isZero();
            assertThat(stat.nlink()).isZero();
        }
        Files.writeString(file, "abc");
        try (Fd appending = Fd.open(pathname(file), Fd.O_WRONLY | Fd.O_APPEND | Fd.O_NOATIME | Fd.O_NONBLOCK, 0)) {
            text("d");
            appending.writeFully(buffer, 0, 1);
        }
        assertThat(file).hasContent("abcd");
        Fd.open(pathname(file), Fd.O_WRONLY | Fd.O_TRUNC, 0).close();
        assertThat(file).isEmptyFile();
    }

    @Test
    void everyDescriptorClosesOnExec() throws IOException {
        String info = Files.readString(Path.of("/proc/self/fdinfo/" + fd.value()));
        assertThat(info.lines()
                        .filter(line -> line.startsWith("flags:"))
                        .findFirst()
                        .orElse(""))
                .matches("flags:\\s+0?2\\d{6}");
    }

    @Test
    void attributesAreSet() throws IOException {
        fd.chmod(0604);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw----r--");
        fd.chown(-1, -1);
        fd.truncate(1234);
        assertThat(file).hasSize(1234);
        fd.setTimes(Long.MIN_VALUE, 1_000_000_007L);
        assertThat(Files.getLastModifiedTime(file).toInstant()).hasToString("1970-01-01T00:00:01.000000007Z");
        fd.setTimes(5, Long.MIN_VALUE);
        assertThat(Files.getLastModifiedTime(file).toInstant()).hasToString("1970-01-01T00:00:01.000000007Z");
        fd.setTimes(Long.MIN_VALUE, -1);
        assertThat(Files.getLastModifiedTime(file).toInstant()).hasToString("1969-12-31T23:59:59.999999999Z");
        fd.fsync();
        fd.fdatasync();
        fd.advise(0, 0, Fd.POSIX_FADV_DONTNEED);
    }

    @Test
    void copyingStaysInTheKernel() throws IOException {
        Files.writeString(file, "0123456789");
        try (Fd target = Fd.open(pathname(temp.resolve("copy")), Fd.O_RDWR | Fd.O_CREAT, 0600)) {
            assertThat(fd.copyFileRange(2, target, 1, 5)).isEqualTo(5);
            assertThat(fd.copyFileRange(8, target, 6, 50)).isEqualTo(2);
            assertThat(fd.copyFileRange(10, target, 8, 50)).isZero();
            assertThat(temp.resolve("copy")).hasBinaryContent("\0002345689".getBytes());
        }
    }

    @Test
    void dataAndHolesAreFound() throws IOException {
        fd.pwriteFully(buffer, 0, 1, 1 << 20);
        fd.truncate(3 << 20);
        assertThat(fd.seekData(0)).isBetween(1L, 1L << 20);
        assertThat(fd.seekHole(0)).isZero();
        assertThat(fd.seekHole(1 << 20)).isBetween((1L << 20) + 1, 3L << 20);
        assertThat(fd.seekData(2 << 20)).isIn(-(long) Errno.ENXIO, 2L << 20);
        assertThat(fd.seekHole(4 << 20)).isEqualTo(-Errno.ENXIO);
    }

    @Test
    void theLockIsExclusive() throws IOException {
        assertThat(fd.tryLockExclusive()).isTrue();
        assertThat(fd.tryLockExclusive()).isTrue();
        try (Fd other = Fd.open(pathname(file), Fd.O_RDWR, 0)) {
            assertThat(other.tryLockExclusive()).isFalse();
            fd.close();
            assertThat(other.tryLockExclusive()).isTrue();
        }
    }

    @Test
    void theLeaseTellsWhetherAnybodyWrites() throws IOException {
        try (Fd reading = Fd.open(pathname(file), Fd.O_RDONLY, 0)) {
            assertThat(reading.probeReadLease()).isEqualTo(-Errno.EAGAIN);
            fd.close();
            assertThat(reading.probeReadLease()).isZero();
            try (Fd writing = Fd.open(pathname(file), Fd.O_WRONLY, 0)) {
                assertThat(writing.isOpen()).isTrue();
                assertThat(reading.probeReadLease()).isEqualTo(-Errno.EAGAIN);
            }
            assertThat(reading.probeReadLease()).isZero();
        }
    }

    private void text(String text) {
        MemorySegment.copy(text.getBytes(), 0, buffer, ValueLayout.JAVA_BYTE, 0, text.length());
    }

    private String string(long offset, int length) {
        return new String(buffer.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
    }
}
