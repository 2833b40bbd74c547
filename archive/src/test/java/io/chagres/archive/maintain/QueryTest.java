package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.read.Host;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the examples of {@code docs/QUERY.md}, and asks the index of objects what is where. */
class QueryTest {
    private static final String ID = "0123456789abcdef";
    private static final Pattern EXAMPLE =
            Pattern.compile("```(sh|python)\n(.*?)```\n\n```text\n(.*?)```\n", Pattern.DOTALL);

    @TempDir
    private Path directory;

    private static void compact(DirectoryStore store) throws IOException {
        Compact.Listener listener = new Compact.Listener() {
            @Override
            public void progress(long doneBytes, long totalBytes) {}

            @Override
            public void skipped(String subject, CorruptArchiveException cause) {
                throw new AssertionError(subject, cause);
            }
        };
        new Compact(store, new Compact.Options(0, 0, 1, 64 << 20, false), () -> Long.MAX_VALUE, listener).host(ID);
    }

    private static String lines(int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append("line ").append(i).append(i % 100 == 7 ? " with an error in it\n" : " of a log that is long\n");
        }
        return text.toString();
    }

    /** Writes the archive that the document speaks of. */
    private void write() throws IOException {
        try (DirectoryStore store = DirectoryStore.open(Pathname.of(directory.toString()), true);
                Host host = new Host(store, ID, "web1")) {
            host.timeMs = Instant.parse("2026-11-22T08:30:00Z").toEpochMilli();
            long log = host.file("/var/log/app.log", lines(60_000));
            host.file("/etc/a", "a 1\n");
            host.file("/etc/b", "b 1\nb 2\n");
            host.file("/etc/c", "c 1\nc 2\nc 3\n");
            host.commit();
            host.inline(log, lines(20_000));
            host.commit();
            compact(store);
            host.timeMs = Instant.parse("2026-11-22T09:30:00Z").toEpochMilli();
            host.inline(log, lines(50_000));
            host.file("/etc/d\"\n", "d");
            host.commit();
            compact(store);
        }
    }

    @Test
    void theExamplesWork() throws IOException {
        Requires.tool("zstd");
        Requires.tool("jq");
        Requires.tool("python3");
        Requires.pythonModule("duckdb", "duckdb==2.0.0");
        write();
        String document = Files.readString(Path.of("../docs/QUERY.md"));
        Matcher examples = EXAMPLE.matcher(document);
        int count = 0;
        for (; examples.find(); count++) {
            String program = examples.group(2).replace("/mnt/archive", directory.toString());
            String shell = examples.group(1).equals("sh") ? "bash" : "python3";
            Program run = Program.run(List.of(shell, "-c", program));
            assertThat(new String(run.out(), StandardCharsets.UTF_8))
                    .as(program + run.err())
                    .isEqualTo(examples.group(3));
        }
        assertThat(count).isEqualTo(3);
        assertThat(document.split("```(sh|python)")).hasSize(count + 1);
    }

    @Test
    void saysWhatIsWhere() throws IOException {
        Requires.tool("zstd");
        write();
        List<String> lines = new ArrayList<>();
        try (Stream<Path> indexes = Files.list(directory.resolve("hosts/" + ID + "/index"))) {
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
                        + lines(60_000).concat(lines(20_000)).length() + "}");
        assertThat(lines.get(1)).contains("\"lines\":50000,").contains("2026-11-22T09:30:00.000Z");
        assertThat(lines.get(3)).contains("\"offset\":4,\"length\":8,\"lines\":2,");
    }
}
