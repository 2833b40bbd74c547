package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.FaultProxy;
import io.chagres.testkit.FaultProxy.Kind;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.ObjectServer;
import io.chagres.testkit.Program;
import io.chagres.testkit.ProxyRule;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The faults of an archive in any server of objects: nothing is lost, doubled or torn. */
@ExtendWith(FaultBench.Extension.class)
@Execution(ExecutionMode.CONCURRENT)
abstract class ObjectStoreFaults {
    /** Puts the archive into a server of its kind. */
    abstract ObjectServer in(FaultBench bench);

    /** Says whether the server has its objects again after it was killed. */
    boolean keepsObjects() {
        return true;
    }

    /** Returns how a slash in the key of an object looks in a request. */
    String slash() {
        return "/";
    }

    /** Returns what a request for the content of an object has, and no other. */
    String content() {
        return "";
    }

    /** Returns what this store calls a bucket. */
    String bucket() {
        return "bucket";
    }

    @Test
    void killedShipperAndKilledServer(FaultBench bench) throws IOException {
        ObjectServer server = in(bench);
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        ShipProcess ship = bench.shipProcess("--codec", "none");
        for (int round = 0; round < 3; round++) {
            boolean outage = round < 2 && keepsObjects();
            if (outage) {
                server.kill();
            }
            Workload.large(writer);
            Workload.rotate(bench.file("app.log"), round);
            writer.lines(5).open(bench.file("app.log")).lines(50);
            if (outage) {
                ship.awaitNewStatus("the store refuses", ShipStatusLine::troubled);
                assertThat(ship.last().riskBytes()).isPositive();
                server.restart();
                ship.awaitSettled();
            }
            if (round > 0) { // the first one lived through both outages
                ship.kill();
                ship = bench.shipProcess("--codec", "none");
            }
        }
        ship.kill();
        Program.ok("rm", "-rf", bench.state().toString());
        writer.close();
        bench.ship().drain();

        readBack(bench, writer);
    }

