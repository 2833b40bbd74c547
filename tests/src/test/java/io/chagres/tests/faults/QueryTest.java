package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.QueryArchive;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the examples of {@code docs/QUERY.md}. */
@Tag("e2e")
class QueryTest {
    private static final Pattern EXAMPLE =
            Pattern.compile("```(sh|python)\n(.*?)```\n\n```text\n(.*?)```\n", Pattern.DOTALL);

    /** DuckDB draws a bar when a query takes two seconds. */
    private static final Pattern PROGRESS = Pattern.compile("\\s*(?:[^\n]*\u2595[^\n]*\n)+");

    @TempDir
    private Path directory;

    @Test
    void theExamplesWork() throws IOException {
        Requires.tool("zstd");
        Requires.tool("jq");
        Requires.tool("python3");
        Requires.pythonModule("duckdb", "duckdb==2.0.0");
        Requires.pythonModule("zstandard", "zstandard==0.25.0");
        Requires.pythonModule("pyarrow", "pyarrow==26.0.1");
        Requires.pythonModule("fsspec", "fsspec==2026.9.0");
        Requires.pythonModule("pandas", "pandas==3.1.1");
        Path repository = Chagres.repository();
        Path program = directory.resolve("chagres");
        Files.writeString(program, "#!/bin/sh\nexec '" + String.join("' '", Chagres.command()) + "' \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path archive = directory.resolve("archive");
        QueryArchive.write(archive, true);
        String document = Files.readString(repository.resolve("docs/QUERY.md"));
        document = document.substring(0, document.indexOf("## Spark")); // whose own test runs what follows
        Matcher examples = EXAMPLE.matcher(document);
        int count = 0;
        for (; examples.find(); count++) {
            String example = examples.group(2).replace("/mnt/archive", archive.toString());
            String shell = examples.group(1).equals("sh") ? "bash" : "python3";
            Program run = Program.run(List.of(
                    "env",
                    "PATH=" + directory + ":" + System.getenv("PATH"),
                    "PYTHONPATH=" + repository.resolve("python"),
                    shell,
                    "-c",
                    example));
            String said = new String(run.out(), StandardCharsets.UTF_8);
            assertThat(PROGRESS.matcher(said).replaceAll(""))
                    .as(example + run.err())
                    .isEqualTo(examples.group(3));
        }
        assertThat(count).isEqualTo(6);
        assertThat(document.split("```(sh|python)")).hasSize(count + 1);
    }
}
