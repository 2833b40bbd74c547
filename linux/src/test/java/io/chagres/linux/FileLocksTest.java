package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.ErrnoException;
import java.nio.file.Path;
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
        assertThat(FileLocks.holders(table, 9986065)).containsExactly(7267L);
        assertThat(FileLocks.holders(table, 9987182)).isEmpty();
        assertThat(FileLocks.holders(table, 86065)).isEmpty();
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
