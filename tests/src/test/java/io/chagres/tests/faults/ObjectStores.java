package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.FaultProxy;
import io.chagres.testkit.FaultProxy.Kind;
import io.chagres.testkit.FaultRule;
import io.chagres.testkit.LineWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What happens to shippers in every object store. Stateless. */
final class ObjectStores {
    private ObjectStores() {}

    /**
     * Ships through a proxy that hides answers to puts that were done, breaks others off, and is busy in between.
     *
     * @param slash as a slash in the key of an object looks in a request
     * @return the shipper, settled, and its writer
     */
    static Shipped shipThroughFaults(FaultBench bench, FaultProxy proxy, String slash) throws IOException {
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess ship = bench.ship("--codec", "none").awaitSettled();
        String objects = slash + "streams" + slash;
        String commits = slash + "log" + slash;
        List<FaultRule> rules = List.of(
                proxy.on(Kind.PUT).within(objects).next(2).cutAfter(300_000),
                proxy.on(Kind.PUT).within(objects).next(2).loseResponse(),
                proxy.on(Kind.PUT).within(commits).next(8).loseResponse(),
                proxy.on(Kind.PUT).within(commits).next(5).answer(503, "busy"));
        for (int round = 0; round < 3; round++) {
            Workload.large(writer);
            Workload.rotate(bench.file("app.log"), round);
            writer.lines(10).open(bench.file("app.log")).lines(100);
        }
        Await.until("every fault was used", () -> {
            writer.lines(1);
            return rules.stream().allMatch(rule -> rule.applied() > 0);
        });
        proxy.heal();
        return new Shipped(ship.awaitSettled(), writer);
    }

    /** Is a shipper that runs, and who writes what it ships. */
    record Shipped(ShipProcess ship, LineWriter writer) {}

    /** Reads the log and its three rotations back in every way, before and after a compaction. */
    static void readBack(FaultBench bench, LineWriter writer) throws IOException {
        Archive archive = bench.archive();
        bench.restored("--all-versions").exact(writer).same(bench.tree());
        Path log = bench.file("app.log");
        assertThat(archive.list(FaultBench.HOST + ":/**")).contains(log.toString(), log + ".0", log + ".2");
        assertThat(archive.cat(FaultBench.HOST + ":" + log)).isEqualTo(Files.readAllBytes(log));
        archive.ok("compact");
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }
}
