package io.chagres.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the section mount in its short form: that it works, not what it measures. */
class MountSectionTest {
    private static final Path SOURCES = Repository.root().resolve("bench");
    private static final String SECTION = """
            set -euo pipefail
            export LC_ALL=C JAVA_HOME=$3 CHAGRES_BUILD=never
            HERE=$1 BENCH_DIR=$2 TARGET=$2 RESULTS=$2/results RUNS=1 BENCH_SHORT=1 CHAGRES=$1/../chagres
            . "$HERE/lib.sh"
            . "$HERE/sections/s3.sh"
            . "$HERE/sections/mount.sh"
            CLASS_PATH=$4
            jvm_build() { JVM_PATH=$CLASS_PATH; }
            trap mount_cleanup EXIT
            mkdir -p "$RESULTS"
            for source in appender loggen measure mkfiles readloop; do
                gcc -O2 -Wall -Wextra -Werror -o "$TARGET/$source" "$HERE/c/$source.c"
            done
            section_mount
            """;

    @TempDir
    Path directory;

    @AfterEach
    void leavesNothingMounted() {
        for (String place : List.of("mnt", "plain")) {
            Program.run(List.of("umount", "--lazy", directory.resolve(place).toString()));
        }
    }

    @Test
    @Timeout(170)
    void becomesTables() {
        Requires.root();
        Requires.fuse();
        List.of("gcc", "python3", "zstd", "zstdgrep").forEach(Requires::tool);
        Program.ok(
                "bash",
                "-c",
                SECTION,
                "section",
                SOURCES.toString(),
                directory.toString(),
                System.getProperty("java.home"),
                System.getProperty("java.class.path"));

        assertThat(directory.resolve("results/mount.md"))
                .content()
                .contains("| cached `ls -l` <= 2x local disk |")
                .contains("| a directory, `--max-lag 1s` |");
        assertThat(directory.resolve("results/mount.csv")).content().contains("many_find_rss,", "seq_zstd,", "random,");
    }
}
