package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.faultfs.FaultFs;
import io.chagres.faultfs.FileFault;
import io.chagres.foreign.Errno;
import io.chagres.testkit.Await;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** File systems that fail by themselves, for the kernel and all its callers: what strace cannot pretend. */
@ExtendWith(FaultBench.Extension.class)
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("e2e")
class FaultFsTest {
    private static final long SEED = 7;

    /** The faults that meet the followed files. */
    enum Trouble {
        READS_FAIL(faults -> faults.on("read").share(0.5, Seeds.random(SEED)).error(Errno.EIO)),
        READS_ARE_SHORT(
                faults -> faults.on("read").share(0.7, Seeds.random(SEED)).shorten(100)),
        READS_ARE_OF_ONE_BYTE(
                faults -> faults.on("read").share(0.9, Seeds.random(SEED)).shorten(1)),
        HANDLES_ARE_STALE(faults -> faults.on("read", "getattr", "open")
                .share(0.3, Seeds.random(SEED))
                .error(Errno.ESTALE)),
        LOOKUPS_ARE_STALE(
                faults -> faults.on("lookup").share(0.3, Seeds.random(SEED)).error(Errno.ESTALE)),
        LOOKUPS_FAIL(faults -> faults.on("lookup", "opendir", "readdir")
                .share(0.3, Seeds.random(SEED))
                .error(Errno.EIO)),
        ALL_IS_SLOW(faults -> faults.on("read", "getattr", "lookup", "open", "readdir")
                .share(0.1, Seeds.random(SEED))
                .delay(Duration.ofMillis(100)));

        private final Function<FaultFs, FileFault> begin;

        Trouble(Function<FaultFs, FileFault> begin) {
            this.begin = begin;
        }
    }

    /** The writers have no trouble: they opened their files before, and write. */
    @ParameterizedTest
    @EnumSource
    void theTreeIsInTrouble(Trouble trouble, FaultBench bench) throws IOException {
        FaultyDirectory disk = bench.faulty("tree/disk");
        Path log = bench.file("disk/app.log");
        LineWriter writer = bench.writer("s").open(log).lines(100);
        LineWriter other =
                bench.writer("other").open(bench.file("disk/other.log")).lines(100);
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .options("--poll", "50ms")
                .start()
                .awaitScanned();
        FileFault fault = trouble.begin.apply(disk.faults());
        for (int round = 0; round < 20; round++) {
            writer.lines(10);
            other.lines(1);
            Workload.pause(Duration.ofMillis(50));
        }
        Await.until("the fault is met", () -> fault.met() > 0);
        assertThat(ship.running()).as(ship.report()).isTrue();
        disk.faults().heal();
        Workload.rotate(log, 1);
        writer.lines(50).open(log).lines(50).close();
        other.close();
        ship.awaitSettled().drain();

        bench.restored("--all-versions").exact(writer, other).same(bench.tree());
    }

    /** One file cannot be read until somebody replaces the disk; it is named, and others are shipped. */
    @Test
    void aFileThatCannotBeRead(FaultBench bench) throws IOException {
        FaultyDirectory disk = bench.faulty("tree/disk");
        disk.faults().on("read").path("/bad.log").error(Errno.EIO);
        LineWriter bad = bench.writer("bad").open(bench.file("disk/bad.log")).lines(100);
        LineWriter good = bench.writer("good").open(bench.file("disk/good.log")).lines(100);
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .options("--poll", "50ms", "--drain", "2s")
                .start()
                .awaitError("bad.log");
        good.lines(100).close();
        assertThat(ship.errors()).contains("Input/output error");
        assertThat(ship.terminate()).isEqualTo(3);
        assertThat(ship.last().riskBytes()).isGreaterThanOrEqualTo(Files.size(bench.file("disk/bad.log")));

        disk.faults().heal();
        bad.lines(10).close();
        bench.shipping().paths(bench.tree()).start().awaitScanned().drain();
        bench.restored("--all-versions").exact(bad, good).same(bench.tree());
    }

