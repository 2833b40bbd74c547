package io.chagres.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import org.junit.jupiter.api.Test;

/** Numbers of files say what they are. */
class FileNumbersTest {
    @Test
    void hostAndVersionComeBack() {
        long most = FileNumbers.file(FileNumbers.MAX_HOSTS - 1, FileNumbers.MAX_VERSION);
        assertThat(most).isPositive();
        assertThat(FileNumbers.isFile(most)).isTrue();
        assertThat(FileNumbers.slot(most)).isEqualTo(FileNumbers.MAX_HOSTS - 1);
        assertThat(FileNumbers.version(most)).isEqualTo(FileNumbers.MAX_VERSION);
        long least = FileNumbers.file(0, 1);
        assertThat(FileNumbers.slot(least)).isZero();
        assertThat(FileNumbers.version(least)).isEqualTo(1);
        assertThat(FileNumbers.isFile(FileNumbers.ROOT)).isFalse();
    }

    @Test
    void inodesAreTheSameEachTimeAndDifferOtherwise() {
        assertThat(FileNumbers.inode(7, 1)).isEqualTo(FileNumbers.inode(7, 1)).isPositive();
        assertThat(FileNumbers.inode(7, 1))
                .isNotEqualTo(FileNumbers.inode(7, 2))
                .isNotEqualTo(FileNumbers.inode(8, 1));
        Pathname path = Pathname.of("/var/log");
        assertThat(FileNumbers.inode(7, path)).isEqualTo(FileNumbers.inode(7, Pathname.of("/var/log")));
        assertThat(FileNumbers.inode(7, path)).isNotEqualTo(FileNumbers.inode(7, Pathname.of("/var/lib")));
    }
}
