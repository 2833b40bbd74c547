package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** System calls of the shipper that fail: strace answers in the kernel's place. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
@Execution(ExecutionMode.CONCURRENT)
class InjectedErrorsTest {
    @BeforeEach
    void needsStrace() {
        Requires.tool("strace");
    }

    /** Returns the command that runs a program with a system call tampered with, optionally only on some paths. */
    static String[] strace(FaultBench bench, String call, String fault, Path... onlyOn) {
        List<String> command = new ArrayList<>(List.of("strace", "-D", "-f", "-qq", "--seccomp-bpf"));
        command.addAll(List.of("-o", bench.root().resolve("strace.log").toString()));
        command.addAll(List.of("-e", "trace=" + call, "-e", "inject=" + call + ":" + fault));
        for (Path path : onlyOn) {
            command.addAll(List.of("-P", path.toString()));
        }
        return command.toArray(String[]::new);
    }

    /** Begins to tamper with a program that runs. */
    private static void tamper(FaultBench bench, ShipProcess ship, String call, String fault, Path... onlyOn) {
        List<String> command = new ArrayList<>(List.of(strace(bench, call, fault, onlyOn)));
        command.remove("-D");
        command.addAll(List.of("-p", Long.toString(ship.pid())));
        var _ = bench.tasks().submit(() -> Program.run(command));
        Await.until("strace is attached", () -> traced(ship.pid()));
    }

    private static boolean traced(long pid) {
        Program untraced =
                Program.run(List.of("sh", "-c", "grep -L '^TracerPid:\\s*[1-9]' /proc/" + pid + "/task/*/status"));
        return untraced.out().length == 0;
    }

    private static void assertInjected(FaultBench bench) throws IOException {
        assertThat(Files.readString(bench.root().resolve("strace.log")))
                .as("the fault was injected")
                .contains("INJECTED");
    }

