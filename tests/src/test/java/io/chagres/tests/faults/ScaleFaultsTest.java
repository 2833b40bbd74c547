package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Machine;
import io.chagres.testkit.Await;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many files, and fewer of the kernel's resources than they need. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
@Execution(ExecutionMode.CONCURRENT)
class ScaleFaultsTest {
    private static final int MEBIBYTE = 1 << 20;

    /** Writes a line into each of many files, in directories of a hundred. */
    private static List<LineWriter> create(FaultBench bench, String prefix, int files, int lines) throws IOException {
        List<LineWriter> writers = new ArrayList<>();
        for (int i = 0; i < files; i++) {
            Path directory = bench.file(prefix + i / 100);
            if (i % 100 == 0) {
                Files.createDirectory(directory);
            }
            LineWriter writer = new LineWriter(prefix + i).open(directory.resolve("f" + i));
            writer.batch(lines).close();
            writers.add(writer);
        }
        return writers;
    }

    private static void append(FaultBench bench, List<LineWriter> writers, String prefix, int lines) {
        for (int i = 0; i < writers.size(); i++) {
            Path file = bench.file(prefix + i / 100).resolve("f" + i);
            writers.get(i).open(file).batch(lines).close();
        }
    }

    private static void exact(Restored restored, List<LineWriter> writers) {
        restored.exact(writers.toArray(LineWriter[]::new));
    }

    @ParameterizedTest(name = "created while shipping: {0}")
    @ValueSource(booleans = {false, true})
    void tenThousandFilesAtOnce(boolean live, FaultBench bench) throws IOException {
        ShipProcess ship = live ? bench.ship() : null;
        List<LineWriter> writers = create(bench, "d", 10_000, 1);
        ShipProcess running = ship == null ? bench.ship() : ship;
        running.drain();

        exact(bench.restored("--all-versions").same(bench.tree()), writers);
    }

    /** More events than the queue holds arrive while the shipper stands still; it is stopped, so nothing is timed. */
    @Test
    void inotifyQueueOverflow(FaultBench bench) throws IOException {
        List<LineWriter> early = create(bench, "early", 300, 2);
        LineWriter moved =
                bench.writer("moved").open(bench.file("early0/moved")).lines(5);
        ShipProcess ship = bench.shipProcess().awaitSettled();
        int queue = Integer.parseInt(Machine.read("/proc/sys/fs/inotify/max_queued_events"));
        ship.signal("STOP");
        for (int event = 0; event < queue; event += 2) {
            touch(bench.file("early0"), event);
        }
        append(bench, early, "early", 3);
        Workload.rename(bench.file("early0/moved"), bench.file("early1/moved"));
        Workload.rename(bench.file("early2"), bench.file("renamed"));
        moved.lines(5).close();
        List<LineWriter> late = create(bench, "late", 300, 2);
        ship.signal("CONT");
        ship.awaitSettled().drain();

        List<LineWriter> all = new ArrayList<>(early);
        all.addAll(late);
        all.add(moved);
        exact(bench.restored("--all-versions").same(bench.tree()), all);
    }

    /** Two events that the queue cannot merge. */
    private static void touch(Path directory, int i) throws IOException {
        Path file = directory.resolve("noise" + i % 2);
        Workload.touch(file);
        Files.delete(file);
    }

    /** A user namespace has a limit of its own; beyond it directories are polled. */
    @Test
    void limitOfWatches(FaultBench bench) throws IOException {
        Requires.tool("unshare");
        String[] limited = {
            "unshare",
            "--user",
            "--map-root-user",
            "sh",
            "-c",
            "echo 12 > /proc/sys/user/max_inotify_watches && exec \"$@\"",
            "sh"
        };
        Requires.works(List.of("unshare", "--user", "--map-root-user", "true"));
        List<LineWriter> writers = create(bench, "d", 3000, 2);
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .through(limited)
                .start()
                .awaitError("max_user_watches")
                .awaitScanned();
        append(bench, writers, "d", 2);
        List<LineWriter> late = create(bench, "late", 500, 2);
        ship.awaitSettled();
        append(bench, late, "late", 1);
        ship.drain();

        List<LineWriter> all = new ArrayList<>(writers);
        all.addAll(late);
        exact(bench.restored("--all-versions").same(bench.tree()), all);
    }

