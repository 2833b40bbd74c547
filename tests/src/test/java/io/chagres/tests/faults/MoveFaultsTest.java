package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Names move, and more than one name may lead to a file. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class MoveFaultsTest {
    private static final int RENAME_EXCHANGE = 2;

    @Test
    void filesBetweenWatchedDirectories(FaultBench bench) throws IOException {
        Path a = Files.createDirectory(bench.file("a"));
        Path b = Files.createDirectory(bench.file("b"));
        ShipProcess ship = bench.shipping().paths(a, b).here().awaitScanned();
        LineWriter writer = bench.writer("s").open(a.resolve("app.log"));
        for (int i = 0; i < 200; i++) {
            writer.lines(5);
            Path from = (i % 2 == 0 ? a : b).resolve("app.log");
            Workload.rename(from, (i % 2 == 0 ? b : a).resolve("app.log"));
        }
        writer.lines(5).close();
        ship.drain();

        bench.restored("--all-versions").exact(writer).same(a).same(b);
    }

    @Test
    void wholeDirectories(FaultBench bench) throws IOException {
        Path first = Files.createDirectories(bench.file("one/service/logs"));
        Files.createDirectory(bench.file("two"));
        List<LineWriter> writers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            writers.add(bench.writer("s" + i).open(first.resolve("f" + i)).lines(5));
        }
        ShipProcess ship = bench.ship();
        Path at = bench.file("one/service");
        for (int i = 0; i < 21; i++) {
            writers.forEach(writer -> writer.lines(2));
            Path to = bench.file((i % 2 == 0 ? "two/" : "one/") + "service" + i);
            Workload.rename(at, to);
            at = to;
            Path logs = at.resolve("logs");
            writers.add(bench.writer("new" + i).open(logs.resolve("new" + i)).lines(3));
        }
        writers.forEach(writer -> writer.lines(2).close());
        ship.drain();

        bench.restored("--all-versions")
                .exact(writers.toArray(LineWriter[]::new))
                .same(bench.tree());
    }

    /** Outside nobody follows it; when it is back its files are recognised and continue where they were. */
    @Test
    void aDirectoryOutOfTheTreeAndBack(FaultBench bench) throws IOException {
        Path inside = Files.createDirectories(bench.file("service/logs"));
        LineWriter writer = bench.writer("s").open(inside.resolve("app.log")).lines(100);
        ShipProcess ship = bench.ship();
        writer.lines(100);
        Path outside = bench.root().resolve("outside");
        Workload.rename(bench.file("service"), outside);
        ship.awaitSettled();
        writer.lines(100);
        ship.awaitSettled();
        Workload.rename(outside, bench.file("returned"));
        writer.lines(100);
        Files.createDirectory(bench.file("returned/logs/below"));
        LineWriter late = bench.writer("late").open(bench.file("returned/logs/below/late.log"));
        ship.awaitSettled();
        writer.lines(100).close();
        late.lines(10).close();
        ship.drain();

        bench.restored().exact(writer, late).same(bench.tree());
    }

    @Test
    void aTreeMovedIn(FaultBench bench) throws IOException {
        Path outside = Files.createDirectories(bench.root().resolve("outside/x/y"));
        ShipProcess ship = bench.ship();
        List<LineWriter> writers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Path directory = Files.createDirectories(outside.resolve("d" + i));
            writers.add(bench.writer("s" + i).open(directory.resolve("log")).lines(10));
        }
        Workload.rename(bench.root().resolve("outside"), bench.file("inside"));
        writers.forEach(writer -> writer.lines(10).close());
        ship.drain();

        bench.restored("--all-versions")
                .exact(writers.toArray(LineWriter[]::new))
                .same(bench.tree());
    }

    /** One scan of a directory misses entries under renames, and lists others twice. */
    @Test
    void renameStormDuringTheScan(FaultBench bench) throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("renameStormDuringTheScan"));
        List<Path> files = new ArrayList<>();
        List<LineWriter> writers = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            Path file = Files.createDirectories(bench.file("d" + i % 4)).resolve("f" + i);
            writers.add(bench.writer("s" + i).open(file).batch(2));
            writers.getLast().close();
            files.add(file);
        }
        Callable<Void> storm = () -> {
            for (int i = 0; i < 40_000 && !Thread.interrupted(); i++) {
                int file = random.nextInt(files.size());
                Path to = bench.file("d" + random.nextInt(4)).resolve("r" + i);
                Workload.rename(files.get(file), to);
                files.set(file, to);
            }
            return null;
        };
        Future<Void> running = bench.tasks().submit(storm);
        ShipProcess ship = bench.shipping().paths(bench.tree()).start();
        Workload.join(running);
        ship.awaitSettled().drain();

        bench.restored("--all-versions")
                .exact(writers.toArray(LineWriter[]::new))
                .same(bench.tree());
    }

    @Test
    void namesExchanged(FaultBench bench) throws IOException {
        LineWriter one = bench.writer("one").open(bench.file("a")).lines(10);
        LineWriter two = bench.writer("two").open(bench.file("b")).lines(20);
        ShipProcess ship = bench.ship();
        try (Directory tree = Directory.open(Pathname.of(bench.tree().toString()))) {
            for (int i = 0; i < 101; i++) {
                one.lines(1);
                tree.rename(Pathname.of("a"), tree, Pathname.of("b"), RENAME_EXCHANGE);
                two.lines(1);
            }
        }
        one.close();
        two.close();
        ship.drain();

        bench.restored("--all-versions").exact(one, two).same(bench.tree());
    }

    @Test
    void hardLinks(FaultBench bench) throws IOException {
        Path deep = Files.createDirectories(bench.file("x/y"));
        LineWriter before = bench.writer("before").open(bench.file("one")).lines(50);
        Files.createLink(deep.resolve("two"), bench.file("one"));
        ShipProcess ship = bench.ship();
        Files.createLink(bench.file("three"), bench.file("one"));
        before.lines(50).close();
        before.open(deep.resolve("two")).lines(50).close();
        Files.delete(bench.file("one"));
        before.open(bench.file("three")).lines(50);
        Files.createLink(bench.file("one"), bench.file("three"));
        Workload.rename(bench.file("three"), deep.resolve("renamed"));
        before.lines(50).close();
        ship.drain();

        bench.restored("--all-versions").exact(before).same(bench.tree());
    }

    @Test
    void symbolicLinksInsideAreLinks(FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(10);
        Path elsewhere = Files.createDirectory(bench.root().resolve("elsewhere"));
        bench.writer("other").open(elsewhere.resolve("secret")).lines(10).close();
        Files.createSymbolicLink(bench.file("current"), Path.of("app.log"));
        Files.createSymbolicLink(bench.file("dangling"), Path.of("nowhere"));
        ShipProcess ship = bench.ship();
        Files.createSymbolicLink(bench.file("loop"), Path.of("loop"));
        Files.createSymbolicLink(bench.file("out"), elsewhere);
        Files.createSymbolicLink(bench.file("here"), Path.of("."));
        Files.delete(bench.file("current"));
        Files.createSymbolicLink(bench.file("current"), Path.of("dangling"));
        writer.lines(10).close();
        ship.drain();

        Restored restored = bench.restored("--all-versions").exact(writer).same(bench.tree());
        assertThat(restored.of(elsewhere)).doesNotExist();
    }

    /** As in Kubernetes: the link that is named leads to the file that is written. */
    @Test
    void symbolicLinksThatAreNamedAreFollowed(FaultBench bench) throws IOException {
        Path pods = Files.createDirectories(bench.root().resolve("pods/a"));
        LineWriter writer = bench.writer("s").open(pods.resolve("0.log")).lines(10);
        Files.createSymbolicLink(bench.file("a.log"), pods.resolve("0.log"));
        ShipProcess ship = bench.shipping().paths(bench.file("*.log")).here().awaitScanned();
        writer.lines(100);
        ship.awaitSettled();
        writer.lines(100).close();
        ship.drain();

        bench.restored("--all-versions").exact(writer);
    }
}
