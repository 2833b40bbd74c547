package io.chagres.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs each benchmark for a moment: that it works and gives the right result, not what it measures. */
@Tag("e2e")
class BenchmarksTest {
    private static final Path SOURCES = Repository.root().resolve("bench");

    @TempDir
    static Path directory;

    @BeforeAll
    static void buildLibrary() {
        Requires.tool("gcc");
        Path library = directory.resolve("libbench.so");
        Path headers = Path.of(System.getProperty("java.home"), "include");
        Program.ok(
                "gcc",
                "-O2",
                "-shared",
                "-fPIC",
                "-I" + headers,
                "-I" + headers.resolve("linux"),
                "-o",
                library.toString(),
                SOURCES.resolve("native/bench.c").toString());
        System.setProperty("jmh.ignoreLock", "true"); // nothing is measured, so others may run
        System.setProperty("bench.library", library.toString());
        System.setProperty("bench.dir", directory.toString());
        System.setProperty("bench.bytes", String.valueOf(4 << 20));
    }

    @Test
    void allRunAndBecomeTables() throws RunnerException, IOException {
        Requires.tool("python3");
        Path results = Files.createDirectories(directory.resolve("results/raw"));
        Options options = new OptionsBuilder()
                .exclude("IdentityCold") // drops the caches of the whole machine
                .exclude("ListDirectory") // needs a mount, see FuseSectionTest
                .forks(0)
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(2))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .addProfiler(Cpu.class)
                .resultFormat(ResultFormatType.JSON)
                .result(results.resolve("calls.json").toString())
                .build();
        assertThat(new Runner(options).run()).hasSizeGreaterThan(100);

        Program.ok(
                "python3",
                SOURCES.resolve("tables/jmh_tables.py").toString(),
                results.getParent().toString());
        assertThat(results.resolveSibling("calls_read.md")).content().contains("FileInputStream");
        assertThat(results.resolveSibling("calls_compare.svg")).content().endsWith("</svg>\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"idle", "spinning", "heapReader", "plain", "ffmCritical", "jniCritical", "mapped"})
    void safepointsAreAskedForWhileAThreadReads(String reader)
            throws IOException, InterruptedException, ExecutionException {
        Safepoints.main(new String[] {reader, "cold", "0.1"});
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "parameter", "scopedValue", "threadLocal", "ofThread", "ofThreadInFrame"})
    void threadsPark(String attachment) throws IOException, InterruptedException {
        ParkedThreads.main(new String[] {attachment, "10"});
    }

    @ParameterizedTest
    @CsvSource({"jdk, catchup", "jdk, steady", "ours, catchup", "ours, steady"})
    void newBytesAreRead(String way, String load) throws IOException {
        ReadingNew.main(new String[] {way, load, "0.1"});
    }
}
