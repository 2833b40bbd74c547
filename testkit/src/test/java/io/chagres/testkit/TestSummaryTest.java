package io.chagres.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.stream.XMLStreamException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestSummaryTest {
    private static final String FIRST = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuite name="a.FirstTest" time="3.5" tests="4" errors="1" skipped="1" failures="1">
              <properties><property name="x" value="y"/><property name="seed" value="7"/>
                <property name="share" value="3/10"/></properties>
              <testcase name="passes" classname="a.FirstTest" time="1.5">
                <system-out>&lt;failure&gt; is no failure</system-out>
              </testcase>
              <testcase name="fails(int)[1]" classname="a.FirstTest" time="0.2">
                <failure message="&#10;expected: 1&#10;but was: 2" type="X">trace</failure>
                <system-err>said</system-err>
              </testcase>
              <testcase name="breaks" classname="a.FirstTest" time="0.1"><error type="X"/></testcase>
              <testcase name="skips" classname="a.FirstTest" time="0">
                <skipped type="X"><![CDATA[X: Assumption failed: skipped: needs fsx (cargo install fsx)
                at a.b.C]]></skipped>
              </testcase>
            </testsuite>""";
    private static final String SECOND = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuite name="b.SecondTest">
              <testcase name="slow" classname="b.SecondTest" time="1,200.25"/>
              <testcase name="skips" classname="b.SecondTest" time="0"><skipped message="skipped: needs y"/></testcase>
              <testcase name="one" classname="b.SecondTest" time="0">
                <skipped message="skipped: needs fsx (cargo install fsx)"/>
              </testcase>
            </testsuite>""";

    private static TestSummary of(String... reports) throws XMLStreamException {
        TestSummary summary = new TestSummary();
        for (String report : reports) {
            summary.add(new ByteArrayInputStream(report.getBytes(StandardCharsets.UTF_8)), "stores/s3");
        }
        return summary;
    }

    @Test
    void tellsWhatFailedAndWhatWasNotRunAndTheSum() throws XMLStreamException {
        assertThat(of(FIRST, SECOND).lines(List.of(), 0))
                .containsExactly(
                        "FAILED a.FirstTest.fails(int)[1]: expected: 1",
                        "    but was: 2",
                        "  again: ./check.sh -t FirstTest#fails stores/s3 -Dseed=7 -Dshare=3/10",
                        "FAILED a.FirstTest.breaks: without a word",
                        "  again: ./check.sh -t FirstTest#breaks stores/s3 -Dseed=7 -Dshare=3/10",
                        "3 skipped:",
                        "     2 need fsx (cargo install fsx)",
                        "     1 need y",
                        "2 passed, 2 failed, 3 skipped");
    }

    @Test
    void tellsABoundedPartOfAFailure() throws XMLStreamException {
        String report = FIRST.replace("&#10;but was: 2", "&#10;  " + "x".repeat(600) + "&#10;c&#10;d");
        assertThat(of(report).lines(List.of(), 0))
                .startsWith(
                        "FAILED a.FirstTest.fails(int)[1]: expected: 1",
                        "    " + "x".repeat(500) + "...",
                        "    c",
                        "  again: ./check.sh -t FirstTest#fails stores/s3 -Dseed=7 -Dshare=3/10");
    }

    @Test
    void namesTheSlowest() throws XMLStreamException {
        assertThat(of(SECOND, FIRST).lines(List.of(), 2))
                .startsWith(
                        "The slowest tests, in seconds:", "  1200.3 b.SecondTest.slow", "     1.5 a.FirstTest.passes");
    }

    @Test
    void countsAModuleThatCannotBeBuilt() throws XMLStreamException {
        List<String> log = List.of(
                "[ERROR] COMPILATION ERROR : ",
                "[ERROR] Failed to execute goal a:b:1:testCompile (x) on project chagres-archive: no");
        assertThat(of(SECOND).lines(log, 0))
                .contains("FAILED chagres-archive: see the errors of its build above; what needs it was not run")
                .endsWith("1 passed, 1 failed, 2 skipped");
    }

    @Test
    void namesModulesThatWereNotRun() throws XMLStreamException {
        List<String> log = List.of(
                "[INFO] chagres-cli 0.1.0-SNAPSHOT ......................... FAILURE [  1.0 s]",
                "[INFO] chagres-tests ...................................... SKIPPED",
                "[INFO] chagres-bench 0.1.0-SNAPSHOT",
                "[INFO] chagres-mount ...................................... SUCCESS [  1.0 s]");
        assertThat(of(FIRST).lines(log, 0))
                .contains("NOT RUN, because a module they need was not built: chagres-tests")
                .endsWith("1 passed, 2 failed, 1 skipped");
    }

    @Test
    void saysThatNothingWasRun() throws XMLStreamException {
        assertThat(of().lines(List.of(), 20)).endsWith("0 passed, 0 failed, 0 skipped");
    }

    @Test
    @Tag("long") // compiles it
    void readsTheReportsOfAllModules(@TempDir Path root) throws IOException {
        String first = "stores/s3/target/surefire-reports/TEST-a.FirstTest.xml";
        for (String report : List.of(first, "fuse/target/quick/surefire-reports/TEST-b.SecondTest.xml")) {
            Files.createDirectories(root.resolve(report).getParent());
            Files.writeString(root.resolve(report), report.equals(first) ? FIRST : SECOND);
        }
        Path cut = Files.createDirectories(root.resolve("a/target/surefire-reports"));
        Files.writeString(cut.resolve("TEST-c.CutTest.xml"), SECOND.substring(0, 200));
        Files.writeString(cut.resolve("c.CutTest.txt"), "no XML");
        Path source = Repository.root().resolve("testkit/src/main/java/io/chagres/testkit/TestSummary.java");
        Program program = Program.run(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                source.toString(),
                root.toString(),
                root.resolve("none.log").toString(),
                "1"));
        assertThat(new String(program.out(), StandardCharsets.UTF_8))
                .contains("FAILED " + cut.resolve("TEST-c.CutTest.xml"))
                .contains("again: ./check.sh -t FirstTest#breaks stores/s3 -Dseed=7 -Dshare=3/10")
                .matches("(?s).*\\n3 passed, 3 failed, 3 skipped\\n");
        assertThat(program.exitCode()).isEqualTo(1);
    }
}
