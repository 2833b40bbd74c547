package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import io.chagres.testkit.Allocations;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many events, and lost events. */
@Tag("long")
class WatchStressTest {
    private static final Path MAX_EVENTS = Path.of("/proc/sys/fs/inotify/max_queued_events");
    private static final int EVENTS = 1_000_000;
    private static final int ROUNDS = 20;

    private final Path top;

    WatchStressTest(@TempDir Path top) {
        this.top = top;
    }

    @Test
    void renameStormDuringTheScanLosesNoName() throws Exception {
        Path tree = Files.createDirectories(top.resolve("tree"));
        int files = 4000;
        for (int i = 0; i < files; i++) {
            Files.createFile(tree.resolve("a" + i));
        }
        AtomicBoolean stop = new AtomicBoolean();
        try (ExecutorService threads = Executors.newFixedThreadPool(1)) {
            Future<?> storm = threads.submit(() -> {
                renameAll(tree, files, stop);
                return null;
            });
            try (WatchFixture watch = new WatchFixture(top, "tree")) {
                stop.set(true);
                watch.until("storm over", storm::isDone);
                storm.get();
                watch.settle();
                watch.matchesWalk(tree);
                assertThat(watch.heard.names).hasSize(files + 1);
            } finally {
                stop.set(true);
            }
        }
    }

    private static void renameAll(Path tree, int files, AtomicBoolean stop) throws IOException {
        String from = "a";
        // the first passes run in any case; they overtake a scan that takes a few milliseconds
        for (int pass = 0; pass < 2 || (!stop.get() && pass < 20); pass++) {
            String to = from.equals("a") ? "b" : "a";
            for (int i = 0; i < files; i++) {
                Files.move(tree.resolve(from + i), tree.resolve(to + i), StandardCopyOption.ATOMIC_MOVE);
            }
            from = to;
        }
    }

    @Test
    void overflowIsToldAndRepaired() throws Exception {
        int max = maxQueuedEvents();
        Path tree = top.resolve("tree");
        Files.createDirectories(tree.resolve("d"));
        Files.writeString(tree.resolve("kept"), "");
        Files.writeString(tree.resolve("lost"), "");
        try (WatchFixture watch = new WatchFixture(top, "tree")) {
            for (int i = 0; i < max / 2 + 100; i++) {
                Path file = tree.resolve("f" + i % 10);
                Files.createFile(file);
                Files.delete(file);
            }
            Files.delete(tree.resolve("lost"));
            Files.writeString(tree.resolve("d/new"), "");
            watch.until("overflow", () -> watch.heard.overflows > 0);
            watch.hears("appeared tree/d/new");
            watch.hears("vanished tree/lost");
            watch.hears("modified tree/kept");
            watch.settle();
            watch.matchesWalk(tree);
        }
    }

    private static int maxQueuedEvents() throws IOException {
        // in one read: files of /proc/sys end where the first read ends
        try (BufferedReader reader = Files.newBufferedReader(MAX_EVENTS)) {
            return Integer.parseInt(reader.readLine());
        }
    }

    @Test
    void eventsOfKnownFilesAllocateNothing() throws Exception {
        CountingListener counts = new CountingListener();
        Path one = Files.createFile(top.resolve("one"));
        Path other = Files.createFile(top.resolve("other"));
        AtomicBoolean stop = new AtomicBoolean();
        try (ExecutorService threads = Executors.newFixedThreadPool(1);
                DirectoryWatcher watcher = DirectoryWatcher.builder(Pathname.of(top.toString()))
                        .clock(java.time.Clock.systemUTC())
                        .coalesceMs(0)
                        .open()) {
            step(watcher, counts, 0);
            Future<?> writer = threads.submit(() -> {
                writeAlternately(one, other, counts, stop);
                return null;
            });
            try {
                long fewest =
                        Allocations.fewestBytes(ROUNDS, () -> step(watcher, counts, counts.modified + EVENTS / ROUNDS));
                assertThat(fewest).isZero();
                assertThat(counts.overflows).isZero();
            } finally {
                stop.set(true);
                writer.get();
            }
        }
    }

    /** Alternates, because the kernel merges equal events that follow each other; stays below its limit. */
    private static void writeAlternately(Path one, Path other, CountingListener counts, AtomicBoolean stop)
            throws IOException {
        try (FileChannel a = FileChannel.open(one, StandardOpenOption.WRITE);
                FileChannel b = FileChannel.open(other, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.allocateDirect(1);
            for (long written = 0; !stop.get(); ) {
                if (written - counts.modified < 32) { // short batches, so that the whole path becomes warm
                    a.write(bytes.clear(), 0);
                    b.write(bytes.clear(), 0);
                    written += 2;
                } else {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private static void step(DirectoryWatcher watcher, CountingListener counts, long until) {
        try {
            while (counts.modified < until || watcher.scanning()) {
                watcher.poll(1000, counts);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
