package io.chagres.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A tree of two files that is shipped into an archive, and a file that names whose signatures count. */
abstract class SignedArchive {
    @TempDir
    Path folder;

    Path tree;
    Path archive;
    Path trust;
    private int round;

    @BeforeEach
    final void makeTree() throws IOException {
        tree = Files.createDirectory(folder.resolve("tree"));
        archive = folder.resolve("archive");
        trust = folder.resolve("trust");
    }

    final String state(String host) {
        return folder.resolve("state-" + host).toString();
    }

    /** Appends to both files what they do not hold yet. */
    final void grow() throws IOException {
        append("small", 3);
        append("large", 120_000);
    }

    final void append(String which, int lines) throws IOException {
        StringBuilder text = new StringBuilder();
        round++;
        for (int i = 0; i < lines; i++) {
            text.append(round).append(" line ").append(i * 7919L % 100_003).append('\n');
        }
        Files.writeString(tree.resolve(which + ".log"), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Ships the tree once, and returns what that said. */
    final String ship(String host, String... more) {
        List<String> args = List.of(tree.toString(), "--to", archive.toString(), "--state", state(host));
        CommandRun ship = CommandRun.of(
                Stream.of(Stream.of("ship"), args.stream(), Stream.of("--host", host, "--once"), Stream.of(more))
                        .flatMap(part -> part)
                        .toArray(String[]::new));
        assertThat(ship.code()).as(ship.err()).isZero();
        return ship.err();
    }

    /** Runs a command of the archive. */
    final CommandRun run(String command, String... more) {
        return CommandRun.of(Stream.concat(Stream.of(command, archive.toString()), Stream.of(more))
                .toArray(String[]::new));
    }

    final CommandRun verify(String... more) {
        return run(
                "verify",
                Stream.concat(Stream.of("--trust", trust.toString()), Stream.of(more))
                        .toArray(String[]::new));
    }

    /** Returns the objects that have this behind a slash of their path. */
    final List<Path> stored(String part) throws IOException {
        try (Stream<Path> all = Files.walk(archive)) {
            return all.filter(Files::isRegularFile)
                    .filter(each -> each.toString().contains("/" + part))
                    .sorted()
                    .toList();
        }
    }

    static void replace(Path file, byte[] bytes) throws IOException {
        Files.deleteIfExists(file);
        Files.write(file, bytes);
    }
}
