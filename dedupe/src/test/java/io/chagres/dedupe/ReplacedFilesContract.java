package io.chagres.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of files that something happens to between the scan and the work, on a file system that shares. */
abstract class ReplacedFilesContract extends OnDisk {
    private static final int MIB = 1 << 20;

    ReplacedFilesContract(String fileSystem, String options, String... mkfs) {
        super(fileSystem, options, mkfs);
    }

    /** What somebody does to a file that was listed. */
    enum Event {
        SHORTER {
            @Override
            void at(Path file) throws IOException {
                try (FileChannel open = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    open.truncate(MIB / 2 + 1);
                }
            }
        },
        EMPTY {
            @Override
            void at(Path file) throws IOException {
                Files.write(file, new byte[0]);
            }
        },
        LONGER {
            @Override
            void at(Path file) throws IOException {
                Files.write(file, new byte[] {1}, StandardOpenOption.APPEND);
            }
        },
        ONE_BYTE_ELSE {
            @Override
            void at(Path file) throws IOException {
                byte[] bytes = Files.readAllBytes(file);
                bytes[bytes.length - 1] ^= 1;
                Files.write(file, bytes, StandardOpenOption.WRITE);
            }
        },
        OF_HOLES {
            @Override
            void at(Path file) throws IOException {
                long size = Files.size(file);
                try (FileChannel open = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    open.truncate(0);
                    open.write(ByteBuffer.wrap(new byte[] {1}), size - 1);
                }
            }
        },
        ANOTHER_FILE {
            @Override
            void at(Path file) throws IOException {
                Path other = file.resolveSibling("other");
                Files.write(other, random(99, (int) Files.size(file)));
                Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
            }
        },
        A_LINK {
            @Override
            void at(Path file) throws IOException {
                Files.delete(file);
                Files.createSymbolicLink(file, Path.of("/etc/passwd"));
            }
        },
        A_FIFO {
            @Override
            void at(Path file) throws IOException {
                Files.delete(file);
                Program.ok("mkfifo", file.toString());
            }
        },
        A_DIRECTORY {
            @Override
            void at(Path file) throws IOException {
                Files.delete(file);
                Files.createDirectory(file);
            }
        };

        abstract void at(Path file) throws IOException;
    }

    private enum Phase {
        EQUAL_FILES(Dedupe::worker),
        RANGES(dedupe -> dedupe.blockWorker(4096, 65_536)),
        ZEROS(Dedupe::zeroWorker);

        private final Function<Dedupe, DedupeWorker> maker;

        Phase(Function<Dedupe, DedupeWorker> maker) {
            this.maker = maker;
        }
    }

    private Map<Path, byte[]> contents(Path... files) throws IOException {
        Map<Path, byte[]> contents = new LinkedHashMap<>();
        for (Path file : files) {
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                contents.put(file, Files.readAllBytes(file));
            }
        }
        return contents;
    }

    /** Nobody waits, nothing fails, every file holds what it held, and the others share all the same. */
    @ParameterizedTest
    @EnumSource
    void isLeftAsItIs(Event event) throws IOException {
        byte[] content = random(5, MIB + 77);
        Arrays.fill(content, 131_072, 262_144, (byte) 0);
        for (Phase phase : Phase.values()) {
            isLeftAsItIs(event, phase, content, "a"); // the first one that is opened
            isLeftAsItIs(event, phase, content, "b");
        }
    }

    private void isLeftAsItIs(Event event, Phase phase, byte[] content, String name) throws IOException {
        Path dir = Files.createDirectory(top.resolve(phase.name() + name));
        Path a = Files.write(dir.resolve("a"), content);
        Path b = Files.write(dir.resolve("b"), content);
        Path c = Files.write(dir.resolve("c"), content);
        sync();
        Map<Path, byte[]> after = new LinkedHashMap<>();
        Run run = new Run(
                DedupeOptions.DEFAULT,
                () -> {
                    try {
                        event.at(dir.resolve(name));
                        after.putAll(contents(a, b, c));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                phase.maker,
                dir);
        for (Map.Entry<Path, byte[]> each : after.entrySet()) {
            assertThat(Files.readAllBytes(each.getKey()))
                    .as("%s in %s", each.getKey().getFileName(), phase)
                    .isEqualTo(each.getValue());
        }
        assertThat(run.count(Count.FAILED))
                .as("%s: %s", phase, run.heard.skipped)
                .isZero();
        assertThat(run.heard.unsupported).as("%s", phase).isEmpty();
        if (phase == Phase.EQUAL_FILES) {
            Places.areShared(name.equals("a") ? b : a, c);
        }
    }

    /** A full file system is a reason to run it: sharing takes no room of files, and what it cannot do it says. */
    @Test
    void aFullFileSystemLosesNothing() throws IOException {
        byte[] content = random(6, 4 * MIB);
        Arrays.fill(content, MIB, 2 * MIB, (byte) 0);
        Path a = file("a", content);
        Path b = file("b", content);
        byte[] other = random(7, 4 * MIB);
        System.arraycopy(content, 0, other, 2 * MIB, MIB);
        Path c = file("c", other);
        sync();
        Path filler = disk.directory().resolve("filler");
        try {
            fill(filler);
            for (Phase phase : Phase.values()) {
                Run run = new Run(DedupeOptions.DEFAULT, () -> {}, phase.maker, top);
                assertThat(Files.readAllBytes(a)).as("%s", phase).isEqualTo(content);
                assertThat(Files.readAllBytes(b)).as("%s", phase).isEqualTo(content);
                assertThat(Files.readAllBytes(c)).as("%s", phase).isEqualTo(other);
                assertThat(run.heard.skipped).as("%s", phase).allMatch(line -> line.endsWith("FAILED ENOSPC"));
            }
        } finally {
            Files.deleteIfExists(filler);
        }
    }

    private static void fill(Path filler) throws IOException {
        Program.run(List.of("fallocate", "-l", "2G", filler.toString())); // takes what it gets, or nothing
        for (int bytes = 64 * MIB; bytes >= 65_536; ) {
            Program taken = Program.run(List.of(
                    "fallocate",
                    "-o",
                    Long.toString(Files.exists(filler) ? Files.size(filler) : 0),
                    "-l",
                    Integer.toString(bytes),
                    filler.toString()));
            bytes = taken.exitCode() == 0 ? bytes : bytes / 2;
        }
    }

    /** Names are bytes, in what is shared and in what is said. */
    @Test
    void namesThatAreNoText() throws IOException {
        byte[] content = random(8, MIB);
        Files.write(top.resolve("text"), content);
        for (String name : List.of("a\\377b", "a\\nb")) {
            Program.ok("sh", "-c", "cd '" + top + "' && cp --reflink=never text \"$(printf '" + name + "')\"");
        }
        sync();
        Run run = new Run(DedupeOptions.DEFAULT, top);
        assertThat(run.count(Count.SHARED_FILES)).isEqualTo(2);
        assertThat(run.heard.skipped).isEmpty();
        Run again = new Run(DedupeOptions.DEFAULT, top);
        assertThat(again.count(Count.ALREADY_SHARED)).isEqualTo(2);
    }
}
