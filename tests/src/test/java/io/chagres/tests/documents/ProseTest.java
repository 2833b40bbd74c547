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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Vale, a linter for prose, finds nothing in the documents that docs/STYLE.md speaks against. */
@Tag("it")
class ProseTest {
    private static final Path ROOT = Repository.root();

    @TempDir
    private Path directory;

    private static Program check(List<Path> files) {
        Path vale = Requires.goProgram("vale", "github.com/vale-cli/vale/v3/cmd/vale@v3.21.0");
        List<String> command = new ArrayList<>(List.of(vale.toString(), "--output=line", "--no-wrap"));
        command.add("--config=" + ROOT.resolve(".vale.ini"));
        files.forEach(file -> command.add(file.toString()));
        return Program.run(command);
    }

    private static String said(Program program) {
        return new String(program.out(), StandardCharsets.UTF_8) + program.err();
    }

    @Test
    void nothingIsWrongWithTheDocuments() throws IOException {
        List<Path> documents = Repository.files().stream()
                .filter(file -> file.toString().endsWith(".md"))
                .filter(file -> !file.startsWith(ROOT.resolve("bench/results")))
                .toList();
        assertThat(documents).hasSizeGreaterThan(60);
        Program program = check(documents);
        assertThat(program.exitCode()).as(said(program)).isZero();
    }

    @Test
    void findsOneFaultOfEachKind() throws IOException {
        Path page = Files.writeString(
                directory.resolve("page.md"), """
                # Page

                The run goes on.

                What it holds stays.

                The `run goes on`. A log of the host stays.

                %s.
                """.formatted("word ".repeat(61).strip()));
        Program program = check(List.of(page));
        assertThat(program.exitCode()).isOne();
        assertThat(said(program)
                        .lines()
                        .map(line -> line.replaceFirst(".*page.md:(\\d+):.*(Chagres.\\w+):.*", "$1 $2")))
                .containsExactlyInAnyOrder("3 Chagres.Words", "5 Chagres.Subjects", "9 Chagres.Sentences");
    }
}
