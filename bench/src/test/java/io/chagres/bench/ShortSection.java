package io.chagres.bench;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import java.nio.file.Path;

/** Runs a section in its short form, as {@code bench/run.sh} would, on classes that are compiled already. */
public final class ShortSection {
    /** Where the sections are. */
    public static final Path SOURCES = Repository.root().resolve("bench");

    private static final String PRELUDE = """
            set -euo pipefail
            export LC_ALL=C JAVA_HOME=$3
            HERE=$1 BENCH_DIR=$2 TARGET=$2 RESULTS=$2/results RUNS=1 BENCH_SHORT=1 CHAGRES=$1/../chagres
            . "$HERE/sections/lib.sh"
            for section in $5; do . "$HERE/sections/$section.sh"; done
            CLASS_PATH=$4
            jvm_build() {
                gcc -O2 -shared -fPIC -I"$JAVA_HOME/include" -I"$JAVA_HOME/include/linux" -o "$TARGET/libbench.so" \
                    "$HERE/native/bench.c"
                JVM_PATH=$CLASS_PATH JVM_PROPERTIES=(-Djmh.ignoreLock=true -Dbench.library="$TARGET/libbench.so")
            }
            mkdir -p "$RESULTS/raw"
            for source in $6; do
                gcc -O2 -Wall -Wextra -Werror -o "$TARGET/$source" "$HERE/c/$source.c"
            done
            """;

    private ShortSection() {}

    /**
     * Runs a script and fails if that fails. The results are then in {@code results} of the directory.
     *
     * @param directory where everything goes
     * @param sections the files of {@code bench/sections} that it needs, words
     * @param programs the programs of {@code bench/c} that it needs, words
     * @param script what to run
     */
    public static void run(Path directory, String sections, String programs, String script) {
        Program.ok(
                "bash",
                "-c",
                PRELUDE + script,
                "section",
                SOURCES.toString(),
                directory.toString(),
                System.getProperty("java.home"),
                System.getProperty("java.class.path"),
                sections,
                programs);
    }
}
