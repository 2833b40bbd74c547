package io.chagres.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Turn;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the section mount in a form shorter than short: that it works, not what it measures. */
@Tag("e2e")
@Turn(value = 3, of = 4)
class MountSectionTest {

    @TempDir
    Path directory;

    @AfterEach
    void leavesNothingMounted() {
        for (String place : List.of("mnt", "plain")) {
            Program.run(List.of("umount", "--lazy", directory.resolve(place).toString()));
        }
    }

    @Test
    void becomesTables() {
        Requires.root();
        Requires.fuse();
        List.of("gcc", "python3", "zstd", "zstdgrep").forEach(Requires::tool);
        ShortSection.run(directory, "calls s3 mount", "appender loggen measure mkfiles readloop", """
                trap mount_cleanup EXIT
                mount_drop_caches() { :; } # those of the tests beside it
                mount_sizes() {
                    MOUNT_MANY=2000 MOUNT_TREE=200 MOUNT_MIB=16 MOUNT_FOLLOW_S=2 MOUNT_READS=50 MOUNT_ROUNDS=2
                }
                section_mount
                """);

        assertThat(directory.resolve("results/mount.md"))
                .content()
                .contains("| cached `ls -l` <= 2x local disk |")
                .contains("| a directory, `--max-lag 1s` |");
        assertThat(directory.resolve("results/mount.csv"))
                .content()
                .contains("many_find_rss,", "log_warm_rss,", "seq_zstd,", "random,");
    }
}
