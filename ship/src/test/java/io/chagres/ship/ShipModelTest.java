package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The product's promise, tried on random runs: whatever a drain, a flush or a status calls safe is restored bit for bit
 * at that commit, and everything else is counted at risk. A run that fails is shortened and printed as a case for
 * {@link ShipModelCasesTest}; a million of them is what {@code bench/load/soak_ship.sh} does.
 */
@Tag("long")
@Order(1)
class ShipModelTest {
    private static final int RUNS = 10_000;
    /** The kernel makes a process that closes an inotify wait, so runs go side by side. */
    private static final int THREADS = 12;

    private static final Path MEMORY = Path.of("/dev/shm");

    @TempDir
    private Path temp;

    @Test
    void whatIsCalledSafeIsRestored() throws Exception {
        long seed = Seeds.next("whatIsCalledSafeIsRestored");
        Path top = Files.isWritable(MEMORY) ? Files.createTempDirectory(MEMORY, "chagres-model") : temp;
        int[] runs = Share.of(RUNS);
        AtomicInteger next = new AtomicInteger();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<String>> wrong = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                // files at rest are rows only where times move with a store, thus not in memory
                Path base = (i % 3 == 0 ? temp : top).resolve(Integer.toString(i));
                wrong.add(threads.submit(() -> run(base, seed, runs, next)));
            }
            for (Future<String> each : wrong) {
                assertThat(each.get()).isEmpty();
            }
        } finally {
            ModelRun.remove(top);
        }
    }

    /** Runs until one run fails; returns that one as a case. */
    private static String run(Path base, long seed, int[] runs, AtomicInteger next) throws IOException {
        for (int i = next.getAndIncrement(); i < runs.length; i = next.getAndIncrement()) {
            long number = seed + runs[i];
            ModelRun.Setting setting = ModelRun.Setting.of(number);
            List<ModelOperation> operations = ModelOperation.draw(Seeds.random(number));
            String wrong = ModelRun.run(base, setting, operations);
            if (wrong != null) {
                next.set(runs.length);
                return ModelShrink.explain(base, number, setting, operations, wrong);
            }
        }
        return "";
    }
}
