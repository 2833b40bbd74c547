package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.QueryArchive;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the examples of {@code docs/QUERY.md}, and asks the index of objects what is where. */
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
        String packages = Path.of("../python").toAbsolutePath().normalize().toString();
        Path archive = directory.resolve("archive");
        QueryArchive.write(archive, true);
        String document = Files.readString(Path.of("../docs/QUERY.md"));
        document = document.substring(0, document.indexOf("## Spark")); // whose own test runs what follows
        Matcher examples = EXAMPLE.matcher(document);
        int count = 0;
        for (; examples.find(); count++) {
            String program = examples.group(2).replace("/mnt/archive", archive.toString());
            String shell = examples.group(1).equals("sh") ? "bash" : "python3";
            Program run = Program.run(List.of("env", "PYTHONPATH=" + packages, shell, "-c", program));
            String said = new String(run.out(), StandardCharsets.UTF_8);
            assertThat(PROGRESS.matcher(said).replaceAll(""))
                    .as(program + run.err())
                    .isEqualTo(examples.group(3));
        }
        assertThat(count).isEqualTo(6);
        assertThat(document.split("```(sh|python)")).hasSize(count + 1);
    }

    @Test
    void saysWhatIsWhere() throws IOException {
        Requires.tool("zstd");
        QueryArchive.write(directory, true);
        List<String> lines = new ArrayList<>();
        try (Stream<Path> indexes = Files.list(directory.resolve("hosts/" + QueryArchive.ID + "/index"))) {
            List<Path> all = indexes.toList();
            assertThat(all).hasSize(1); // of the checkpoint that stayed
            Program zstd = Program.run(List.of("zstd", "-dc", all.getFirst().toString()));
            lines.addAll(new String(zstd.out(), StandardCharsets.UTF_8).lines().toList());
        }
        assertThat(lines).hasSize(6);
        String rest = "\",\"first\":\"2026-11-22T08:30:00.000Z\",\"last\":\"2026-11-22T08:30:01.000Z\",";
        assertThat(lines.getFirst())
                .contains(rest.substring(2))
                .contains("\"lines\":80000,")
                .endsWith("\"host\":\"web1\",\"path\":\"/var/log/app.log\",\"named\":true,"
                        + "\"version\":\"0000000000000001\",\"state\":\"growing\",\"start\":0,\"end\":"
                        + QueryArchive.lines(60_000)
                                .concat(QueryArchive.lines(20_000))
                                .length() + "}");
        assertThat(lines.get(1)).contains("\"lines\":50000,").contains("2026-11-22T09:30:00.000Z");
        assertThat(lines.get(3)).contains("\"offset\":4,\"length\":8,\"lines\":2,");
    }
}
