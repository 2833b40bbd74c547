package io.chagres.examples.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Changes a tree at random: few names, so that they meet. Files that leave the tree are not written outside, for nobody
 * reports that. Confined to one thread.
 */
final class RandomChanges {
    private static final int NAMES = 6;

    private final Path tree;
    private final Path outside;
    private final RandomGenerator random;
    private int refused;

    RandomChanges(Path tree, Path outside, RandomGenerator random) {
        this.tree = tree;
        this.outside = outside;
        this.random = random;
    }

    void make(int count) {
        for (int i = 0; i < count; i++) {
            try {
                change(file(), random.nextInt(20) == 0 ? somewhere(outside, "n") : file());
            } catch (IOException e) {
                refused++; // most names are not there, or are something else
            }
        }
        assertThat(refused).isLessThan(count);
        refused = 0;
    }

    /** Makes more events than the kernel keeps, and changes what they report. */
    void overflow(int events) {
        Path file = tree.resolve("overflowing");
        try {
            for (int i = 0; i < events / 2; i++) {
                Files.createFile(file);
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        make(500);
    }

    private Path somewhere(Path top, String kind) {
        Path path = top;
        for (int depth = random.nextInt(3); depth >= 0; depth--) {
            path = path.resolve((depth == 0 ? kind : "d") + random.nextInt(NAMES));
        }
        return path;
    }

    private Path file() {
        return somewhere(tree, "n");
    }

    private Path directory() {
        return somewhere(tree, "d");
    }

    private void change(Path one, Path other) throws IOException {
        switch (random.nextInt(18)) {
            case 0, 1 -> append(one);
            case 2 -> write(one);
            case 3 -> Files.delete(one);
            case 4, 5 -> Files.move(one, other, StandardCopyOption.ATOMIC_MOVE);
            case 6 -> Files.createDirectories(directory());
            case 7 -> remove(directory());
            case 8 ->
                Files.move(
                        directory(),
                        random.nextInt(9) == 0 ? somewhere(outside, "d") : directory(),
                        StandardCopyOption.ATOMIC_MOVE);
            case 9 -> Files.move(somewhere(outside, "d"), directory(), StandardCopyOption.ATOMIC_MOVE);
            case 10 -> Files.createLink(other, one);
            case 11 -> exchange(one, file());
            case 12 -> exchange(directory(), random.nextBoolean() ? directory() : one);
            case 13 -> Files.createSymbolicLink(one, Path.of("to" + random.nextInt(100)));
            case 14 ->
                Files.setPosixFilePermissions(
                        random.nextBoolean() ? regular(one) : real(directory()),
                        PosixFilePermissions.fromString(random.nextBoolean() ? "rwxr-x---" : "rwx---r--"));
            case 15 -> passingName(one);
            case 16 -> passingDirectory(one);
            default -> fifo(one);
        }
    }

    private static Path real(Path path) throws IOException {
        return path.toRealPath(LinkOption.NOFOLLOW_LINKS);
    }

    /** A link may lead anywhere, and an open of a FIFO waits. */
    private static Path regular(Path path) throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(path.toString());
        }
        return path;
    }

    private void append(Path path) throws IOException {
        Files.writeString(
                regular(path),
                "x" + random.nextInt(),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND,
                LinkOption.NOFOLLOW_LINKS);
    }

    private void write(Path path) throws IOException {
        if (!Files.exists(regular(path))) {
            return;
        }
        try (RandomAccessFile file = new RandomAccessFile(path.toString(), "rw")) {
            if (random.nextBoolean()) {
                file.setLength(random.nextInt(10_000));
            } else {
                file.seek(random.nextInt(10_000));
                file.write(random.nextInt(256));
            }
        }
    }

    /** Writes through a name that comes and goes. */
    private void passingName(Path one) throws IOException {
        Path name = file();
        Files.createLink(name, regular(one));
        append(name);
        if (random.nextBoolean()) {
            Files.delete(name);
        }
    }

    /** Writes through a name in a directory that comes and goes. */
    private void passingDirectory(Path one) throws IOException {
        Path directory = Files.createDirectory(directory());
        Path name = Files.createLink(directory.resolve("n0"), regular(one));
        append(name);
        if (random.nextBoolean()) {
            remove(directory);
        }
    }

    private void remove(Path directory) throws IOException {
        if (random.nextInt(3) > 0) {
            Files.delete(directory);
            return;
        }
        try (Stream<Path> below = Files.walk(directory)) {
            List<Path> all = below.sorted(Comparator.reverseOrder()).toList();
            for (Path each : all) {
                Files.delete(each);
            }
        }
    }

    private static void fifo(Path path) throws IOException {
        try (Directory above = Directory.open(Pathname.of(path.getParent().toString()))) {
            above.mkfifo(Pathname.of(path.getFileName().toString()), 0600);
        }
    }

    private static void exchange(Path one, Path other) throws IOException {
        try (Directory above = Directory.open(Pathname.of("/"))) {
            above.rename(
                    Pathname.of(one.toString().substring(1)),
                    above,
                    Pathname.of(other.toString().substring(1)),
                    Directory.RENAME_EXCHANGE);
        }
    }
}