    /** A lasting fault is named, and a drain waits for it no longer than it may; the rest is shipped. */
    @ParameterizedTest(name = "{0} {2}")
    @CsvSource({
        "read, /below/bad.log, EIO, bad.log cannot be read at byte 0",
        "lookup, /below/bad.log, ESTALE, bad.log: cannot be looked at",
        "opendir, /below, ENOENT, below: cannot read the directory",
        "opendir, /below, ENOTDIR, below: cannot read the directory",
        "opendir, /below, ELOOP, below: cannot read the directory",
    })
    void onceEndsThoughTheTreeIsInTrouble(String operation, String path, String error, String says, FaultBench bench)
            throws IOException {
        FaultyDirectory disk = bench.faulty("tree/disk");
        Files.createDirectory(bench.file("disk/below"));
        LineWriter bad = bench.writer("bad").open(bench.file("disk/below/bad.log"));
        LineWriter good = bench.writer("good").open(bench.file("good.log"));
        bad.lines(10).close();
        good.lines(10).close();
        disk.faults().on(operation).path(path).error(errno(error));
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .options("--once", "--drain", "1s")
                .start();
        assertThat(ship.awaitExit()).as(ship.report()).isEqualTo(3);
        assertThat(ship.errors()).contains(says);
        bench.restored().exact(good);

        disk.faults().heal();
        ship = bench.shipping().paths(bench.tree()).options("--once").start();
        assertThat(ship.awaitExit()).as(ship.report()).isZero();
        bench.restored().exact(bad, good).same(bench.tree());
    }

    /** The archive's disk refuses for a while: the status says so and why, and nothing is lost or doubled. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "write, ENOSPC, No space left on device",
        "write, EIO, Input/output error",
        "create, EDQUOT, Disk quota exceeded",
        "fsync, EIO, Input/output error",
        "fsync, ENOSPC, No space left on device",
        "link, ENOSPC, No space left on device",
        "link, EIO, Input/output error",
        "fsyncdir, EIO, Input/output error",
    })
    void theArchiveRefuses(String operation, String error, String says, FaultBench bench) throws IOException {
        FaultyDirectory disk = bench.faulty("disk");
        Path store = disk.path().resolve("archive");
        Path log = bench.file("app.log");
        LineWriter writer = bench.writer("s").open(log).lines(100);
        ShipProcess ship =
                bench.shipping().paths(bench.tree()).to(store).start().awaitSettled();
        FileFault fault = disk.faults().on(operation).path("/archive/**").error(errno(error));
        writer.lines(100);
        ship.awaitNewStatus("the archive refuses", ShipStatusLine::troubled);
        assertThat(ship.last().json()).contains(says);
        assertThat(ship.last().riskBytes()).isPositive();
        assertThat(fault.met()).isPositive();
        writer.lines(10);
        Workload.rotate(log, 1);
        writer.lines(10).open(log).lines(100).close();
        disk.faults().heal();
        ship.awaitSettled();
        assertThat(ship.last().troubled()).as(ship.report()).isFalse();
        ship.drain();

        bench.restored(new Archive(store, bench.root()), "--all-versions")
                .exact(writer)
                .same(bench.tree());
    }

    /** Now and then, anywhere in the archive, while a log is rotated. */
    @Test
    void theArchiveFailsAtRandom(FaultBench bench) throws IOException {
        FaultyDirectory disk = bench.faulty("disk");
        Path store = disk.path().resolve("archive");
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        ShipProcess ship =
                bench.shipping().paths(bench.tree()).to(store).start().awaitSettled();
        disk.faults()
                .on("write", "create", "fsync", "fsyncdir", "link", "unlink", "lookup", "read")
                .path("/archive/**")
                .share(0.1, Seeds.random(SEED))
                .error(Errno.EIO);
        Workload.writeWhileRotating(bench, writer, bench.file("app.log"), 10, Duration.ofMillis(50), 100);
        assertThat(ship.running()).as(ship.report()).isTrue();
        disk.faults().heal();
        ship.awaitSettled().drain();

        bench.restored(new Archive(store, bench.root()), "--all-versions")
                .exact(writer)
                .same(bench.tree());
    }

    /** The state directory is not needed to be right. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"write, ENOSPC", "create, EDQUOT", "fsync, EIO", "rename, EIO"})
    void theStateRefuses(String operation, String error, FaultBench bench) throws IOException {
        FaultyDirectory disk = bench.faulty("disk");
        Path state = disk.path().resolve("state");
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        FileFault fault = disk.faults().on(operation).path("/state/**").error(errno(error));
        ShipProcess ship =
                bench.shipping().paths(bench.tree()).state(state).start().awaitScanned();
        writer.lines(100);
        ship.awaitSettled().kill();
        assertThat(fault.met()).as(ship.report()).isPositive();
        assertThat(ship.errors()).contains(state.toString());
        disk.faults().heal();
        writer.lines(100).close();
        bench.shipping().paths(bench.tree()).state(state).start().awaitScanned().drain();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    private static int errno(String name) {
        for (int errno = 1; errno <= Errno.EHWPOISON; errno++) {
            if (Errno.name(errno).equals(name)) {
                return errno;
            }
        }
        throw new IllegalArgumentException(name);
    }
}
