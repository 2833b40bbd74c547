package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.state.PointInTime;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import io.chagres.testkit.TreeDiff;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The promise from outside: whatever is done to files while the program ships, is killed and compacts, after every
 * {@code drain} that says that everything is acknowledged the restored tree is the real one, and so it is later with
 * {@code --at} that moment, also in a mount.
 */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class RandomFilesTest {
    private static final int TESTS = 2;
    private static final int MOMENTS = 3;
    private static final int ROUNDS = Share.count(1_200);
    /** A file system where stores through mappings move no time. */
    private static final Path MEMORY = Path.of("/dev/shm");

    @Test
    void whatADrainCallsSafeIsRestored(FaultBench bench) throws IOException {
        Requires.tool("fallocate");
        Path memory = Files.isWritable(MEMORY) ? Files.createTempDirectory(MEMORY, "lane") : bench.file("memory");
        try {
            run(bench, List.of(bench.file("disk"), memory));
        } finally {
            Program.ok("rm", "-rf", memory.toString());
        }
    }

    @Test
    void onOtherFileSystemsToo(FaultBench bench) throws IOException {
        Requires.tool("fallocate");
        Requires.root();
        Requires.loopDevices();
        Path layers = bench.root().resolve("layers");
        for (String layer : List.of("lower", "upper", "work")) {
            Files.createDirectories(layers.resolve(layer));
        }
        List<Path> files = List.of(bench.file("xfs"), bench.file("btrfs"), bench.file("overlay"));
        bench.mounted(Mounted.newFileSystem(bench.file("xfs.image"), files.get(0), "mkfs.xfs", "-q"));
        bench.mounted(Mounted.newFileSystem(bench.file("btrfs.image"), files.get(1), "mkfs.btrfs", "-q"));
        bench.mounted(Mounted.overlay(layers, files.get(2)));
        run(bench, files);
    }

    /** Runs the rounds of a test, those of each place beside each other. */
    private static void run(FaultBench bench, List<Path> places) {
        long seed = Seeds.next("RandomFilesTest");
        int rounds = ROUNDS / TESTS / places.size();
        List<Future<Integer>> lanes = new ArrayList<>();
        for (int i = 0; i < places.size(); i++) {
            Path root = bench.root().resolve("lane" + i);
            Lane lane = new Lane(bench, root, places.get(i), Seeds.random(seed + i));
            lanes.add(bench.tasks().submit(() -> lane.run(rounds)));
        }
        int safe = lanes.stream().mapToInt(Workload::join).sum();
        assertThat(safe).as("drains that said that all is safe").isGreaterThan(rounds * places.size() / 2);
    }

    /** One machine: its files, its archive and its shipper. */
    private static final class Lane {
        private final FaultBench bench;
        private final Path root;
        private final RandomGenerator random;
        private final Path tree;
        private final Archive archive;
        private final List<String> history = new ArrayList<>();
        private final Map<Instant, Path> moments = new TreeMap<>();

        Lane(FaultBench bench, Path root, Path files, RandomGenerator random) {
            this.bench = bench;
            this.root = root;
            this.random = random;
            tree = files.resolve("tree");
            archive = new Archive(root.resolve("archive"), root);
        }

        /** Returns how many drains said that all is safe. */
        int run(int rounds) throws IOException {
            try (RandomFiles changed = new RandomFiles(tree, random)) {
                return run(changed, rounds);
            }
        }

        private int run(RandomFiles files, int rounds) throws IOException {
            ShipProcess ship = start().awaitScanned();
            int safe = 0;
            for (int round = 0; round < rounds; round++) {
                change(files);
                if (random.nextInt(8) == 0) {
                    ship.kill();
                    history.add("killed");
                    change(files);
                    ship = start();
                    change(files);
                    ship.awaitScanned();
                }
                if (random.nextInt(20) == 0) {
                    archive.ok("compact");
                    history.add("compacted");
                }
                safe += drained() ? 1 : 0;
            }
            ship.drain();
            isRestored();
            for (Map.Entry<Instant, Path> moment : moments.entrySet()) {
                isRestored(moment.getKey(), moment.getValue());
            }
            archive.verify();
            return safe;
        }

        private void change(RandomFiles files) throws IOException {
            for (int i = random.nextInt(12); i >= 0; i--) {
                String change = files.change();
                if (!change.isEmpty()) {
                    history.add(change);
                }
                if (random.nextInt(4) == 0) {
                    Workload.pause(Duration.ofMillis(random.nextInt(40)));
                }
            }
        }

        private ShipProcess start() {
            synchronized (bench) {
                return bench.shipping()
                        .paths(tree)
                        .to(archive.address())
                        .state(root.resolve("state"))
                        .start();
            }
        }

        private boolean drained() throws IOException {
            Program program = Chagres.run(
                    List.of("drain", "--state", root.resolve("state").toString()));
            history.add("drained: " + new String(program.out(), StandardCharsets.UTF_8) + program.err());
            if (program.exitCode() == 0) {
                isRestored();
                if (moments.size() < MOMENTS && random.nextInt(10) == 0) {
                    remember();
                }
            }
            return program.exitCode() == 0;
        }

        /** Keeps the tree as it is: nothing changes it, or was not committed, at the time noted. */
        private void remember() {
            Path copy = root.resolve("moment" + moments.size());
            Instant moment = Clock.systemUTC().instant(); // of the same millisecond as no commit behind the copy
            Program.ok("cp", "-a", tree.toString(), copy.toString());
            moments.put(moment, copy);
        }

        private void isRestored(Instant moment, Path kept) {
            Path restored = archive.restore("--at", moment.toString());
            assertThat(TreeDiff.of(kept, below(restored), name -> true))
                    .as("differences at %s", moment)
                    .isEmpty();
            Program.ok("rm", "-rf", restored.toString());
            if (MountedArchive.isPossible()) {
                PointInTime at = PointInTime.time(moment.toEpochMilli());
                try (MountedArchive mounted = new MountedArchive(archive.store(), List.of(), at)) {
                    assertThat(TreeDiff.of(kept, below(mounted.directory()), name -> true))
                            .as("differences of a mount at %s", moment)
                            .isEmpty();
                }
            }
        }

        private Path below(Path restored) {
            return restored.resolve(FaultBench.HOST).resolve(Path.of("/").relativize(tree));
        }

        private void isRestored() throws IOException {
            Path restored = archive.restore();
            Path copy = below(restored);
            assertThat(TreeDiff.of(tree, copy, name -> true))
                    .as("differences of %s and %s after %s", tree, copy, history)
                    .isEmpty();
            Program.ok("rm", "-rf", restored.toString());
            history.subList(0, Math.max(0, history.size() - 100)).clear();
        }
    }
}
