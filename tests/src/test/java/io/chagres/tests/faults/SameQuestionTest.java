package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Asks which lines hold a text. Every way to ask gives the lines that were written: reading everything, searching with
 * and without filters, the package for Python, and DuckDB by what says which object holds what.
 */
@Tag("e2e")
@ExtendWith(FaultBench.Extension.class)
class SameQuestionTest {
    private static final String WANTED = "request-7f3a9c21-4be0";
    private static final String PACKAGE =
            Path.of("../python").toAbsolutePath().normalize().toString();

    /** One line each: what it is, and {@code host:path:} in front of it. */
    private final List<String> expected = new ArrayList<>();

    private final Random random = new Random(4);

    @BeforeEach
    void requireTools() {
        Requires.tool("python3");
        Requires.tool("zstd");
        Requires.pythonModule("zstandard", "zstandard==0.25.0");
        Requires.pythonModule("duckdb", "duckdb==2.0.0");
    }

    @Test
    void hasOneAnswer(FaultBench bench) throws IOException {
        for (String host : List.of("web1", "web2")) {
            write(bench, host);
        }
        List<String> all = shortened(expected);
        List<String> named = shortened(
                expected.stream().filter(line -> !line.contains("gone.log")).toList());
        assertThat(read(bench)).as("cat").containsExactlyElementsOf(all);
        assertThat(found(bench)).as("grep without filters").containsExactlyElementsOf(all);
        assertThat(found(bench, "--sort", "time")).as("by time").containsExactlyElementsOf(all);
        assertThat(python(bench, "before")).as("Python").containsExactlyElementsOf(named);
        bench.archive().ok("compact", "--grace", "0");
        assertThat(read(bench)).as("cat, compacted").containsExactlyElementsOf(all);
        assertThat(found(bench)).as("grep by filters").containsExactlyElementsOf(all);
        assertThat(found(bench, "--sort", "time")).as("by time and filters").containsExactlyElementsOf(all);
        assertThat(python(bench, "after")).as("Python, compacted").containsExactlyElementsOf(named);
        // the bytes of a copy are where its original is, which has another name
        List<String> texts =
                expected.stream().map(SameQuestionTest::text).distinct().toList();
        assertThat(shortened(duckdb(bench).stream().distinct().toList()))
                .as("DuckDB")
                .containsExactlyElementsOf(shortened(texts));
    }

    private static String text(String line) {
        return line.substring(line.indexOf(".log:") + 5);
    }

    /** Ships what a machine does to its files; all of them have a name that ends as one of a log does. */
    private void write(FaultBench bench, String host) throws IOException {
        Path tree = Files.createDirectory(bench.root().resolve(host));
        Path state = bench.root().resolve("state-" + host);
        ShipProcess ship =
                bench.shipping().paths(tree).host(host).state(state).here().awaitScanned();
        Path app = tree.resolve("app.log");
        append(app, lines(host, tree.resolve("app.log.1.log"), 3000, 700)); // over frames and objects
        ship.awaitSettled();
        Files.move(app, tree.resolve("app.log.1.log"));
        append(app, lines(host, app, 50, 20));
        ship.awaitSettled();
        Path other = tree.resolve("other.log");
        byte[] copied = lines(host, tree.resolve("copy.log"), 400, 90);
        append(other, copied);
        ship.awaitSettled();
        Files.copy(other, tree.resolve("copy.log"));
        Files.write(other, new byte[0]);
        append(other, lines(host, other, 5, 30));
        Path gone = tree.resolve("gone.log");
        append(gone, lines(host, gone, 40, 50));
        append(tree.resolve("holes.log"), lines(host, tree.resolve("holes.log"), 5, 10));
        try (RandomAccessFile file =
                new RandomAccessFile(tree.resolve("holes.log").toFile(), "rw")) {
            file.seek(file.length() + (3 << 20));
            file.write(lines(host, tree.resolve("holes.log"), 3, 10));
        }
        append(tree.resolve("bytes.log"), bytes(host, tree.resolve("bytes.log")));
        append(tree.resolve("half.log"), without(lines(host, tree.resolve("half.log"), 1, 100)));
        ship.awaitSettled();
        Files.delete(gone);
        append(app, lines(host, app, 20, 20));
        ship.awaitSettled().drain();
    }

