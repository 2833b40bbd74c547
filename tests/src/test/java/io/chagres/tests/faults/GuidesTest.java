package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs what guides show, each document on a machine of its own; and finds a document whose commands nothing runs. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class GuidesTest {
    private static final Pattern CONSOLE = Pattern.compile("```console\\n(.*?)```", Pattern.DOTALL);
    private static final String COMMAND = "[$#] .*";
    private static final Path MACHINE = Chagres.repository().resolve("tests/src/test/resources/guides/machine.sh");
    private static final Path TESTS = Path.of("tests/src/test/java/io/chagres/tests/faults");

    @Test
    void everyConsoleBlockIsRunByATest() throws IOException {
        Path root = Chagres.repository();
        StringBuilder tests = new StringBuilder();
        try (Stream<Path> sources = Files.list(root.resolve(TESTS))) {
            for (Path source : (Iterable<Path>) sources::iterator) {
                tests.append(Files.readString(source));
            }
        }
        for (Path document : Repository.files()) {
            String name = root.relativize(document).toString();
            if (name.endsWith(".md")
                    && CONSOLE.matcher(Files.readString(document)).find()) {
                assertThat(tests).as("a test that runs what %s shows", name).contains('"' + name + '"');
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/DEDUPE.md", "docs/MOUNT.md", "docs/SECURITY.md", "docs/do/encrypt.md"})
    void whatAGuideShowsWorks(String document, FaultBench bench) throws IOException {
        Requires.loopDevices();
        Requires.fuse();
        Requires.tool("mkfs.xfs");
        Requires.tool("unshare");
        Requires.tool("age", "apt install age");
        Requires.tool("getfattr", "apt install attr");
        Path program = bench.root().resolve("chagres");
        Files.writeString(program, "#!/bin/sh\nexec '" + String.join("' '", Chagres.command()) + "' \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path srv = bench.root().resolve("srv");
        bench.mounted(Mounted.newFileSystem(bench.root().resolve("image"), srv, "mkfs.xfs", "-q", "-m", "reflink=1"));

        List<String> blocks = CONSOLE.matcher(
                        Files.readString(Chagres.repository().resolve(document)))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(blocks).isNotEmpty();
        StringBuilder session = new StringBuilder("cd '" + bench.root() + "'\n. '" + MACHINE + "'\n");
        blocks.forEach(block -> {
            session.append("block\n");
            block.lines()
                    .filter(line -> line.matches(COMMAND))
                    .forEach(line -> session.append("example " + quoted(line.substring(2)) + "\n"));
        });
        Path script = Files.writeString(bench.root().resolve("session.sh"), session);

        Program run = Program.run(List.of(
                "unshare", "--mount", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child", "bash", "" + script));

        String said = new String(run.out(), StandardCharsets.UTF_8);
        assertThat(run.exitCode()).as("%s%n%s%s", session, said, run.err()).isZero();
        String output = String.join("\n", blocks);
        assertThat(output.lines().filter(line -> !line.matches(COMMAND)))
                .as("%s%n%s", said, run.err())
                .allSatisfy(line -> assertThat(said).contains(line));
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
