package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a shipper ends: exit codes, wrapped programs, signals. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class ShipExitTest {
    private static Shipping unanswered(FaultBench bench, int port) {
        return bench.shipping()
                .paths(bench.tree())
                .to("s3://bucket/prefix?endpoint=http://127.0.0.1:" + port)
                .environment("AWS_ACCESS_KEY_ID", "a")
                .environment("AWS_SECRET_ACCESS_KEY", "b");
    }

    @ParameterizedTest(name = "exit code {0}")
    @ValueSource(ints = {0, 1, 3, 7, 127})
    void aWrappedProgramGivesItsExitCode(int code, FaultBench bench) throws IOException {
        Path log = bench.file("job.log");
        String job = "i=0; while [ $i -lt 200 ]; do echo line $i; i=$((i+1)); done > " + log + "; mkdir "
                + bench.file("late") + "; printf last > " + bench.file("late/words") + "; exit " + code;
        ShipProcess ship =
                bench.shipping().paths(bench.tree()).child("sh", "-c", job).start();

        assertThat(ship.awaitExit()).as(ship.report()).isEqualTo(code);
        bench.restored("--all-versions").same(bench.tree());
    }

    @Test
    void aWrappedProgramThatIsKilled(FaultBench bench) {
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .child("sh", "-c", "echo words > " + bench.file("job.log") + "; kill -9 $$")
                .start();

        assertThat(ship.awaitExit()).as(ship.report()).isEqualTo(128 + 9);
        bench.restored("--all-versions").same(bench.tree());
    }

    /** It forks twice and ends at once, as daemons do; its grandchild writes on. */
    @Test
    void aWrappedProgramWhoseChildrenOutliveIt(FaultBench bench) {
        String writer = "i=0; while [ $i -lt 50 ]; do echo line $i; sleep 0.02; i=$((i+1)); done";
        String job = "(setsid sh -c '" + writer + "' > " + bench.file("job.log") + " &)";
        ShipProcess ship =
                bench.shipping().paths(bench.tree()).child("sh", "-c", job).start();

        assertThat(ship.awaitExit()).as(ship.report()).isZero();
        bench.restored("--all-versions").same(bench.tree());
        assertThat(new String(bench.archive().cat("web1:*/job.log"))).contains("line 49");
    }

    @Test
    void aWrappedProgramThatLeavesADaemonBehind(FaultBench bench) throws IOException {
        Path pipe = bench.root().resolve("pipe");
        Program.ok("mkfifo", pipe.toString());
        String job =
                "(setsid sleep 1000 > /dev/null 2>&1 & echo $! > " + bench.file("pid") + "); read nothing < " + pipe;
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .options("--drain", "2s")
                .child("sh", "-c", job)
                .start()
                .awaitNewStatus("the id is shipped", status -> status.shippedBytes() > 0 && status.settled());
        Files.writeString(pipe, "end\n"); // the drain has nothing left to do, however busy the machine is

        assertThat(ship.awaitExit()).as(ship.report()).isZero();
        String pid = new String(bench.archive().cat("web1:*/pid")).strip();
        assertThat(ship.errors()).contains("left behind", "sleep", pid);
        Program.ok("kill", pid);
    }

    @Test
    void aWrappedProgramThatDoesNotExist(FaultBench bench) {
        ShipProcess ship =
                bench.shipping().paths(bench.tree()).child("/no/such/program").start();

        assertThat(ship.awaitExit()).isEqualTo(1);
        assertThat(ship.errors()).contains("/no/such/program").contains("No such file or directory");
    }

    /** The program is asked to end too, and what it writes on the way out is shipped. */
    @Test
    void aSignalEndsTheWrappedProgramFirst(FaultBench bench) {
        // a shell looks for signals between two commands: one that comes just before a read that blocks is not seen
        String job = "trap 'echo goodbye >> " + bench.file("job.log") + "; exit 5' TERM; echo ready > "
                + bench.file("job.log") + "; while :; do sleep 0.05; done";
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .child("sh", "-c", job)
                .start()
                .awaitNewStatus("the job is ready", status -> status.shippedBytes() > 0);

        assertThat(ship.terminate()).as(ship.report()).isEqualTo(5);
        assertThat(bench.archive().cat("web1:*/job.log")).isEqualTo("ready\ngoodbye\n".getBytes());
    }

    @Test
    void interruptDrainsLikeTerminate(FaultBench bench) {
        ShipProcess ship = bench.shipProcess();
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(500);
        writer.close();
        ship.signal("INT");

        assertThat(ship.awaitExit()).as(ship.report()).isZero();
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** With a lag of an hour nothing but the cut commits; half a line is taken too. */
    @Test
    void drainCommitsAtOnceAndGoesOn(FaultBench bench) throws IOException {
        ShipProcess ship =
                bench.shipping().paths(bench.tree()).lag("1h").start().awaitScanned();
        for (int round = 0; round < 3; round++) {
            Path file = Files.writeString(bench.file("app.log" + round), "line\n".repeat(10_000) + "half");
            Program drain = bench.askToDrain();
            assertThat(drain.exitCode()).as(drain.err() + ship.report()).isZero();
            assertThat(bench.archive().cat("web1:*/app.log" + round)).isEqualTo(Files.readAllBytes(file));
        }
        ship.drain();
        assertThat(bench.askToDrain().exitCode()).isEqualTo(1);
    }

    /** Nobody listens at port 1. */
    @Test
    void aStoreThatRefusesAtTheStartIsAskedAgain(FaultBench bench) throws IOException {
        Files.writeString(bench.file("app.log"), "words");
        ShipProcess ship = unanswered(bench, 1)
                .options("--drain", "1s")
                .start()
                .awaitStatus("the store refuses", ShipStatusLine::troubled);

        Program drain = bench.askToDrain();
        assertThat(drain.exitCode()).as(drain.err()).isEqualTo(3);
        assertThat(drain.err()).contains("it waits for its store", "at risk: unknown");
        assertThat(ship.terminate()).as(ship.report()).isEqualTo(3);
        assertThat(ship.errors()).contains("at risk: unknown");
    }

    /** Nobody answers behind an open port: neither the end of the program nor a signal waits for that. */
    @Test
    void aProgramDoesNotWaitForAStoreThatHangs(FaultBench bench) throws IOException {
        Path began = bench.root().resolve("began");
        try (java.net.ServerSocket hangs = new java.net.ServerSocket(0)) {
            ShipProcess ship = unanswered(bench, hangs.getLocalPort())
                    .options("--drain", "1s")
                    .child("touch", began.toString())
                    .start();
            assertThat(ship.awaitExit()).as(ship.report()).isEqualTo(3);
            assertThat(began).exists();
            assertThat(ship.errors()).contains("did not answer within 1.0 s");
        }
    }

    @Test
    void onceEndsThoughTheStoreRefuses(FaultBench bench) throws IOException {
        ShipProcess ship =
                unanswered(bench, 1).options("--once", "--drain", "1s").start();
        assertThat(ship.awaitExit()).as(ship.report()).isEqualTo(3);
    }

    @Test
    void onceEndsThoughTheStoreHangs(FaultBench bench) throws IOException {
        try (java.net.ServerSocket hangs = new java.net.ServerSocket(0)) {
            ShipProcess ship = unanswered(bench, hangs.getLocalPort())
                    .options("--once", "--drain", "1s")
                    .start();
            assertThat(ship.awaitExit()).as(ship.report()).isEqualTo(3);
        }
    }

    @Test
    void onceShipsWhatIsThere(FaultBench bench) {
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(500);
        for (int run = 0; run < 2; run++) {
            writer.lines(100);
            ShipProcess ship =
                    bench.shipping().paths(bench.tree()).options("--once").here();
            assertThat(ship.awaitExit()).as(ship.report()).isZero();
        }

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    @Test
    void fromTheEnd(FaultBench bench) {
        bench.writer("before").open(bench.file("app.log")).lines(50).close();
        ShipProcess ship = bench.ship("--start-at", "end");
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(50);
        LineWriter fresh = bench.writer("new").open(bench.file("new.log")).lines(50);
        writer.close();
        fresh.close();
        ship.drain();

        byte[] shipped = bench.archive().cat("web1:*/app.log");
        assertThat(new io.chagres.testkit.LineCount()
                        .expect(writer)
                        .expect(fresh)
                        .content(shipped, "app.log")
                        .content(bench.archive().cat("web1:*/new.log"), "new.log")
                        .result()
                        .exact())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--no-such-option x", "--max-lag never x --to y", "x"})
    void usage(String arguments) {
        List<String> command = new ArrayList<>(List.of("ship"));
        command.addAll(List.of(arguments.split(" ")));
        command.remove("");

        Program program = Chagres.run(command);
        assertThat(program.exitCode()).as(program.err()).isEqualTo(2);
        assertThat(program.out()).isEmpty();
        assertThat(program.err()).contains("--help");
    }

    /** One bit of an object is wrong: verify names the object and fails, and reading gives no wrong bytes. */
    @Test
    void aDamagedArchiveIsNamed(FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).batch(500);
        writer.close();
        bench.ship().drain();
        Path object = Archive.files(bench.store(), file -> file.getParent().endsWith("log")).stream()
                .max((a, b) -> Long.compare(a.toFile().length(), b.toFile().length()))
                .orElseThrow();
        byte[] bytes = Files.readAllBytes(object);
        bytes[bytes.length / 2] ^= 4;
        Files.write(object, bytes, StandardOpenOption.TRUNCATE_EXISTING);

        Program verify = bench.archive().run("verify");
        assertThat(verify.exitCode()).isEqualTo(1);
        assertThat(new String(verify.out()) + verify.err())
                .contains(object.getFileName().toString());
        Program cat = bench.archive().run("cat", "web1:*/app.log");
        assertThat(cat.exitCode()).isEqualTo(1);
        assertThat(cat.err()).contains(object.getFileName().toString());
    }
}