    /** Reads the log and its three rotations back in every way, before and after a compaction. */
    private static void readBack(FaultBench bench, LineWriter writer) throws IOException {
        Archive archive = bench.archive();
        bench.restored("--all-versions").exact(writer).same(bench.tree());
        Path log = bench.file("app.log");
        assertThat(archive.list(FaultBench.HOST + ":/**")).contains(log.toString(), log + ".0", log + ".2");
        assertThat(archive.cat(FaultBench.HOST + ":" + log)).isEqualTo(Files.readAllBytes(log));
        archive.ok("compact");
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** The server took puts without an answer, broke others off, was busy in between, and away for a while. */
    @Test
    void answersLostConnectionsCutAndErrors(FaultBench bench) throws IOException {
        in(bench);
        FaultProxy proxy = bench.proxied();
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess ship = bench.ship("--codec", "none").awaitSettled();
        String objects = slash() + "streams" + slash();
        String commits = slash() + "log" + slash();
        List<ProxyRule> rules = List.of(
                proxy.on(Kind.PUT).within(objects).next(2).cutAfter(300_000),
                proxy.on(Kind.PUT).within(objects).next(2).loseResponse(),
                proxy.on(Kind.PUT).within(commits).next(8).loseResponse(),
                proxy.on(Kind.PUT).within(commits).next(2).cutAfter(100),
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
        ship.awaitSettled();
        proxy.refuse();
        writer.lines(20);
        ship.awaitNewStatus("the store refuses", ShipStatusLine::troubled);
        proxy.accept();
        ship.awaitSettled();
        writer.lines(10).close();
        ship.drain();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** A proxy in between repeats a put that was taken, does it after the client has gone, or out of order. */
    @Test
    void requestsRepeatedLateAndOutOfOrder(FaultBench bench) throws IOException {
        in(bench);
        FaultProxy proxy = bench.proxied();
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess ship = bench.shipProcess("--codec", "none").awaitSettled();
        long seed = Seeds.next("ObjectStoreFaults");
        List<ProxyRule> rules = List.of(
                proxy.on(Kind.PUT).share(0.2, seed).repeat(),
                proxy.on(Kind.PUT).share(0.2, seed + 1).late(Duration.ofMillis(1500)),
                proxy.on(Kind.PUT, Kind.GET, Kind.HEAD, Kind.LIST)
                        .share(0.3, seed + 2)
                        .delay(Duration.ofMillis(100)));
        Workload.large(writer);
        for (int round = 0; rules.stream().anyMatch(rule -> rule.applied() < 3); round++) {
            writer.lines(10);
            ship.awaitSettled();
            if (round < 3) {
                Workload.rotate(bench.file("app.log"), round);
                writer.lines(10).open(bench.file("app.log"));
            }
        }
        ship.kill();
        rules.get(1).remove(); // a command gives up after some tries
        bench.archive().ok("compact", "--grace", "0");
        ship = bench.shipProcess("--codec", "none");
        writer.lines(10).close();
        ship.awaitSettled().drain();
        proxy.heal();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** Listings are seconds old: shippers that come back, compaction and readers ask for what must be there. */
    @Test
    void listingsThatLag(FaultBench bench) throws IOException {
        in(bench);
        FaultProxy proxy = bench.proxied();
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        for (int round = 0; round < 3; round++) {
            ProxyRule lag = ofOneHost(proxy).lag(Duration.ofSeconds(round == 2 ? 3600 : 2));
            ShipProcess ship = bench.shipProcess();
            for (int i = 0; i < 3; i++) {
                writer.lines(20);
                ship.awaitSettled();
            }
            Workload.rotate(bench.file("app.log"), round);
            writer.lines(5).open(bench.file("app.log")).lines(5);
            if (round % 2 == 0) {
                ship.kill();
            } else {
                ship.drain();
            }
            bench.archive().ok("compact");
            bench.archive().ok("compact", "--retain", "30d");
            bench.archive().verify();
            assertThat(lag.applied()).isPositive();
            lag.remove();
        }
        writer.close();
        bench.ship().drain();

        ofOneHost(proxy).lag(Duration.ofHours(1));
        bench.restored("--all-versions").exact(writer).same(bench.tree());
        proxy.heal();
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** Nothing can check the list of hosts: a new one is seen when the store shows it. */
    private ProxyRule ofOneHost(FaultProxy proxy) {
        return proxy.on(Kind.LIST).within("prefix=", "hosts");
    }

    /** A bit that flips on the way, or an answer that ends in the middle, is no damage of the archive. */
    @Test
    void answersDamagedOnTheWay(FaultBench bench) throws IOException {
        in(bench);
        FaultProxy proxy = bench.proxied();
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        Workload.large(writer); // before it is found: as an object
        ShipProcess first = bench.shipProcess("--codec", "none").awaitSettled();
        writer.lines(100);
        first.awaitSettled().kill();
        byte[] content = Files.readAllBytes(bench.file("app.log"));
        Path log = bench.file("app.log");
        for (String part : List.of("log", "streams")) {
            for (boolean isCut : new boolean[] {false, true}) {
                ProxyRule rule = damage(proxy, part, isCut);
                assertThat(bench.archive().cat(FaultBench.HOST + ":" + log)).isEqualTo(content);
                assertThat(rule.applied()).as("%s cut %s", part, isCut).isOne();
                damage(proxy, part, isCut);
                bench.archive().ok("verify");
            }
        }
        Program.ok("rm", "-rf", bench.state().toString()); // what it knows comes from the store now
        ProxyRule flip = damage(proxy, "log", false);
        ShipProcess second = bench.shipProcess("--codec", "none");
        writer.lines(100).close();
        second.awaitSettled().drain();
        assertThat(flip.applied()).isOne();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** Damages the next answer with content of an object. */
    private ProxyRule damage(FaultProxy proxy, String part, boolean isCut) {
        ProxyRule rule = proxy.on(Kind.GET).within(part, content()).next(1);
        return isCut ? rule.cutAnswer() : rule.flipInAnswer();
    }

    @Test
    void bucketIsMissing(FaultBench bench) throws IOException {
        in(bench);
        assertThat(bench.archive().run("ls").err()).contains("holds no host yet");
        bench.writer("s").open(bench.file("app.log")).lines(10).close();
        bench.missBucket("nowhere");
        String message = "there is no " + bucket() + " nowhere";
        Program ls = bench.archive().run("ls");
        assertThat(ls.exitCode()).isEqualTo(1);
        assertThat(ls.err()).contains(message);
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .options("--drain", "1s")
                .here()
                .awaitError(message);

        assertThat(ship.running() ? ship.terminate() : ship.awaitExit()).isIn(1, 3);
    }
}
