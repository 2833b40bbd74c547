package io.chagres.examples.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import io.chagres.testkit.Await;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file is changed by a name that is gone, or is something else, before anybody looks at it. */
@Tag("long")
@Timeout(600)
class PassingNamesTest {
    private static final int ROUNDS = Share.count(2000);
    private static final int CHANGES = 40;

    private final Path top;
    private Path tree;
    private Path copy;
    private Path kept;
    private Path passing;

    PassingNamesTest(@TempDir Path top) {
        this.top = top;
    }

    @BeforeEach
    void make() throws IOException {
        tree = Files.createDirectory(top.resolve("tree"));
        copy = Files.createDirectory(top.resolve("copy"));
        kept = Files.writeString(tree.resolve("kept0"), "content");
        passing = tree.resolve("passing0");
    }

    private Mirror mirror() throws IOException {
        return new Mirror(Pathname.of(tree.toString()), Pathname.of(copy.toString()));
    }

    private static void untilExact(Mirror mirror, Future<?> done) {
        Await.until("the mirror is exact", () -> {
            try {
                boolean wasDone = done.isDone();
                mirror.step(0);
                return wasDone && mirror.isExact();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Something that is done before the mirror looks. */
    private interface Change {
        void run() throws IOException;
    }

    private void mirrors(Change change) throws IOException {
        Future<?> nothing = CompletableFuture.completedFuture(null);
        try (Mirror mirror = mirror()) {
            untilExact(mirror, nothing);
            change.run();
            untilExact(mirror, nothing);
            Described.equal(tree, copy, "after the change");
        }
    }

    @Test
    void aNameThatIsASymbolicLinkByThen() throws IOException {
        mirrors(() -> {
            Files.createLink(passing, kept);
            Files.writeString(passing, "more", StandardOpenOption.APPEND);
            Files.delete(passing);
            Files.createSymbolicLink(passing, kept);
        });
    }

    @Test
    void aNameThatIsADirectoryByThen() throws IOException {
        mirrors(() -> {
            Files.createLink(passing, kept);
            Files.writeString(passing, "more", StandardOpenOption.APPEND);
            Files.delete(passing);
            Files.createDirectory(passing);
        });
    }

    @Test
    void permissionsByANameThatWasReplacedAndRemoved() throws IOException {
        Path other = Files.createFile(tree.resolve("other"));
        mirrors(() -> {
            Files.createLink(passing, kept);
            Files.setPosixFilePermissions(passing, PosixFilePermissions.fromString("rwx-----x"));
            Files.move(other, passing, StandardCopyOption.ATOMIC_MOVE);
            Files.delete(passing);
        });
    }

    /** An exchange comes as two renames, and the second takes away what the first brought. */
    @ParameterizedTest
    @ValueSource(strings = {"directory", "fifo", "file"})
    void permissionsBetweenTwoExchanges(String what) throws IOException {
        Path one = tree.resolve("one");
        try (Directory above = Directory.open(Pathname.of(tree.toString()))) {
            switch (what) {
                case "directory" -> Files.createDirectory(one);
                case "fifo" -> above.mkfifo(Pathname.of("one"), 0600);
                default -> Files.createFile(one);
            }
            mirrors(() -> {
                above.rename(Pathname.of("one"), above, Pathname.of("kept0"), Directory.RENAME_EXCHANGE);
                Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rwx-----x"));
                above.rename(Pathname.of("one"), above, Pathname.of("kept0"), Directory.RENAME_EXCHANGE);
            });
        }
    }

    /** A later change may have the same time: a clock has steps, and a write sets the time first. */
    @Test
    void aTimeThatWasYoungProvesNothing() throws IOException {
        Inode inode = new Inode(new Inode.Key(1, 1, Directory.DT_REG, null));
        try (Statx stat = new Statx()) {
            assertThat(stat.of(Pathname.of(kept.toString()), false)).isZero();
            inode.copied(stat, stat.ctimeNs() + 10_000_000);
            assertThat(inode.isAsCopied(stat)).isFalse();
            inode.copied(stat, stat.ctimeNs() + 10_000_000_000L);
            assertThat(inode.isAsCopied(stat)).isTrue();
            inode.copied(stat, stat.ctimeNs() - 10_000_000_000L);
            assertThat(inode.isAsCopied(stat)).isFalse();
        }
    }

    @Test
    void whileTheMirrorLooks() throws Exception {
        RandomGenerator random = Seeds.random(Seeds.next("whileTheMirrorLooks"));
        try (ExecutorService thread = Executors.newSingleThreadExecutor();
                Mirror mirror = mirror()) {
            for (int i = 0; i < ROUNDS; i++) {
                Future<?> changing = thread.submit(() -> {
                    for (int k = 0; k < CHANGES; k++) {
                        change(random);
                    }
                    return null;
                });
                untilExact(mirror, changing);
                changing.get();
                Described.equal(tree, copy, "round " + i);
            }
        }
    }

    private void change(RandomGenerator random) throws IOException {
        Path one = tree.resolve("kept" + random.nextInt(3));
        Path name = tree.resolve("passing" + random.nextInt(2));
        try {
            switch (random.nextInt(8)) {
                case 0 -> Files.writeString(one, "content", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                case 1, 2 -> passBy(Files.createLink(name, one), random);
                case 3 -> Files.delete(name);
                case 4 -> Files.createSymbolicLink(name, one);
                case 5 -> Files.createDirectory(name);
                case 6 ->
                    Files.move(Files.writeString(tree.resolve("next"), "next"), name, StandardCopyOption.ATOMIC_MOVE);
                default -> passBy(Files.createLink(Files.createDirectory(name).resolve("below"), one), random);
            }
        } catch (NoSuchFileException | FileAlreadyExistsException e) {
            assertThat(e.getFile()).isNotNull(); // most names are not there, or are taken
        } catch (FileSystemException e) {
            assertThat(name).isDirectory(); // and not empty, or in the way of a file
            Files.deleteIfExists(name.resolve("below"));
            Files.delete(name);
        }
    }

    private static void passBy(Path name, RandomGenerator random) throws IOException {
        Files.writeString(name, "x".repeat(1 + random.nextInt(3)), StandardOpenOption.APPEND);
        if (random.nextBoolean()) {
            String mode = random.nextBoolean() ? "rwxr-x---" : "rw-r--r--";
            Files.setPosixFilePermissions(name, PosixFilePermissions.fromString(mode));
        }
        if (random.nextInt(4) > 0) {
            Files.delete(name);
        }
    }
}
