package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.testkit.Await;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The power goes while objects are put: bytes that the disk had not flushed are there as a whole, in part or not at
 * all. Acknowledged objects are there whole, on each file system.
 */
@Tag("e2e")
@Isolated
final class CrashImageTest {
    /** Of each kind. */
    private static final int IMAGES = Share.count(40);

    private static final int WRITERS = 3;

    /** The number of further objects put for each image. */
    private static final int OBJECTS = 60;

    @TempDir
    Path directory = Path.of("");

    /** An object that was acknowledged: its bytes follow from its number. */
    private record Acknowledged(String key, long number) {}

    /** The disk that a crash left, and the objects acknowledged before. */
    private record Crash(Path image, List<Acknowledged> known) {}

    private final List<Crash> crashes = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({
        "mkfs.ext4 -q -F, 32, 1", "mkfs.ext4 -q -F, 32, 0.5", "mkfs.ext4 -q -F, 32, 0",
        "mkfs.xfs -q -f, 320, 1", "mkfs.xfs -q -f, 320, 0.5", "mkfs.xfs -q -f, 320, 0",
        "mkfs.btrfs -q -f, 128, 1", "mkfs.btrfs -q -f, 128, 0.5", "mkfs.btrfs -q -f, 128, 0"
    })
    @SuppressWarnings("try") // the server only has to be closed
    void whatWasAcknowledgedIsThere(String mkfs, int mib, double share) throws Exception {
        Requires.loopDevices();
        Requires.fuse();
        Requires.tool(mkfs.split(" ")[0]);
        RandomGenerator random = Seeds.random(Seeds.next("crash"));
        VolatileDisk disk = new VolatileDisk((long) mib << 20);
        Path mountPoint = Files.createDirectories(directory.resolve("fuse"));
        try (FuseServer server = FuseServer.mount(disk.byNodes(), mountPoint, FuseOptions.DEFAULTS)) {
            List<String> make = new ArrayList<>(Arrays.asList(mkfs.split(" ")));
            make.add(mountPoint.resolve("disk").toString());
            Program.ok(make.toArray(String[]::new));
            try (Mounted live = Mounted.image(mountPoint.resolve("disk"), directory.resolve("live"))) {
                crashes(disk, live.directory(), share, random);
            }
            for (Crash crash : crashes) { // now that nothing else of the same name is mounted
                check(crash);
            }
            assertThat(disk.flushes()).isPositive();
        }
    }

    private void crashes(VolatileDisk disk, Path live, double share, RandomGenerator random) throws Exception {
        ConcurrentLinkedQueue<Acknowledged> acknowledged = new ConcurrentLinkedQueue<>();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger allowed = new AtomicInteger();
        try (BlobStore store = BlobStores.open(live.resolve("archive").toString(), true);
                ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                long first = writer;
                running.add(writers.submit(() -> {
                    for (long number = first; !over.get(); number += WRITERS) {
                        while (number >= allowed.get() && !over.get()) {
                            LockSupport.parkNanos(100_000);
                        }
                        put(store, number, acknowledged);
                    }
                    return null;
                }));
            }
            try {
                AtomicInteger lost = new AtomicInteger();
                for (int image = 0; image < IMAGES; image++) {
                    Path copy = directory.resolve("crashed" + image);
                    CompletableFuture<Crash> crash = new CompletableFuture<>();
                    disk.afterWrites(1 + random.nextInt(OBJECTS), () -> {
                        List<Acknowledged> known = List.copyOf(acknowledged);
                        lost.addAndGet(disk.crash(copy, share, random));
                        crash.complete(new Crash(copy, known));
                    });
                    allowed.addAndGet(OBJECTS);
                    Await.until("the disk is written to", crash::isDone);
                    crashes.add(crash.join());
                }
                assertThat(lost.get()).isBetween(share == 0 ? IMAGES : 0, share == 1 ? 0 : Integer.MAX_VALUE);
            } finally {
                over.set(true);
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
    }

    private static void put(BlobStore store, long number, ConcurrentLinkedQueue<Acknowledged> acknowledged)
            throws IOException {
        String key = String.format("hosts/%016d/log/%016d.zst", number % WRITERS, number);
        byte[] content = content(number);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(content.length);
            MemorySegment.copy(MemorySegment.ofArray(content), 0, bytes, 0, content.length);
            assertThat(store.putIfAbsent(key, bytes)).isTrue();
        }
        acknowledged.add(new Acknowledged(key, number));
    }

    private static byte[] content(long number) {
        SplittableRandom random = new SplittableRandom(number);
        byte[] content = new byte[1 + random.nextInt(number % 16 == 0 ? 200_000 : 3000)];
        random.nextBytes(content);
        return content;
    }

    private void check(Crash crash) throws IOException {
        try (Mounted crashed = Mounted.image(crash.image(), directory.resolve("after"))) {
            for (Acknowledged each : crash.known()) {
                assertThat(crashed.directory().resolve("archive").resolve(each.key()))
                        .hasBinaryContent(content(each.number()));
            }
        }
        Files.delete(crash.image());
    }
}
