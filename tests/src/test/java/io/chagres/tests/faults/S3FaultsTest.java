package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.FaultProxy;
import io.chagres.testkit.FaultProxy.Kind;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.ObjectServer;
import io.chagres.testkit.Program;
import io.chagres.testkit.ProxyRule;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An archive in a server of S3 that dies, fills up, refuses: nothing is lost, doubled or torn. */
@Tag("e2e")
class S3FaultsTest extends ObjectStoreFaults {
    private static final int KILLS = Share.count(40);

    @Override
    ObjectServer in(FaultBench bench) {
        return bench.inS3();
    }

    /** Somebody who made a bucket of that name meanwhile gets nothing. */
    @Test
    void everyRequestNamesTheOwnerOfTheBucket(FaultBench bench) throws IOException {
        ObjectServer server = bench.inS3(); // compares owners itself
        FaultProxy proxy = bench.proxied();
        proxy.on().without("x-amz-expected-bucket-owner").answer(403, "AccessDenied");
        String address = bench.address() + "&owner=" + server.accessKey();
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        Workload.large(writer);
        bench.shipping().paths(bench.tree()).to(address).here().awaitScanned().drain();
        Archive archive = bench.archive().at(address);
        archive.ok("compact", "--grace", "0");
        archive.verify();
        assertThat(archive.cat(FaultBench.HOST + ":**")).isEqualTo(Files.readAllBytes(bench.file("app.log")));
        assertThat(bench.archive().run("ls").err()).contains("AccessDenied");
    }

