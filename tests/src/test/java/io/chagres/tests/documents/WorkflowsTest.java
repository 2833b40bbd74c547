package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The workflows that a forge runs: {@code .github/workflows}. */
@Tag("it")
class WorkflowsTest {
    private static final Path WORKFLOWS = Repository.root().resolve(".github/workflows");

    private static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(WORKFLOWS)) {
            return files.sorted().toList();
        }
    }

    @Test
    void nothingIsWrongWithThem() throws IOException {
        String actionlint = Requires.goProgram("actionlint", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7")
                .toString();
        List<String> command = new ArrayList<>(List.of(actionlint, "-no-color", "-shellcheck=", "-pyflakes="));
        files().forEach(file -> command.add(file.toString()));
        Program program = Program.run(command);
        assertThat(program.exitCode())
                .as(new String(program.out(), StandardCharsets.UTF_8) + program.err())
                .isZero();
    }

    /** The owner of an action may move its tag; a commit stays what it is. */
    @Test
    void actionsAreThoseOfACommit() throws IOException {
        assertThat(files()).hasSizeGreaterThan(2);
        for (Path file : files()) {
            assertThat(Files.readAllLines(file).stream().filter(line -> line.contains("uses: ")))
                    .as("%s", file)
                    .isNotEmpty()
                    .allMatch(line -> line.matches("[ -]*uses: [a-z-]+/[a-z-]+@[0-9a-f]{40} # v[0-9.]+"));
        }
    }
}
