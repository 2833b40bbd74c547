package io.chagres.archive.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.SpanTables;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.Tables;
import io.chagres.archive.testing.Undamaged;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Restores archives by the package in {@code python}, which was written from the document of the format alone. */
@Tag("long")
class PythonReaderTest {
    private static final String ID = "0123456789abcdef";
    private static final String PACKAGE =
            Path.of("../python").toAbsolutePath().normalize().toString();

    @TempDir
    private Path directory;

    @BeforeEach
    void requirePython() {
        Requires.tool("python3");
        Requires.pythonModule("zstandard", "zstandard==0.25.0");
    }

    private DirectoryStore store() throws IOException {
        DirectoryStore store =
                DirectoryStore.open(Pathname.of(directory.resolve("archive").toString()), true);
        HostRegistry.findOrMint(store, "other", new Machine("other", "other-machine", "", "boot", "6.0"), null, 0);
        return store;
    }

    /** Restores everything by both programs and compares what they made. */
    private void compare(DirectoryStore store, String name) throws IOException {
        List<String> faults = new ArrayList<>();
        Path ours = Files.createDirectory(directory.resolve(name + "-java"));
        try (LocalTables tables = Tables.of(true)) {
            new Restore(
                            store,
                            RestoreOptions.ALL.with(true, RestoreNameless.ALL),
                            tables,
                            Workers.NONE,
                            (subject, cause) -> faults.add(subject + ": " + cause))
                    .into(Pathname.of(ours.toString()));
        }
        assertThat(faults).singleElement().asString().startsWith("host other (").contains("has not begun");
        assertThat(byPython(name + "-python"))
                .containsExactlyInAnyOrderElementsOf(tree(ours))
                .hasSizeGreaterThan(10);
        Path tables = directory.resolve("archive/hosts/" + ID + "/tables");
        if (Files.exists(tables)) { // commits and checkpoints say the same without them
            Path aside = Files.move(tables, directory.resolve("tables"));
            assertThat(byPython(name + "-commits")).containsExactlyInAnyOrderElementsOf(tree(ours));
            Files.move(aside, tables);
        }
    }

    private List<String> byPython(String name) throws IOException {
        Path target = Files.createDirectory(directory.resolve(name));
        Program python = Program.run(List.of(
                "env",
                "PYTHONPATH=" + PACKAGE,
                "python3",
                "-m",
                "chagres",
                directory.resolve("archive").toString(),
                "restore",
                target.toString(),
                "--all"));
        assertThat(python.err().lines()).singleElement().asString().startsWith("chagres: host other: ");
        assertThat(python.err()).contains("has not begun");
        assertThat(python.exitCode()).isEqualTo(1);
        return tree(target);
    }