    private static void append(Path file, byte[] bytes) throws IOException {
        Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Makes lines of some length, some of them wanted, under the name that the file has in the end. */
    private byte[] lines(String host, Path file, int count, int length) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < count; i++) {
            boolean wanted = i == 0 || i == count - 1 || random.nextInt(40) == 0;
            StringBuilder line = new StringBuilder(host + " " + file.getFileName() + " " + i + " ");
            while (line.length() < length) {
                line.append((char) ('!' + random.nextInt(90)));
            }
            line.append(wanted ? " " + WANTED + " end" : " end");
            if (wanted) {
                expected.add(host + ":" + file + ":" + line);
            }
            lines.append(line).append('\n');
        }
        return lines.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Lines that are no text in any encoding, beside some that are. */
    private byte[] bytes(String host, Path file) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < 100; i++) {
            byte[] line = new byte[30];
            random.nextBytes(line);
            for (int at = 0; at < line.length; at++) {
                line[at] = line[at] < ' ' && line[at] >= 0 ? (byte) 0xff : line[at];
            }
            String text = new String(line, StandardCharsets.ISO_8859_1) + (i % 10 == 0 ? WANTED + "\u00c3(" : "");
            if (i % 10 == 0) {
                expected.add(host + ":" + file + ":" + text);
            }
            out.write((text + "\n").getBytes(StandardCharsets.ISO_8859_1));
        }
        return out.toByteArray();
    }

    private static byte[] without(byte[] lines) {
        return Arrays.copyOf(lines, lines.length - 1); // the newline at the end
    }

    /** The wanted ones of some lines. Ways to ask leave out different parts of a hole: its zeros do not count. */
    private static List<String> wanted(byte[] lines) {
        return new String(lines, StandardCharsets.ISO_8859_1)
                .replace("\0", "")
                .lines()
                .filter(line -> line.contains(WANTED))
                .sorted()
                .toList();
    }

    private static List<String> read(FaultBench bench) {
        return shortened(wanted(bench.archive().ok("cat", "*:**", "--names")));
    }

    private static List<String> found(FaultBench bench, String... options) {
        List<String> line = new ArrayList<>(List.of("grep", "-F", "-a", WANTED, bench.address()));
        line.addAll(List.of(options));
        Program grep = Chagres.run(line);
        assertThat(grep.exitCode()).as(grep.err()).isZero();
        return shortened(wanted(grep.out()));
    }

    private static List<String> python(FaultBench bench, String name) throws IOException {
        Path directory = Files.createDirectory(bench.root().resolve(name));
        Program python = Program.run(List.of(
                "env",
                "PYTHONPATH=" + PACKAGE,
                "python3",
                "-m",
                "chagres",
                bench.address(),
                "restore",
                directory.toString()));
        assertThat(python.exitCode()).as(python.err()).isZero();
        List<String> all = new ArrayList<>();
        for (Path file : Archive.files(directory, each -> true)) {
            Path host = Objects.requireNonNull(directory.relativize(file).getName(0));
            Path path = Path.of("/").resolve(directory.resolve(host).relativize(file));
            wanted(Files.readAllBytes(file)).forEach(line -> all.add(host + ":" + path + ":" + line));
        }
        return shortened(all);
    }

    private static List<String> duckdb(FaultBench bench) throws IOException {
        Path objects = bench.root().resolve("objects.ndjson");
        Files.write(objects, bench.archive().ok("ls", "--objects", "--versions"));
        String program = """
                import duckdb, subprocess, sys
                archive = sys.argv[1]
                rows = duckdb.sql(f\"""
                    select object, "offset", length, host || version
                    from read_json('{sys.argv[2]}', format = 'newline_delimited',
                        columns = {{object: 'VARCHAR', "offset": 'BIGINT', length: 'BIGINT', "start": 'BIGINT',
                                    version: 'VARCHAR', host: 'VARCHAR'}})
                    order by host, version, start\""").fetchall()
                last = None
                for object, offset, length, version in rows:
                    if version != last:
                        sys.stdout.buffer.write(b'\\n')
                    last = version
                    content = subprocess.run(['zstd', '-dc', f'{archive}/{object}'], capture_output=True).stdout
                    sys.stdout.buffer.write(content if offset is None else content[offset:offset + length])
                    if content[-1:] != b'\\n':
                        sys.stdout.buffer.write(b'\\n')
                """;
        Program run = Program.run(List.of("python3", "-c", program, bench.address(), objects.toString()));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return wanted(run.out());
    }

    /** So that a difference can be read. */
    private static List<String> shortened(List<String> lines) {
        return lines.stream()
                .map(line -> line.substring(0, Math.min(120, line.length())) + " #" + line.hashCode())
                .sorted()
                .toList();
    }
}
