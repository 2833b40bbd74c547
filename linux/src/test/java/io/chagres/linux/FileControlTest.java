package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operations on open files, and the user in whose name they are done. */
class FileControlTest {
    @TempDir
    private Path temp;

    private Path file;
    private Fd fd;
    private Fd other;

    @BeforeEach
    void open() throws IOException {
        file = temp.resolve("file");
        fd = Fd.open(FdTest.pathname(file), Fd.O_RDWR | Fd.O_CREAT, 0600);
        other = Fd.open(FdTest.pathname(file), Fd.O_RDONLY, 0);
    }

    @AfterEach
    void close() {
        fd.close();
        other.close();
    }

    @Test
    void syncs() throws IOException {
        assertThat(FileControl.sync(fd, false)).isZero();
        assertThat(FileControl.sync(fd, true)).isZero();
        assertThat(FileControl.syncFileSystem(fd)).isZero();
        try (Fd nothing = Fd.open(Pathname.of("/dev/null"), Fd.O_RDONLY, 0)) {
            assertThat(FileControl.sync(nothing, false)).isEqualTo(-Errno.EINVAL);
        }
    }

    @Test
    void changesWhatAPipeHolds() throws IOException {
        try (Directory here = Directory.open(FdTest.pathname(temp))) {
            here.mkfifo(Pathname.of("pipe"), 0600);
        }
        try (Fd pipe = Fd.open(FdTest.pathname(temp.resolve("pipe")), Fd.O_RDWR | Fd.O_NONBLOCK, 0);
                Arena arena = Arena.ofConfined()) {
            assertThat(FileControl.setPipeSize(pipe, 200_000)).isEqualTo(256 * 1024);
            assertThat(pipe.write(arena.allocate(300_000), 0, 300_000)).isEqualTo(256 * 1024);
            assertThat(FileControl.setPipeSize(pipe, 4096)).isEqualTo(-Errno.EBUSY);
        }
        assertThat(FileControl.setPipeSize(fd, 4096)).isEqualTo(-Errno.EBADF);
    }

    @Test
    void changesSizeAndSpace() throws IOException {
        Requires.disk(temp);
        assertThat(FileControl.truncate(fd, 100_000)).isZero();
        assertThat(Files.size(file)).isEqualTo(100_000);
        assertThat(FileControl.truncate(other, 1)).isEqualTo(-Errno.EINVAL);
        assertThat(FileControl.truncate(fd, Long.MAX_VALUE)).isEqualTo(-Errno.EFBIG);
        assertThat(FileControl.allocate(fd, 0, 0, 200_000)).isZero();
        assertThat(Files.size(file)).isEqualTo(200_000);
        assertThat(FileControl.allocate(fd, FileControl.FALLOC_FL_KEEP_SIZE, 0, 300_000))
                .isZero();
        assertThat(Files.size(file)).isEqualTo(200_000);
        assertThat(FileControl.allocate(fd, FileControl.FALLOC_FL_PUNCH_HOLE, 0, 4096))
                .isEqualTo(-Errno.EOPNOTSUPP);
        assertThat(FileControl.allocate(other, 0, 0, 4096)).isEqualTo(-Errno.EBADF);
        assertThat(FileControl.allocate(fd, 0, 0, 0)).isEqualTo(-Errno.EINVAL);
    }

