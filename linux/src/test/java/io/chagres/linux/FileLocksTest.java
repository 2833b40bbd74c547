package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.ErrnoException;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Requires;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileLocksTest {
    private static final int F_DUPFD = 0;

    @Test
    void findsHoldersAndNotThoseWhoWait() {
        String table = "1: FLOCK  ADVISORY  WRITE 7267 fe:00:9986065 0 EOF\n"
                + "1: -> FLOCK  ADVISORY  WRITE 7268 fe:00:9986065 0 EOF\n"
                + "2: POSIX  ADVISORY  WRITE 4210 fe:00:9987182 0 EOF\n";
        assertThat(FileLocks.isHolder(table, "7267")).isTrue();
        assertThat(FileLocks.isHolder(table, "7268")).isFalse();
        assertThat(FileLocks.isHolder(table, "4210")).isFalse();
    }

    @Test
    void findsALockOfThisProcess(@TempDir Path temp) throws ErrnoException {
        long self = ProcessHandle.current().pid();
        Pathname path = Pathname.of(temp.resolve("lock").toString());
        try (Fd file = Fd.open(path, Fd.O_RDWR | Fd.O_CREAT, 0600)) {
            assertThat(FileLocks.isHolder(self)).isFalse();
            assertThat(FileLocks.holders(file)).isEmpty();
            assertThat(file.tryLockExclusive()).isTrue();
            assertThat(FileLocks.isHolder(self)).isTrue();
            assertThat(FileLocks.holders(file)).containsExactly(self);
        }
    }

    /** Each file system counts inodes by itself: who locks a file of the same number elsewhere must get no signal. */
    @Test
    @Tag("it")
    void aLockOfAFileOfTheSameInodeNumberIsAnother(@TempDir Path temp) throws ErrnoException {
        Requires.root();
        try (Mounted one = Mounted.tmpfs(temp.resolve("one"), "size=1m");
                Mounted two = Mounted.tmpfs(temp.resolve("two"), "size=1m");
                Fd first =
                        Fd.open(Pathname.of(one.directory().resolve("lock").toString()), Fd.O_RDWR | Fd.O_CREAT, 0600);
                Fd second =
                        Fd.open(Pathname.of(two.directory().resolve("lock").toString()), Fd.O_RDWR | Fd.O_CREAT, 0600);
                Statx stat = new Statx()) {
            assertThat(stat.of(first.value())).isZero();
            long ino = stat.ino();
            assertThat(stat.of(second.value())).isZero();
            assertThat(stat.ino()).isEqualTo(ino);
            assertThat(first.tryLockExclusive()).isTrue();
            assertThat(FileLocks.holders(first)).hasSize(1);
            // this process has the second one open as well, so that only the lock itself differs
            assertThat(FileLocks.holders(second)).isEmpty();
        }
    }

    /** As of a process that was forked and executes a program soon: closing alone leaves the lock to it. */
    @Test
    void aLockIsGivenBackAlsoWhereAnotherHasTheOpenFile(@TempDir Path temp) throws ErrnoException {
        Pathname path = Pathname.of(temp.resolve("lock").toString());
        Fd first = Fd.open(path, Fd.O_RDWR | Fd.O_CREAT, 0600);
        assertThat(first.tryLockExclusive()).isTrue();
        try (Fd copied = Fd.ofValue(FileCalls.fcntl(first.value(), F_DUPFD, 0));
                Fd other = Fd.open(path, Fd.O_RDWR, 0)) {
            assertThat(copied.value()).isPositive();
            FileLocks.release(first);
            first.close();
            assertThat(other.tryLockExclusive()).isTrue();
        }
    }
}
