package io.chagres.tests.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Starts the real program with the real launcher, as it was built before this module. */
@Tag("e2e")
class StartTest {
    private static final String CHAGRES = Repository.root().resolve("chagres").toString();

    @Test
    void printsItsVersionAndNothingElse() {
        Program program = Program.run(List.of(CHAGRES, "--version"));
        assertThat(program.exitCode()).isZero();
        assertThat(program.err()).isEmpty();
        assertThat(text(program)).startsWith("chagres ").hasLineCount(1);
    }

    @Test
    void takesItsClassesFromTheCache() {
        Program program = Program.run(List.of("env", "CHAGRES_JVM_FLAGS=-Xlog:class+load:stderr", CHAGRES, "--help"));
        List<String> loaded =
                program.err().lines().filter(line -> line.contains(" source: ")).toList();
        assertThat(loaded)
                .anyMatch(line -> line.contains(" picocli.CommandLine source: shared objects file"))
                .anyMatch(line -> line.contains(" io.chagres.cli.Main source: shared objects file"));
        assertThat(loaded.stream().filter(line -> !line.contains("shared objects file")))
                .as("classes that are not in the cache")
                .hasSizeLessThan(loaded.size() / 10);
    }

    @Test
    void understandsNamesInAnyLocale() {
        Program program = Program.run(List.of("env", "LC_ALL=C", CHAGRES, "ls", "/nowhere/\u00e4"));
        assertThat(program.exitCode()).isNotZero();
        assertThat(program.err()).contains("/nowhere/\u00e4");
    }

    private static String text(Program program) {
        return new String(program.out(), StandardCharsets.UTF_8);
    }
}
