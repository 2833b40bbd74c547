package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Archives of at most 10 MB that ask for far more memory than they have bytes: every command that reads or maintains
 * one stays below 256 MB, as it is shipped, says which host it leaves out, and continues with the others.
 */
@Tag("e2e")
@Order(1)
final class HostileArchiveTest {
    private static final long MAX_ARCHIVE_BYTES = 10_000_000;
    private static final long MAX_RSS_KIB = 256 * 1024;
    private static final InodeAttributes PLAIN = new InodeAttributes(0755, 0, 0, 0);
    private static final Pathname NO_TARGET = Pathname.of("");

    private static final List<String> ALL = List.of(
            "ls STORE",
            "ls STORE *:**",
            "cat STORE *:app",
            "tail STORE *:app",
            "status STORE",
            "verify STORE",
            "repair STORE",
            "restore STORE BACK",
            "compact STORE --dry-run",
            "compact STORE");

    private enum Attack {
        NAMES {
            @Override
            void write(SmallArchive host) {
                for (int i = 0; i < 1_000_000; i++) {
                    host.write(directory("/d/" + i));
                }
                host.commit(100);
            }
        },
        VERSIONS {
            @Override
            void write(SmallArchive host) {
                for (int commit = 0; commit < 2; commit++) {
                    for (int i = 0; i < 250_000; i++) {
                        host.file("/d/" + commit + "." + i);
                    }
                    host.commit(100 + commit);
                }
            }
        },
        EXTENTS {
            @Override
            void write(SmallArchive host) {
                long version = host.file("/zeros");
                for (int commit = 0; commit < 3; commit++) {
                    for (int i = 0; i < 900_000; i++) {
                        host.write(new LogRecord.ZeroRun(version, commit * 900_000L + i, 1, i % 7));
                    }
                    host.commit(100 + commit);
                }
            }
        },
        COMPONENTS {
            @Override
            void write(SmallArchive host) {
                for (int i = 0; i < 1000; i++) {
                    host.write(directory("/" + i + "/a".repeat(4000)));
                }
                host.commit(100);
            }
        },
        MOVES {
            @Override
            void write(SmallArchive host) {
                host.append(host.file("/a/f"), "moved\n");
                for (int i = 0; i < 300_000; i++) {
                    host.write(directory("/b"));
                    host.rename("/a", "/b/a");
                    host.rename("/b", "/a");
                }
                host.commit(100);
            }
        },
        COPIES {
            @Override
            void write(SmallArchive host) {
                long first = host.file("/f0");
                host.append(first, "x".repeat(1000)).commit(100);
                long at = 1000;
                for (int i = 0; i < 20_000; i++) {
                    host.write(new LogRecord.CopyRun(first, at, 1, first, at - 1, 0, 0));
                    at++;
                }
                host.commit(101);
            }
        };

        abstract void write(SmallArchive host);

        private static LogRecord directory(String path) {
            return new LogRecord.NameAdded(Pathname.of(path), LogRecord.Kind.DIRECTORY, 0, NO_TARGET, PLAIN);
        }
    }

    @TempDir
    Path directory = Path.of("");

    @ParameterizedTest
    @EnumSource
    void takesNoMemory(Attack attack) throws Exception {
        Requires.tool("python3");
        Path store = directory.resolve("archive");
        try (SmallArchive bad = new SmallArchive(store, "bad")) {
            attack.write(bad);
        }
        try (SmallArchive good = new SmallArchive(store, "good")) {
            good.append(good.file("/log/app"), "good bytes\n").commit(100);
        }
        assertThat(bytes(store)).isLessThan(MAX_ARCHIVE_BYTES);
        int[] commands = Arrays.stream(Share.of(ALL.size()))
                .map(number -> (number + attack.ordinal()) % ALL.size()) // not the same one for all
                .sorted()
                .toArray();
        for (int number : commands) {
            String command = ALL.get(number);
            assertThat(run(command, store)).as(command).isIn(0, 1);
        }
        Path back = directory.resolve("back");
        if (Files.exists(back)) {
            assertThat(back.resolve("good/log/app")).hasContent("good bytes\n");
            // A tree of MOVES is deeper than the JDK can remove: each of its paths must fit into PATH_MAX.
            assertThat(new ProcessBuilder("rm", "-rf", back.toString()).start().waitFor())
                    .isZero();
        }
    }

    /** Files that grew by a line a commit for long: what is read for each range is not held for all of them. */
    @Test
    void manyShortRunsAreWrittenAgain() throws Exception {
        Requires.tool("python3");
        Path store = directory.resolve("archive");
        try (SmallArchive host = new SmallArchive(store, "good")) {
            long[] versions = {host.file("/log/a"), host.file("/log/b")};
            for (int commit = 0; commit < 50; commit++) {
                for (int i = 0; i < 10_000; i++) {
                    host.append(versions[i % 2], "one line of " + i + "\n");
                }
                host.commit(100 + commit);
            }
        }
        assertThat(run("compact STORE --grace 0 --memory 64MiB", store)).isZero();
        assertThat(run("verify STORE", store)).isZero();
        assertThat(Files.readString(directory.resolve("err"))).doesNotContain("memory");
    }

    private static long bytes(Path store) throws IOException {
        try (Stream<Path> files = Files.walk(store)) {
            return files.mapToLong(
                            file -> file.toFile().isFile() ? file.toFile().length() : 0)
                    .sum();
        }
    }

    /** Runs a command, which must stay below the bound, and returns its exit code. */
    private int run(String command, Path store) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                "python3",
                "-c",
                "import resource, subprocess, sys\n"
                        + "code = subprocess.call(sys.argv[2:])\n"
                        + "open(sys.argv[1], 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))\n"
                        + "sys.exit(code)",
                directory.resolve("rss").toString()));
        line.addAll(Chagres.command());
        for (String word : command.split(" ")) {
            line.add(word.replace("STORE", store.toString())
                    .replace("BACK", directory.resolve("back").toString()));
        }
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        Process process = new ProcessBuilder(line)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        assertThat(process.waitFor(10, TimeUnit.MINUTES)).as(command).isTrue();
        long rss = Long.parseLong(Files.readString(directory.resolve("rss")));
        String said = Files.readString(err);
        assertThat(rss).as(command).isLessThan(MAX_RSS_KIB);
        assertThat(said).doesNotContain("unexpected");
        if (command.endsWith("*:app")) {
            assertThat(out).hasContent("good bytes\n");
        }
        return process.exitValue();
    }
}