    /** Returns what is below a folder: of each name what it is, with whom it shares a file, and what it holds. */
    private static List<String> tree(Path root) throws IOException {
        Instant yesterday = Files.getLastModifiedTime(root).toInstant().minus(Duration.ofDays(1));
        Map<Object, String> firstNames = new HashMap<>();
        List<String> tree = new ArrayList<>();
        try (Stream<Path> walk = Files.walk(root)) {
            for (Path path : walk.sorted().toList()) {
                String name = root.relativize(path).toString();
                Map<String, Object> attributes =
                        Files.readAttributes(path, "unix:mode,uid,gid,ino", LinkOption.NOFOLLOW_LINKS);
                StringBuilder line = new StringBuilder(name);
                line.append(' ').append(attributes.get("mode")).append(' ').append(attributes.get("uid"));
                // a directory that no record describes has the time of its making
                Instant modified = Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS)
                        .toInstant();
                line.append(' ').append(modified.isAfter(yesterday) ? "now" : modified);
                if (Files.isSymbolicLink(path)) {
                    line.append(" -> ").append(Files.readSymbolicLink(path));
                } else if (Files.isRegularFile(path)) {
                    line.append(' ').append(firstNames.computeIfAbsent(attributes.get("ino"), inode -> name));
                    byte[] content = Files.readAllBytes(path);
                    line.append(' ').append(content.length).append(' ').append(Host.crc(content, 0, content.length));
                }
                tree.add(line.toString());
            }
        }
        return tree;
    }

    private static void compact(DirectoryStore store, long retainMs) throws IOException {
        new Compact(store, new CompactOptions(0, retainMs, 1, 64 << 20, false), () -> Long.MAX_VALUE, Undamaged.COMPACT)
                .host(ID);
    }

    private static byte[] bytes(RandomGenerator random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    @Test
    void restoresTheSame() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("PythonReaderTest"));
        try (DirectoryStore store = store();
                Host host = new Host(store, ID, "web1")) {
            host.directory("/var");
            host.directory("/var/empty");
            long log = host.file("/var/log/app.log", "line 1\nline 2\n");
            host.file(Pathname.ofBytes(new byte[] {'/', 'v', 'a', 'r', '/', 'x', '\n', 'y'}));
            host.symlink("/var/current", "../var/log/app.log");
            host.name("/var/hard", log);
            host.commit();
            // a rotation, a copytruncate, and a file under a directory that moves
            host.move("/var/log/app.log", "/var/log/app.log.1");
            long next = host.file("/var/log/app.log", "line 3\n");
            host.object(next, bytes(random, 700_000), Codec.ZSTD);
            host.object(next, bytes(random, 300_000), Codec.NONE);
            host.object(next, bytes(random, 600_000), Codec.GZIP);
            host.zeros(next, 10_000);
            host.inline(next, "after a hole\n");
            long copy = host.file("/var/log/app.log.copy");
            host.copy(copy, next, 200_000, 250_000);
            host.copy(copy, next, 1_000_000, 10_020);
            host.commit();
            host.close(next, LogRecord.Reason.TRUNCATED);
            host.remove("/var/log/app.log");
            long last = host.file("/var/log/app.log", "line 4\n");
            host.move("/var/log", "/var/logs");
            host.move("/var/logs", "/var/logs/below");
            host.file("/var/gone", "gone");
            host.remove("/var/gone");
            host.symlink("/var/hard", "what replaces a name");
            host.commit();
            compare(store, "commits");
            compact(store, 0);
            compare(store, "compacted");
            host.inline(last, "line 5\n");
            host.inline(log, "line 6\n");
            host.move("/var/logs/app.log", "/elsewhere/app.log");
            host.commit();
            compare(store, "goes-on");
            compact(store, 1);
            compact(store, 1);
            compare(store, "retained");
        }
    }

    @Test
    void restoresTheSameWhateverTheHistory() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("PythonReaderTest"));
        try (DirectoryStore store = store();
                Host host = new Host(store, ID, "web1")) {
            List<Long> ids = new ArrayList<>();
            for (int round = 0; round < 2 * Share.count(10); round++) {
                for (int step = 0; step < 150; step++) {
                    step(host, ids, random);
                    if (random.nextInt(10) == 0) {
                        host.commit();
                    }
                    if (random.nextInt(30) == 0) {
                        SpanTables.write(store, ID, host.commit(), Map.of());
                    }
                }
                host.commit();
                if (round % 2 == 1) {
                    compact(store, 0);
                }
                compare(store, "round" + round);
            }
        }
    }

    private static void step(Host host, List<Long> ids, RandomGenerator random) throws IOException {
        String path = "/d" + random.nextInt(3) + "/e" + random.nextInt(3) + "/f" + random.nextInt(6);
        if (ids.isEmpty() || random.nextInt(8) == 0) {
            ids.add(host.file(path));
        }
        long id = ids.get(random.nextInt(ids.size()));
        long source = ids.get(random.nextInt(ids.size()));
        switch (random.nextInt(12)) {
            case 0 -> host.object(id, bytes(random, 1 + random.nextInt(300_000)), Codec.values()[random.nextInt(3)]);
            case 1 -> host.zeros(id, 1 + random.nextInt(300_000));
            case 2 -> {
                if (source != id && host.length(source) > 0) {
                    host.copy(id, source, 0, (int) Math.min(100_000, host.length(source)));
                }
            }
            case 3 -> host.name(path, id);
            case 4 -> host.remove(path);
            case 5 -> host.move(path, "/d" + random.nextInt(3) + "/g" + random.nextInt(3));
            case 6 -> host.move("/d" + random.nextInt(3), "/d" + random.nextInt(3) + "/h" + random.nextInt(2));
            case 7 -> host.close(id, LogRecord.Reason.values()[random.nextInt(4)]);
            case 8 -> host.directory("/d" + random.nextInt(3) + "/g" + random.nextInt(3));
            default -> host.inline(id, bytes(random, 1 + random.nextInt(2000)));
        }
    }
}
