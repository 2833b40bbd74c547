package io.chagres.tests.faults;

import io.chagres.archive.age.AgeIdentity;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Program;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** kill -9 at random moments, again and again, over writers that never stop. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
@Order(1)
class KillFaultsTest {
    private static final int LANES = 4;
    private static final int KILLS_PER_LANE = Share.count(260);

    /** The machine that encrypts and signs; its keys are in its state, which it does not lose. */
    private static final int PROTECTED_LANE = 3;

    @Test
    void killedAtRandomMoments(FaultBench bench) {
        long seed = Seeds.next("killedAtRandomMoments");
        List<Future<Void>> lanes = new ArrayList<>();
        for (int i = 0; i < LANES; i++) {
            Lane lane = new Lane(bench, i, Seeds.random(seed + i));
            lanes.add(bench.tasks().submit(lane::run));
        }
        lanes.forEach(Workload::join);
    }

    /** One machine: a tree with writers, its archive, and a shipper that is killed. */
    private static final class Lane {
        private final FaultBench bench;
        private final Path root;
        private final RandomGenerator random;
        private final AtomicBoolean stop = new AtomicBoolean();
        private final List<LineWriter> small = new ArrayList<>();
        private final LineWriter log;
        private final int number;
        private final AgeIdentity owner = AgeIdentity.generate();

        Lane(FaultBench bench, int number, RandomGenerator random) {
            this.bench = bench;
            this.number = number;
            this.random = random;
            root = bench.root().resolve("lane" + number);
            log = bench.writer("log" + number);
        }

        Void run() throws IOException {
            Files.createDirectories(tree().resolve("old"));
            RandomGenerator ofWriter = Seeds.random(random.nextLong());
            Future<Void> writer = bench.tasks().submit(writing(ofWriter));
            for (int kill = 0; kill < KILLS_PER_LANE; kill++) {
                ShipProcess ship = start();
                awaitSomeMoment(ship);
                ship.kill();
                if (random.nextInt(10) == 0 && number != PROTECTED_LANE) {
                    Program.ok("rm", "-rf", root.resolve("state").toString());
                }
            }
            stop.set(true);
            Workload.join(writer);
            start().awaitScanned().drain();
            List<LineWriter> all = new ArrayList<>(small);
            all.add(log);
            restored().exact(all.toArray(LineWriter[]::new)).same(tree());
            return null;
        }

        private Restored restored() throws IOException {
            if (number != PROTECTED_LANE) {
                return bench.restored(archive(), "--all-versions");
            }
            Path key = Files.writeString(root.resolve("key"), owner.secretText());
            String state = root.resolve("state").toString();
            byte[] trusted = archive().ok("head", FaultBench.HOST, "--key", "--state", state);
            Path trust = Files.write(root.resolve("trust"), trusted);
            archive().ok("verify", "--trust", trust.toString(), "--identity", key.toString());
            return bench.restored(archive(), "--all-versions", "--identity", key.toString())
                    .openedBy(owner);
        }

        private String[] protection() {
            return number == PROTECTED_LANE
                    ? new String[] {"--sign", "--encrypt-to", owner.recipient().toString()}
                    : new String[0];
        }

        private Path tree() {
            return root.resolve("tree");
        }

        private Archive archive() {
            return new Archive(root.resolve("archive"), root);
        }

        private ShipProcess start() {
            synchronized (bench) {
                return bench.shipping()
                        .paths(tree())
                        .to(root.resolve("archive"))
                        .state(root.resolve("state"))
                        .lag("30ms")
                        .options(protection())
                        .start();
            }
        }

        /** A moment of the start, of the first commits, or of steady work. */
        private void awaitSomeMoment(ShipProcess ship) {
            switch (random.nextInt(4)) {
                case 0 -> Workload.pause(Duration.ofMillis(random.nextInt(600)));
                case 1 -> ship.awaitScanned();
                default -> {
                    archive().awaitCommits(archive().commits() + 1 + random.nextInt(5));
                    Workload.pause(Duration.ofNanos(random.nextInt(40_000_000)));
                }
            }
        }

        /** Appends, rotates, moves and links; nothing it writes is ever gone. */
        private Callable<Void> writing(RandomGenerator choice) {
            return () -> {
                Path current = tree().resolve("app.log");
                log.open(current);
                for (int step = 0; !stop.get(); step++) {
                    log.lines(1);
                    Workload.pause(Duration.ofMillis(1));
                    switch (choice.nextInt(200)) {
                        case 0 -> {
                            Workload.rotate(current, step);
                            log.lines(choice.nextInt(3)).open(current);
                        }
                        case 1 -> moveOld();
                        case 2 -> createSmall(step);
                        default -> {}
                    }
                }
                log.close();
                return null;
            };
        }

        private void moveOld() throws IOException {
            try (DirectoryStream<Path> rotated = Files.newDirectoryStream(tree(), "*.log.*")) {
                for (Path file : rotated) {
                    Workload.rename(file, tree().resolve("old").resolve(file.getFileName()));
                    return;
                }
            }
        }

        private void createSmall(int step) throws IOException {
            Path directory = Files.createDirectory(tree().resolve("d" + step));
            LineWriter writer = new LineWriter("small" + number + "-" + step);
            writer.open(directory.resolve("one")).lines(2).close();
            Files.createLink(directory.resolve("two"), directory.resolve("one"));
            small.add(writer);
        }
    }
}
