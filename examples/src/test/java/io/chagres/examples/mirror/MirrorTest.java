package io.chagres.examples.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever happens to the tree, and while it is looked at: the copy is equal after each pause. */
@Tag("long")
@Timeout(1800)
class MirrorTest {
    private static final int CASES = Share.count(100);
    private static final int PAUSES = 10;
    private static final int CHANGES = 1000;
    private static final Path MAX_EVENTS = Path.of("/proc/sys/fs/inotify/max_queued_events");

    private final Path top;
    private Path tree;
    private Path outside;
    private Path copy;

    MirrorTest(@TempDir Path top) {
        this.top = top;
    }

    @BeforeEach
    void make() throws IOException {
        tree = Files.createDirectory(top.resolve("tree"));
        outside = Files.createDirectory(top.resolve("outside"));
        copy = Files.createDirectory(top.resolve("copy"));
    }

    private Mirror mirror() throws IOException {
        return new Mirror(Pathname.of(tree.toString()), Pathname.of(copy.toString()));
    }

    /** Mirrors until another thread has done its work, and then until all is reported. */
    private void mirrorUntil(Future<?> done, Mirror mirror, String what) throws Exception {
        Await.until(what, () -> {
            try {
                boolean wasDone = done.isDone();
                mirror.step(wasDone ? 0 : 5);
                return wasDone && mirror.isExact();
            } catch (IOException e) {
                throw new UncheckedIOException(what, e);
            }
        });
        done.get();
        Described.equal(tree, copy, what);
    }

    private static void emptied(Path... directories) throws IOException {
        for (Path directory : directories) {
            try (Stream<Path> all = Files.walk(directory)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    if (!each.equals(directory)) {
                        Files.delete(each);
                    }
                }
            }
        }
    }

    @Test
    void isExactAfterEachPause() throws Exception {
        long seed = Seeds.next("isExactAfterEachPause");
        for (int i = 0; i < CASES; i++) {
            isExact(seed + i);
            emptied(tree, outside, copy);
        }
    }

    private void isExact(long seed) throws Exception {
        RandomChanges changes = new RandomChanges(tree, outside, Seeds.random(seed));
        changes.make(CHANGES); // what is there before
        try (ExecutorService thread = Executors.newSingleThreadExecutor();
                Mirror mirror = mirror()) {
            for (int pause = 0; pause < PAUSES; pause++) {
                Future<?> writing = thread.submit(() -> changes.make(CHANGES));
                mirrorUntil(writing, mirror, "seed " + seed + ", pause " + pause);
            }
        }
    }

    @Test
    void isExactAfterEventsWereLost() throws Exception {
        long seed = Seeds.next("isExactAfterEventsWereLost");
        int events;
        try (BufferedReader reader = Files.newBufferedReader(MAX_EVENTS)) {
            events = Integer.parseInt(reader.readLine());
        }
        RandomChanges changes = new RandomChanges(tree, outside, Seeds.random(seed));
        changes.make(CHANGES);
        try (ExecutorService thread = Executors.newSingleThreadExecutor();
                Mirror mirror = mirror()) {
            for (int pause = 0; pause < 3; pause++) {
                changes.overflow(events + 100);
                Future<?> writing = thread.submit(() -> changes.make(CHANGES));
                mirrorUntil(writing, mirror, "seed " + seed + ", overflow " + pause);
            }
        }
    }

    @Test
    void manyDirectories() throws Exception {
        int count = 20 * CASES;
        try (ExecutorService thread = Executors.newSingleThreadExecutor();
                Mirror mirror = mirror()) {
            Future<?> making = thread.submit(() -> {
                for (int i = 0; i < count; i++) {
                    Path directory = Files.createDirectories(tree.resolve("a" + i % 10 + "/b" + i % 100 + "/c" + i));
                    Files.writeString(directory.resolve("file"), "content " + i);
                }
                Files.move(tree.resolve("a0"), tree.resolve("a1/moved"));
                return null;
            });
            mirrorUntil(making, mirror, count + " directories");
        }
    }

    /** A file system that is mounted in the tree is copied, too, and what it hid comes back. */
    @Test
    @Tag("it")
    void mounts() throws Exception {
        Requires.root();
        Requires.tool("mount");
        long seed = Seeds.next("mounts");
        RandomGenerator random = Seeds.random(seed);
        Path bound = Files.createDirectory(top.resolve("bound"));
        Path point = Files.createDirectory(tree.resolve("point"));
        Files.createFile(point.resolve("hidden"));
        RandomChanges within = new RandomChanges(point, outside, random);
        RandomChanges elsewhere = new RandomChanges(bound, outside, Seeds.random(seed + 1));
        Deque<Path> mounted = new ArrayDeque<>();
        try (ExecutorService thread = Executors.newSingleThreadExecutor();
                Mirror mirror = mirror()) {
            for (int pause = 0; pause < 12; pause++) {
                boolean isMounted = !mounted.isEmpty();
                String[] command = isMounted
                        ? new String[] {"umount", "--lazy", mounted.pop().toString()}
                        : pause % 4 < 2
                                ? new String[] {"mount", "--bind", bound.toString(), point.toString()}
                                : new String[] {"mount", "-t", "tmpfs", "none", point.toString()};
                Program.ok(command);
                if (!isMounted) {
                    mounted.push(point);
                }
                Future<?> writing = thread.submit(() -> {
                    within.make(CHANGES / 4);
                    elsewhere.make(CHANGES / 4);
                });
                mirrorUntil(writing, mirror, "seed " + seed + ", mount " + pause);
            }
        } finally {
            while (!mounted.isEmpty()) {
                Program.ok("umount", mounted.pop().toString());
            }
        }
        assertThat(point.resolve("hidden")).exists();
    }
}