    /**
     * Errors that the archive's directory can answer; each put is tried again with a new temporary file. Calls are
     * counted by thread, and idle threads end: a fault that fails a row of calls of each thread could last forever.
     */
    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource({
        "fsync, EIO, 1+3",
        "fsync, ENOSPC, 2",
        "linkat, ENOSPC, 1+3",
        "linkat, EIO, 2",
        "pwrite64, ENOSPC, 1+4",
        "pwrite64, EIO, 2",
        "pwrite64, EINTR, 1+2",
    })
    void putsThatFail(String call, String error, String when, FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess ship = bench.shipProcess();
        tamper(bench, ship, call, "error=" + error + ":when=" + when);
        Workload.writeWhileRotating(bench, writer, bench.file("app.log"), 10, Duration.ofMillis(50), 100);
        ship.drain();

        assertInjected(bench);
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    @Test
    void aFileSystemWithoutHardLinks(FaultBench bench) throws IOException {
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .through(strace(bench, "linkat", "error=EPERM"))
                .start();

        assertThat(ship.awaitExit()).as(ship.report()).isEqualTo(1);
        assertThat(ship.errors()).contains("has no hard links").contains("ext4");
        assertInjected(bench);
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource({"pwrite64, EIO, 2", "pwrite64, ENOSPC, 1+9", "fsync, EIO, 1", "linkat, EIO, 1"})
    void objectsThatFail(String call, String error, String when, FaultBench bench) throws IOException {
        ShipProcess ship = bench.shipProcess("--codec", "none");
        tamper(bench, ship, call, "error=" + error + ":when=" + when);
        LineWriter writer = Workload.large(bench.writer("s").open(bench.file("app.log")));
        ship.awaitSettled();
        writer.batch(100).close();
        ship.drain();

        assertInjected(bench);
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    /** Where the archive can share blocks with the files, and then cannot. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"EIO:when=1", "ENOSPC:when=2", "EXDEV", "EOPNOTSUPP:when=2+2", "EINVAL"})
    void sharingThatFails(String error, FaultBench bench) throws IOException {
        Requires.loopDevices();
        Requires.tool("mkfs.xfs");
        bench.mounted(Mounted.newFileSystem(bench.root().resolve("image"), bench.file("disk"), "mkfs.xfs", "-q"));
        Path store = bench.file("disk/archive");
        LineWriter writer = Workload.large(bench.writer("s").open(bench.file("disk/app.log")));
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .to(store)
                .options("--codec", "none")
                .through(strace(bench, "copy_file_range", "error=" + error))
                .start()
                .awaitSettled();
        writer.batch(100).close();
        ship.drain();

        assertInjected(bench);
        bench.restored(new Archive(store, bench.root()), "--all-versions")
                .exact(writer)
                .same(bench.tree(), name -> !name.startsWith("disk/archive"));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"EIO:when=1..3", "EIO:when=2+3", "EINTR:when=1+2", "ENOMEM:when=3"})
    void readsThatFailForAWhile(String error, FaultBench bench) throws IOException {
        Path log = bench.file("app.log");
        LineWriter writer = bench.writer("s").open(log).lines(100);
        LineWriter other = bench.writer("other").open(bench.file("other.log")).lines(100);
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .through(strace(bench, "pread64", "error=" + error, log))
                .start()
                .awaitScanned();
        for (int i = 0; i < 50; i++) {
            writer.lines(10);
            other.lines(1);
            Workload.pause(Duration.ofMillis(20));
        }
        writer.close();
        ship.awaitSettled().drain();

        assertInjected(bench);
        bench.restored("--all-versions").exact(writer, other).same(bench.tree());
    }

    /** A bad sector: one file cannot be read, which is said and counted; all others are shipped. */
    @Test
    void readsThatFailForEver(FaultBench bench) throws IOException {
        Path bad = bench.file("bad.log");
        LineWriter lost = bench.writer("bad").open(bad).lines(100);
        LineWriter good = bench.writer("good").open(bench.file("good.log")).lines(100);
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .options("--drain", "2s")
                .through(strace(bench, "pread64", "error=EIO", bad))
                .start()
                .awaitError("bad.log");
        good.lines(100).close();

        assertThat(ship.terminate()).isEqualTo(3);
        assertThat(ship.last().riskBytes()).isGreaterThanOrEqualTo(Files.size(bad));
        lost.close();
        bench.ship().drain();
        bench.restored("--all-versions").exact(lost, good).same(bench.tree());
    }

    /**
     * The kernel may give less than was asked for. Every read gets eight bytes, wherever it begins: they are all
     * equal.
     */
    @Test
    void shortReads(FaultBench bench) throws IOException {
        Path log = bench.file("app.log");
        Files.writeString(log, "0123456\n".repeat(50));
        String eight = HexFormat.of().formatHex("0123456\n".getBytes());
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .through(strace(bench, "pread64", "retval=8:poke_exit=@arg2=" + eight + ":when=1..20", log))
                .start()
                .awaitScanned();
        LineWriter writer = bench.writer("s").open(log);
        for (int i = 0; i < 20; i++) {
            writer.bytes("0123456\n".repeat(1 + i).getBytes());
            Workload.pause(Duration.ofMillis(20));
        }
        ship.awaitSettled().drain();

        assertInjected(bench);
        Restored restored = bench.restored("--all-versions").same(bench.tree());
        assertThat(restored.files()).hasSize(1);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"EMFILE:when=1..2", "ENFILE:when=1", "EINTR:when=1..3", "EIO:when=1"})
    void opensThatFailForAWhile(String error, FaultBench bench) throws IOException {
        Path log = bench.file("app.log");
        LineWriter writer = bench.writer("s").open(log).lines(100);
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .through(strace(bench, "openat,openat2,open_by_handle_at", "error=" + error, log))
                .start()
                .awaitScanned();
        writer.lines(100);
        ship.awaitSettled();
        writer.lines(10).close();
        ship.drain();

        assertInjected(bench);
        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }
}
