package io.chagres.spark;

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
import org.apache.spark.SparkConf;
import org.apache.spark.api.python.Py4JServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the examples of Spark in {@code docs/QUERY.md}. Python's part of Spark talks to this process as it does to the
 * one that it would start, so that the jars are those of Maven, and the source is what was compiled.
 */
@Tag("it")
final class SparkDocumentTest {
    private static final Pattern EXAMPLE =
            Pattern.compile("```python\n(.*?)```\n\n```text\n(.*?)```\n", Pattern.DOTALL);
    private static final String SESSION = """
            import os
            os.environ["PYSPARK_GATEWAY_PORT"] = "%d"
            os.environ["PYSPARK_GATEWAY_SECRET"] = "%s"
            from pyspark.sql import SparkSession
            spark = (SparkSession.builder.appName("document").master("local[2]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.sql.session.timeZone", "UTC")
                .config("spark.sql.warehouse.dir", "/mnt/errors/warehouse")
                .getOrCreate())
            """;

    @TempDir
    Path archive = Path.of("");

    @TempDir
    Path errors = Path.of("");

    @Test
    void theExamplesWork() throws IOException {
        Requires.tool("python3");
        Requires.pythonModule("pyspark.core", "pyspark==4.2.0");
        QueryArchive.write(archive, false);
        String document = Files.readString(Path.of("../../docs/QUERY.md"));
        String spark = document.substring(document.indexOf("## Spark"));
        List<String> wanted = new ArrayList<>();
        StringBuilder program = new StringBuilder();
        for (Matcher examples = EXAMPLE.matcher(spark); examples.find(); ) {
            program.append(examples.group(1)).append("print('####')\n");
            wanted.add(examples.group(2).strip());
        }
        assertThat(wanted).hasSize(spark.split("```python").length - 1).hasSize(3);
        Program run = run(program + "spark.stop()\n");
        assertThat(new String(run.out(), StandardCharsets.UTF_8).split("####"))
                .as(run.err())
                .extracting(String::strip)
                .containsSubsequence(wanted);
    }

    private Program run(String program) {
        Py4JServer server = new Py4JServer(new SparkConf(false));
        server.start();
        try {
            String own = (SESSION.formatted(server.getListeningPort(), server.secret()) + program)
                    .replace("/mnt/archive", archive.toString())
                    .replace("/mnt/errors", errors.toString());
            return Program.run(List.of("python3", "-c", own), 300);
        } finally {
            server.shutdown();
        }
    }
}
