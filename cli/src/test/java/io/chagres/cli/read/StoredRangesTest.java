package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.QueryArchive;
import io.chagres.cli.CommandRun;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ls --objects}: what programs that know no archive read by it is what {@code cat} gives. */
@Tag("long")
final class StoredRangesTest {
    private static final Pattern OBJECT =
            Pattern.compile("\\{\"object\":\"([^\"]+)\",(?:\"offset\":(\\d+),\"length\":(\\d+),)?\"first\".*");

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void saysWhereEachByteIs(boolean compacted) throws IOException {
        Requires.tool("zstd");
        QueryArchive.write(directory, compacted);
        String store = directory.toString();
        for (String path : List.of("/var/log/app.log", "/etc/b", "/etc/c")) {
            String[] ls = {"ls", "--objects", store, "web1:" + path};
            StringBuilder content = new StringBuilder();
            for (String line : lines(ls)) {
                content.append(bytes(line));
            }
            assertThat(content.toString())
                    .as(path)
                    .isEqualTo(CommandRun.of("cat", store, "web1:" + path).out());
        }
        String end = "\"last\":\"2026-11-22T09:30:00.000Z\",\"host\":\"web1\",\"path\":\"/var/log/app.log\","
                + "\"address\":\"web1:/var/log/app.log\",\"named\":true,"
                + "\"version\":\"0000000000000001\",\"state\":\"growing\",\"start\":";
        assertThat(lines("ls", "--objects", store))
                .hasSizeGreaterThanOrEqualTo(6)
                .anyMatch(line -> line.contains(end));
        assertThat(lines("ls", "--objects", store, "--at", "2026-11-22T09:00:00Z"))
                .isNotEmpty()
                .noneMatch(line -> line.contains("T09:30"));
    }

    /** Nothing says when the bytes were committed, but where they are is known. */
    @Test
    void doesWithoutTimesThatAreDamaged() throws IOException {
        QueryArchive.write(directory, true);
        Path history = directory.resolve("hosts/" + QueryArchive.ID + "/history");
        try (Stream<Path> all = Files.list(history)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rw-r--r--"));
                Files.write(each, Arrays.copyOf(Files.readAllBytes(each), 60));
            }
        }
        CommandRun ls = CommandRun.of("ls", "--objects", directory.toString(), "web1:/etc/b");
        assertThat(ls.code()).isOne();
        assertThat(ls.err()).contains("/history/");
        assertThat(ls.out()).contains("\"offset\":4,\"length\":8,\"first\":null,\"last\":null,\"host\":\"web1\"");
    }

    private static List<String> lines(String... command) {
        CommandRun run = CommandRun.of(command);
        assertThat(run.code()).as(run.err()).isZero();
        return run.out().lines().toList();
    }

    private String bytes(String line) {
        Matcher object = OBJECT.matcher(line);
        assertThat(object.matches()).as(line).isTrue();
        Program zstd = Program.run(
                List.of("zstd", "-dc", directory.resolve(object.group(1)).toString()));
        String content = new String(zstd.out(), StandardCharsets.US_ASCII);
        if (object.group(2) == null) {
            return content;
        }
        int offset = Integer.parseInt(object.group(2));
        return content.substring(offset, offset + Integer.parseInt(object.group(3)));
    }
}
