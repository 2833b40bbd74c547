package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes a tree at random from several threads and compares the reports with a walk. */
@Tag("long")
class WatchModelTest {
    private static final int THREADS = 3;
    private static final int ROUNDS = Share.count(20);
    private static final int CHANGES = 1000;
    private static final int NAMES = 6;
    private static final int RENAME_WHITEOUT = 4;

    private final Path top;

    WatchModelTest(@TempDir Path top) {
        this.top = top;
    }

    @Test
    void whatIsToldIsWhatIsThere() throws Exception {
        run("whatIsToldIsWhatIsThere", 0);
    }

    @Test
    void whatIsToldIsWhatIsThereWithCoalescing() throws Exception {
        run("whatIsToldIsWhatIsThereWithCoalescing", 5);
    }

    private void run(String name, int coalesceMs) throws Exception {
        long seed = Seeds.next(name);
        Path tree = Files.createDirectories(top.resolve("tree"));
        Path outside = Files.createDirectories(top.resolve("outside"));
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS);
                WatchFixture watch = new WatchFixture(top, b -> b.coalesceMs(coalesceMs), "tree")) {
            watch.heard.keepsLog = false;
            for (int round = 0; round < ROUNDS; round++) {
                List<Future<?>> running = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    RandomGenerator random = Seeds.random(seed + round * 100L + i);
                    running.add(threads.submit(() -> changeOften(tree, outside, random)));
                }
                watch.until("writers done", () -> running.stream().allMatch(Future::isDone));
                for (Future<?> each : running) {
                    each.get();
                }
                watch.settle();
                assertThat(watch.watcher.scanning()).isFalse();
                watch.matchesWalk(tree);
            }
            assertThat(watch.heard.problems).isEmpty();
        }
    }

    private static void changeOften(Path tree, Path outside, RandomGenerator random) {
        for (int i = 0; i < CHANGES; i++) {
            Path one = somewhere(tree, random);
            Path other = random.nextInt(20) == 0 ? somewhere(outside, random) : somewhere(tree, random);
            try {
                change(one, other, random);
            } catch (IOException e) {
                // the other threads change the same names: what fails, fails
                assertThat(e).isInstanceOfAny(java.nio.file.FileSystemException.class, ErrnoException.class);
            }
        }
    }

    private static Path somewhere(Path top, RandomGenerator random) {
        Path path = top;
        for (int depth = random.nextInt(3); depth >= 0; depth--) {
            path = path.resolve((depth == 0 ? "n" : "d") + random.nextInt(NAMES));
        }
        return path;
    }

    private static void change(Path one, Path other, RandomGenerator random) throws IOException {
        switch (random.nextInt(13)) {
            case 0, 1 -> Files.writeString(one, "x", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            case 2 -> Files.delete(one);
            case 3, 4 -> Files.move(one, other, StandardCopyOption.ATOMIC_MOVE);
            case 5 -> Files.createDirectories(one.resolveSibling("d" + random.nextInt(NAMES)));
            case 6 -> Files.delete(one.resolveSibling("d" + random.nextInt(NAMES)));
            case 7 -> {
                Path directory = one.resolveSibling("d" + random.nextInt(NAMES));
                Files.move(
                        directory, other.resolveSibling("d" + random.nextInt(NAMES)), StandardCopyOption.ATOMIC_MOVE);
            }
            case 8 -> Files.createLink(other, one);
            case 9 -> rename(one, other, Directory.RENAME_EXCHANGE);
            case 10 -> {
                Path directory = one.resolveSibling("d" + random.nextInt(NAMES));
                rename(directory, other.resolveSibling("d" + random.nextInt(NAMES)), Directory.RENAME_EXCHANGE);
            }
            case 11 -> {
                int flags = random.nextBoolean() ? RENAME_WHITEOUT : Directory.RENAME_EXCHANGE;
                rename(one.resolveSibling("d" + random.nextInt(NAMES)), other, flags);
            }
            default -> Files.createSymbolicLink(one, Path.of("anything"));
        }
    }

    private static void rename(Path one, Path other, int flags) throws IOException {
        try (Directory above = Directory.open(Pathname.of("/"))) {
            Pathname from = Pathname.of(one.toString().substring(1));
            above.rename(from, above, Pathname.of(other.toString().substring(1)), flags);
        }
    }
}
