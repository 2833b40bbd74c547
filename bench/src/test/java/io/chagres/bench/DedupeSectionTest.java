package io.chagres.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the section dedupe in a form shorter than short: that it works, not what it measures. */
class DedupeSectionTest {
    private static final Path SOURCES = Repository.root().resolve("bench");
    private static final String SECTION = """
            set -euo pipefail
            export LC_ALL=C JAVA_HOME=$3 CHAGRES_BUILD=never
            HERE=$1 BENCH_DIR=$2 TARGET=$2 RESULTS=$2/results RUNS=1 BENCH_SHORT=1 CHAGRES=$1/../chagres
            DEDUPE_FILES=10 DEDUPE_SMALL=400 DEDUPE_CLONES=20 DEDUPE_TINY=50 DEDUPE_DISK_SIZE=400M
            . "$HERE/lib.sh"
            . "$HERE/sections/calls.sh"
            . "$HERE/sections/dedupe.sh"
            CLASS_PATH=$4
            jvm_build() {
                gcc -O2 -shared -fPIC -I"$JAVA_HOME/include" -I"$JAVA_HOME/include/linux" -o "$TARGET/libbench.so" \
                    "$HERE/native/bench.c"
                JVM_PATH=$CLASS_PATH JVM_PROPERTIES=(-Djmh.ignoreLock=true -Dbench.library="$TARGET/libbench.so")
            }
            trap dedupe_down EXIT
            mkdir -p "$RESULTS/raw"
            for source in measure dedupetree kernelcompare; do
                gcc -O2 -Wall -Wextra -Werror -o "$TARGET/$source" "$HERE/c/$source.c"
            done
            section_dedupe
            """;

    @TempDir
    Path directory;

    @Test
    @Timeout(170)
    void becomesTables() {
        Requires.loopDevices();
        Requires.kernelFileSystem("xfs");
        for (String tool : new String[] {"mkfs.xfs", "gcc", "python3"}) {
            Requires.tool(tool);
        }
        Program.ok(
                "bash",
                "-c",
                SECTION,
                "section",
                SOURCES.toString(),
                directory.toString(),
                System.getProperty("java.home"),
                System.getProperty("java.class.path"));

        Path results = directory.resolve("results");
        assertThat(results.resolve("dedupe.csv")).content().contains("A hot,ours,1,", "D,ours,1,", "clones,ours,3,");
        assertThat(results.resolve("dedupe.md"))
                .content()
                .contains("| A hot | ours | ", "| C again with database | ours_db | ", "x the tree | reached |");
        assertThat(results.resolve("dedupe_compare.md"))
                .content()
                .contains("| the kernel, FIDEDUPERANGE over 4 MiB | ", "128 KiB aligned: ours >= 0.95x memcmp");
    }
}