    /** Nothing that is stored can be deleted: as with a policy without that right. A shipper never asks for it. */
    @Test
    void aStoreThatKeepsEverything(FaultBench bench) throws IOException {
        bench.inS3();
        FaultProxy proxy = bench.proxied();
        ProxyRule kept = proxy.on(Kind.DELETE).answer(403, "AccessDenied");
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        Workload.large(writer);
        ShipProcess ship = bench.shipProcess();
        for (int round = 0; round < 3; round++) {
            writer.lines(100);
            ship.awaitSettled();
        }
        ship.kill();
        writer.truncate(0).lines(100);
        ship = bench.shipProcess().awaitSettled();
        assertThat(kept.applied()).isZero();
        Program compact = bench.archive().run("compact", "--grace", "0");
        assertThat(compact.exitCode()).isOne();
        assertThat(compact.err()).contains("s3:DeleteObject").doesNotContain("verify");
        writer.lines(100).close();
        ship.awaitSettled().drain();
        bench.restored("--all-versions").exact(writer).same(bench.tree());
        kept.remove();
        bench.archive().ok("compact", "--grace", "0");
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** A slow server that often refuses, each time for another reason. */
    @Test
    void stormOfErrors(FaultBench bench) throws IOException {
        FaultProxy proxy = bench.proxied();
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess ship = bench.ship("--codec", "none");
        long seed = Seeds.next("stormOfErrors");
        List<ProxyRule> rules = List.of(
                proxy.on(Kind.PUT).share(0.12, seed).answer(500, "InternalError"),
                proxy.on(Kind.PUT).share(0.12, seed + 1).answer(503, "SlowDown"),
                proxy.on(Kind.PUT).share(0.12, seed + 2).answer(429, "TooManyRequests"),
                proxy.on(Kind.PUT).share(0.12, seed + 3).answer(403, "RequestTimeTooSkewed"),
                proxy.on(Kind.PUT).delay(Duration.ofMillis(200)));
        List<LineWriter> writers = new ArrayList<>(List.of(writer));
        for (int round = 0; round < 3; round++) {
            Path block = bench.root().resolve("block"); // large enough for an object of its own
            LineWriter whole = Workload.large(bench.writer("block" + round).open(block));
            whole.close();
            writers.add(whole);
            Workload.rename(block, bench.file("block" + round));
            Workload.rotate(bench.file("app.log"), round);
            writer.lines(10).open(bench.file("app.log")).lines(100);
            Workload.pause(Duration.ofMillis(300));
        }
        Await.until("every fault was used more than once", () -> {
            writer.lines(1);
            return rules.stream().allMatch(rule -> rule.applied() > 1);
        });
        proxy.heal();
        ship.awaitSettled();
        writer.lines(10).close();
        ship.drain();

        bench.restored("--all-versions")
                .exact(writers.toArray(LineWriter[]::new))
                .same(bench.tree());
    }

    @Test
    void diskOfTheServerFullThenFreed(FaultBench bench) throws IOException {
        Requires.root();
        Path folder = bench.tmpfs("small", "size=6m").directory();
        bench.in(ObjectServer.versitygwIn(folder));
        Path ballast = Files.write(folder.resolve("ballast"), new byte[5 << 20]);
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(10);
        ShipProcess ship = bench.ship();
        Workload.large(writer);
        ship.awaitStatus("the server is full", ShipStatusLine::troubled);
        writer.lines(100);
        Files.delete(ballast);
        ship.awaitSettled();
        writer.lines(10).close();
        ship.drain();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** Nothing that was said holds a credential. */
    @Test
    void wrongCredentials(FaultBench bench) throws IOException {
        bench.inS3();
        bench.writer("s").open(bench.file("app.log")).lines(10).close();
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .environment("AWS_SECRET_ACCESS_KEY", "not-the-secret")
                .options("--drain", "1s")
                .start()
                .awaitError("SignatureDoesNotMatch");

        assertThat(ship.running() ? ship.terminate() : ship.awaitExit()).isIn(1, 3);
        assertThat(ship.report()).doesNotContain("not-the-secret");
    }

    @Test
    void killedAtRandomMoments(FaultBench bench) throws IOException {
        bench.inS3();
        RandomGenerator random = Seeds.random(Seeds.next("s3 killedAtRandomMoments"));
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        for (int kill = 0; kill < KILLS; kill++) {
            ShipProcess ship = bench.shipProcess("--codec", "none");
            if (kill == 0 || random.nextInt(5) == 0) {
                Workload.large(writer);
            }
            for (int i = random.nextInt(40); i > 0; i--) {
                writer.lines(5);
                Workload.pause(Duration.ofMillis(random.nextInt(10)));
            }
            ship.kill();
            if (random.nextInt(4) == 0) {
                Workload.rotate(bench.file("app.log"), kill);
                writer.lines(3).open(bench.file("app.log"));
            }
            if (random.nextInt(7) == 0) {
                Program.ok("rm", "-rf", bench.state().toString());
            }
        }
        writer.close();
        bench.ship().drain();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** A clock that is wrong by hours: the server says so, requests carry its time from then on, ages are by it. */
    @ParameterizedTest
    @ValueSource(strings = {"+50h", "-50h"})
    void clockOfTheMachineIsWrong(String offset, FaultBench bench) throws IOException {
        String[] wrong = {
            "env",
            "LD_PRELOAD=/usr/$LIB/faketime/libfaketime.so.1", // the program of that name would not pass on signals
            "FAKETIME=" + offset,
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
            "FAKETIME_FORCE_MONOTONIC_FIX=0", // with it timed waits end at once, and the threads of the JVM spin
            "NO_FAKE_STAT=1"
        };
        Requires.tool("faketime");
        bench.inS3();
        LineWriter writer = Workload.large(bench.writer("s").open(bench.file("app.log")));
        bench.shipping()
                .paths(bench.tree())
                .through(wrong)
                .start()
                .awaitSettled()
                .kill();
        writer.lines(100).close();
        bench.shipping()
                .paths(bench.tree())
                .through(wrong)
                .start()
                .awaitScanned()
                .drain();
        long commits = bench.archive().commits();
        bench.archive().through(wrong).ok("compact");
        bench.archive().through(wrong).ok("status"); // nobody is late

        assertThat(bench.archive().commits()).as("nothing is a day old").isEqualTo(commits);
        bench.restored().exact(writer).same(bench.tree());
    }

    /** After a compaction any client of S3 and zstd give the bytes back, without Chagres. */
    @Test
    void readByOtherTools(FaultBench bench) throws IOException {
        Requires.tool("aws", "pip install awscli==1.45.11");
        Requires.tool("zstd");
        ObjectServer server = bench.inS3();
        LineWriter writer = Workload.large(bench.writer("s").open(bench.file("app.log")));
        writer.close();
        bench.ship().drain();
        bench.archive().ok("compact");

        Path fetched = bench.root().resolve("fetched");
        Program.ok(
                "env",
                "AWS_ACCESS_KEY_ID=" + server.accessKey(),
                "AWS_SECRET_ACCESS_KEY=" + server.secretKey(),
                "AWS_DEFAULT_REGION=us-east-1",
                "aws",
                "--endpoint-url",
                server.endpoint().toString(),
                "s3",
                "cp",
                "--recursive",
                "--quiet",
                "s3://" + FaultBench.BUCKET,
                fetched.toString());
        Program zstd = Program.run(List.of("sh", "-c", "zstd -dc " + fetched + "/archive/hosts/*/streams/*/*.zst"));
        assertThat(zstd.exitCode()).as(zstd.err()).isZero();
        assertThat(zstd.out()).isEqualTo(Files.readAllBytes(bench.file("app.log")));
    }
}