    @Test
    void appends() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom("hello");
            assertThat(FileControl.append(fd, text, 0, 5)).isEqualTo(5);
            assertThat(FileControl.append(fd, text, 3, 2)).isEqualTo(2);
            assertThat(fd.pwrite(text, 0, 1, 1)).isEqualTo(1);
            assertThat(FileControl.append(other, text, 0, 5)).isEqualTo(-Errno.EBADF);
        }
        assertThat(file).hasContent("hhllolo");
    }

    @Test
    void locksFiles() {
        assertThat(FileControl.lock(fd, FileControl.LOCK_SH)).isZero();
        assertThat(FileControl.lock(other, FileControl.LOCK_SH)).isZero();
        assertThat(FileControl.lock(fd, FileControl.LOCK_EX)).isEqualTo(-Errno.EAGAIN);
        assertThat(FileControl.lock(other, FileControl.LOCK_UN)).isZero();
        assertThat(FileControl.lock(fd, FileControl.LOCK_EX)).isZero();
        assertThat(FileControl.lock(other, FileControl.LOCK_SH)).isEqualTo(-Errno.EAGAIN);
    }

    @Test
    void locksRanges() throws IOException {
        RangeLock shared = new RangeLock(RangeLock.F_RDLCK, 10, 20, 0);
        RangeLock exclusive = new RangeLock(RangeLock.F_WRLCK, 25, 0, 0);
        RangeLock none = new RangeLock(RangeLock.F_UNLCK, 0, 0, 0);
        assertThat(shared.set(other)).isZero();
        assertThat(shared.set(fd)).isZero();
        assertThat(exclusive.set(fd)).isEqualTo(-Errno.EAGAIN);
        assertThat(exclusive.inTheWay(fd)).isEqualTo(new RangeLock(RangeLock.F_RDLCK, 10, 20, -1));
        assertThat(exclusive.set(other)).isEqualTo(-Errno.EBADF);
        assertThat(none.set(other)).isZero();
        assertThat(exclusive.set(fd)).isZero();
        assertThat(shared.inTheWay(fd).type()).isEqualTo(RangeLock.F_UNLCK);
        assertThat(new RangeLock(RangeLock.F_RDLCK, 40, 1, 0).set(other)).isEqualTo(-Errno.EAGAIN);
        RangeLock negative = new RangeLock(RangeLock.F_RDLCK, -1, 1, 0);
        assertThat(negative.set(fd)).isEqualTo(-Errno.EINVAL);
        assertThatExceptionOfType(ErrnoException.class).isThrownBy(() -> negative.inTheWay(fd));
    }

    @Test
    @Tag("it")
    void makesFilesInTheNameOfOthers() throws IOException, InterruptedException, ExecutionException {
        Requires.root();
        Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxrwxrwx"));
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            thread.submit(() -> madeBy(33, 34, 0)).get();
            thread.submit(() -> madeBy(0, 35, 0)).get();
            thread.submit(() -> madeBy(36, 37, 027)).get();
        }
        Files.createFile(temp.resolve("own"));
        assertThat(Files.getAttribute(temp.resolve("own"), "unix:uid")).isEqualTo(0);
    }

    private Void madeBy(int uid, int gid, int umask) throws IOException {
        Path made = temp.resolve("made" + uid);
        FsCredentials caller = FsCredentials.take(uid, gid, FsCredentials.NO_GROUP, umask);
        Fd.open(FdTest.pathname(made), Fd.O_CREAT | Fd.O_RDWR, 0777).close();
        caller.close();
        assertThat(Files.getAttribute(made, "unix:uid")).isEqualTo(uid);
        assertThat(Files.getAttribute(made, "unix:gid")).isEqualTo(gid);
        assertThat(Files.getAttribute(made, "unix:mode")).isEqualTo(Statx.S_IFREG | (0777 & ~umask));
        Path after = temp.resolve("after" + uid);
        Files.createFile(after);
        assertThat(Files.getAttribute(after, "unix:uid")).isEqualTo(0);
        assertThat(Files.getAttribute(after, "unix:gid")).isEqualTo(0);
        return null;
    }

    @Test
    @Tag("it")
    void belongsToAGroupOfOthers() throws IOException, InterruptedException, ExecutionException {
        Requires.root();
        Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path folder = Files.createDirectory(temp.resolve("folder"));
        Files.setAttribute(folder, "unix:gid", 77);
        Files.setAttribute(folder, "unix:mode", 0770);
        Pathname name = FdTest.pathname(folder.resolve("made"));
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            thread.submit(() -> {
                        FsCredentials without = FsCredentials.take(33, 33, FsCredentials.NO_GROUP, 0);
                        int refused = Fd.tryOpen(name, Fd.O_CREAT | Fd.O_RDWR, 0600);
                        without.close();
                        FsCredentials with = FsCredentials.take(33, 33, 77, 0);
                        int made = Fd.tryOpen(name, Fd.O_CREAT | Fd.O_RDWR, 0600);
                        with.close();
                        assertThat(refused).isEqualTo(-Errno.EACCES);
                        assertThat(made).isPositive();
                        Fd.ofValue(made).close();
                        // The thread's own groups are back.
                        assertThat(Files.readString(Path.of("/proc/thread-self/status")))
                                .doesNotContainPattern("Groups:\t.*77");
                        return null;
                    })
                    .get();
        }
    }
}
