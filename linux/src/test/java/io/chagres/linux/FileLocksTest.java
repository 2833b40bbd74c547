package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.ErrnoException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileLocksTest {
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
            assertThat(file.tryLockExclusive()).isTrue();
            assertThat(FileLocks.isHolder(self)).isTrue();
        }
    }
}