    /** Far more files grow than may be open; some are renamed while they are closed. */
    @Test
    void limitOfDescriptors(FaultBench bench) throws IOException {
        Requires.tool("prlimit");
        List<LineWriter> writers = create(bench, "d", 1500, 2);
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .through("prlimit", "--nofile=96:96")
                .start()
                .awaitScanned();
        for (int round = 0; round < 3; round++) {
            append(bench, writers, "d", 2);
            Workload.rename(bench.file("d" + round), bench.file("renamed" + round));
            Workload.rename(bench.file("renamed" + round), bench.file("d" + round));
            ship.awaitSettled();
        }
        ship.drain();

        exact(bench.restored("--all-versions").same(bench.tree()), writers);
    }

    /** Files that are closed here lose their names and are written to; at first the kernel cannot open them again. */
    @Test
    void namelessFilesThatCannotBeOpenedForAWhile(FaultBench bench) throws IOException {
        Requires.root(); // opens them by their handles
        Requires.tool("prlimit");
        Requires.tool("strace");
        List<LineWriter> writers = create(bench, "d", 200, 2);
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .through(InjectedErrorsTest.strace(bench, "open_by_handle_at", "error=ENFILE:when=1..20"))
                .through("prlimit", "--nofile=96:96")
                .start()
                .awaitScanned();
        ship.awaitSettled();
        for (int i = 0; i < 40; i++) {
            Path file = bench.file("d" + i / 100).resolve("f" + i);
            writers.get(i).open(file);
            Files.delete(file);
            writers.get(i).lines(1);
        }
        ship.drain(); // writers still have them open: nothing may be left out

        exact(bench.restored("--all-versions"), writers);
        writers.forEach(LineWriter::close);
    }

    /** The large file takes long to compress; when the small ones are all there, it is still on its way. */
    @Test
    void smallFilesBesideALargeOne(FaultBench bench) throws IOException {
        Path large = bench.file("aaa-large");
        Files.write(large, randomBytes(160 * MEBIBYTE));
        List<LineWriter> writers = create(bench, "d", 2000, 2);
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .options("--memory", "16MiB", "--level", "19")
                .start();
        Await.until("every small file is in the archive", () -> smallFiles(bench) == 2000 || !ship.running());
        ship.kill();

        Restored restored = bench.restored("--all-versions");
        assertThat(Files.size(restored.of(large))).isLessThan(160 * MEBIBYTE);
        Files.delete(restored.of(large));
        exact(restored, writers);
    }

    /** Returns how many of the small files have all their bytes in the archive. */
    private static long smallFiles(FaultBench bench) {
        Program list = bench.archive().run("ls", "web1:d*/*", "--json");
        return list.exitCode() == 0
                ? new String(list.out(), StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> !line.contains("\"bytes\":0,"))
                        .count()
                : 0;
    }

    private static byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        new java.util.Random(1).nextBytes(bytes);
        return bytes;
    }

    /** Far more waits than the shipper may hold, behind an archive that is slow: the files are the queue. */
    @Test
    void memoryIsBounded(FaultBench bench) throws IOException {
        Requires.tool("strace");
        byte[] block = randomBytes(MEBIBYTE);
        for (int i = 0; i < 400; i++) {
            block[0] = (byte) i; // equal files would be compared as copies
            block[1] = (byte) (i >> 8);
            Files.write(bench.file("f" + i), block);
        }
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .options("--memory", "16MiB", "--drain", "60s")
                .through(InjectedErrorsTest.strace(bench, "linkat", "delay_enter=20000"))
                .start()
                .awaitScanned()
                .awaitSettled();
        String peak = Program.ok("sh", "-c", "grep VmHWM /proc/" + ship.pid() + "/status | tr -cd 0-9");
        ship.drain();

        assertThat(Long.parseLong(peak)).as("peak resident KiB").isLessThan(240 * 1024);
        bench.restored("--all-versions").same(bench.tree());
    }
}
