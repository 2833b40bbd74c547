package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.LineCount;
import io.chagres.testkit.LineWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that end, begin again or change below their end. Every state that was at rest is kept. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class RewriteFaultsTest {
    private static final int FILES = 40;
    private static final int ROUNDS = 3;

    private static List<LineWriter> writers(FaultBench bench, String prefix) {
        List<LineWriter> writers = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            writers.add(bench.writer(prefix + i));
        }
        return writers;
    }

    private static Path file(FaultBench bench, int i) {
        return bench.file("f" + i + ".log");
    }

    private static void openAll(FaultBench bench, List<LineWriter> writers, int lines) {
        for (int i = 0; i < FILES; i++) {
            writers.get(i).open(file(bench, i)).batch(lines);
        }
    }

    /** Truncation and the next content are microseconds apart: the shrinking is not visible to anybody. */
    @ParameterizedTest(name = "{0} lines, then {1}")
    @CsvSource({"30, 5", "30, 30", "30, 100", "1, 2"})
    void truncatedAndWrittenAgain(int before, int after, FaultBench bench) throws IOException {
        List<LineWriter> writers = writers(bench, "s");
        openAll(bench, writers, before);
        ShipProcess ship = bench.ship();
        for (int round = 0; round < ROUNDS; round++) {
            ship.awaitSettled();
            for (LineWriter writer : writers) {
                writer.truncate(0).batch(round % 2 == 0 ? after : before);
            }
        }
        ship.awaitSettled().drain();

        bench.restored("--all-versions")
                .exact(writers.toArray(LineWriter[]::new))
                .same(bench.tree());
    }

    /** The same length and the same first 5000 bytes or so: only the comparison of content shows it. */
    @Test
    void rewrittenWithTheSameLength(FaultBench bench) throws IOException {
        LineWriter first = bench.writer("aa").open(bench.file("app.log")).batch(100);
        ShipProcess ship = bench.ship().awaitSettled();
        long length = Files.size(bench.file("app.log"));
        byte[] other = "another line\n"
                .repeat((int) length / 13 + 1)
                .substring(0, (int) length)
                .getBytes();
        first.truncate(0).bytes(other).close();
        ship.awaitSettled().drain();

        Restored restored = bench.restored("--all-versions").same(bench.tree());
        assertThat(restored.gone()).singleElement().satisfies(gone -> assertThat(
                        new LineCount().expect(first).current(gone).result().exact())
                .isTrue());
    }

    /** Nothing at rest between two rewrites: what is lost was never readable for long; nothing is doubled or torn. */
    @Test
    void rewrittenWithoutRest(FaultBench bench) throws IOException {
        List<LineWriter> writers = writers(bench, "s");
        openAll(bench, writers, 10);
        ShipProcess ship = bench.ship();
        for (int round = 0; round < 30; round++) {
            for (LineWriter writer : writers) {
                writer.truncate(0).batch(1 + round % 7).batch(2);
            }
        }
        writers.forEach(LineWriter::close);
        ship.drain();

        Restored restored = bench.restored("--all-versions").same(bench.tree());
        LineCount count = new LineCount();
        writers.forEach(count::expect);
        restored.standing().forEach(count::current);
        restored.gone().forEach(count::superseded);
        assertThat(count.result().torn()).isZero();
        assertThat(count.result().doubled()).isZero();
    }

    @Test
    void cutInTheMiddleOfALine(FaultBench bench) throws IOException {
        LineWriter old = bench.writer("old").open(bench.file("app.log")).batch(100);
        ShipProcess ship = bench.ship().awaitSettled();
        long middle = Files.size(bench.file("app.log")) / 2;
        old.truncate(middle).bytes("\n".getBytes());
        LineWriter fresh = bench.writer("new").open(bench.file("app.log")).batch(100);
        ship.awaitSettled().drain();

        Restored restored = bench.restored("--all-versions").same(bench.tree());
        LineCount.Result all = count(restored, old, fresh);
        assertThat(all.lost()).isZero();
        assertThat(all.doubled()).isZero();
        assertThat(all.torn()).as("the line that was cut").isEqualTo(1);
    }

    private static LineCount.Result count(Restored restored, LineWriter... writers) {
        LineCount count = new LineCount();
        for (LineWriter writer : writers) {
            count.expect(writer);
        }
        restored.gone().forEach(count::superseded);
        restored.files().forEach(count::current);
        return count.result();
    }

    /** On ext4 the new file has the inode number of the old one at once. */
    @ParameterizedTest(name = "shipper down: {0}")
    @ValueSource(booleans = {false, true})
    void deletedAndCreatedAgain(boolean down, FaultBench bench) throws IOException {
        List<LineWriter> writers = writers(bench, "s");
        openAll(bench, writers, 20);
        ShipProcess ship = bench.ship();
        for (int round = 0; round < ROUNDS; round++) {
            ship.awaitSettled();
            if (down) {
                ship.drain();
            }
            for (int i = 0; i < FILES; i++) {
                Files.delete(file(bench, i));
                writers.get(i).open(file(bench, i)).batch(10 * (round + 1));
            }
            ship = down ? bench.ship() : ship;
        }
        writers.forEach(LineWriter::close);
        ship.drain();

        bench.restored("--all-versions")
                .exact(writers.toArray(LineWriter[]::new))
                .same(bench.tree());
    }

    /** As editors and configuration tools do: a new file takes the name. */
    @Test
    void replacedByRename(FaultBench bench) throws IOException {
        List<LineWriter> writers = writers(bench, "s");
        openAll(bench, writers, 5);
        ShipProcess ship = bench.ship();
        for (int round = 0; round < ROUNDS; round++) {
            ship.awaitSettled();
            for (int i = 0; i < FILES; i++) {
                Path temporary = bench.file(".f" + i + ".new");
                writers.get(i).open(temporary).batch(5).close();
                Workload.rename(temporary, file(bench, i));
            }
        }
        ship.awaitSettled().drain();

        bench.restored("--all-versions")
                .exact(writers.toArray(LineWriter[]::new))
                .same(bench.tree());
    }

    @Test
    void appendedAndUnlinkedAtOnce(FaultBench bench) throws IOException {
        List<LineWriter> writers = writers(bench, "s");
        openAll(bench, writers, 5);
        ShipProcess ship = bench.ship().awaitSettled();
        for (int i = 0; i < FILES; i++) {
            writers.get(i).batch(3).close();
            Files.delete(file(bench, i));
        }
        ship.drain();

        bench.restored("--gone").exact(writers.toArray(LineWriter[]::new));
    }

    @Test
    void unlinkedWhileItIsWritten(FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(10);
        ShipProcess ship = bench.ship().awaitSettled();
        Files.delete(bench.file("app.log"));
        writer.lines(500);
        ship.awaitSettled();
        writer.lines(500).close();
        ship.drain();

        bench.restored("--gone").exact(writer);
    }

    /** As if the machine had lost power: acknowledged bytes are gone from the file, and others follow. */
    @ParameterizedTest(name = "shorter, then longer by {0} lines than it was")
    @ValueSource(ints = {-20, 0, 50})
    void backShorterThanItWasShipped(int more, FaultBench bench) throws IOException {
        Path log = bench.file("app.log");
        LineWriter before = bench.writer("before").open(log).batch(70);
        long survives = Files.size(log);
        before.batch(30);
        long shipped = Files.size(log);
        bench.shipProcess().awaitSettled().kill();

        before.truncate(survives).close();
        LineWriter after = bench.writer("after").open(log);
        while (Files.size(log) < shipped + more * 100L) {
            after.lines(1);
        }
        after.close();
        bench.ship().drain();

        bench.restored("--all-versions").exactWithCopies(before, after).same(bench.tree());
    }

    /** A hole of the old length stands before the writer's further lines. */
    @Test
    void copyTruncateUnderAWriterWithoutAppend(FaultBench bench) throws IOException {
        Path log = bench.file("app.log");
        LineWriter writer = bench.writer("s").openWithoutAppend(log).batch(200);
        ShipProcess ship = bench.ship().awaitSettled();
        Files.copy(log, bench.file("app.log.1"));
        try (FileChannel other = FileChannel.open(log, StandardOpenOption.WRITE)) {
            other.truncate(0);
        }
        writer.batch(200).close();
        ship.drain();

        bench.restored().same(bench.tree());
    }

    /** Like a database: pages change in the middle, the length stays. */
    @Test
    void rewrittenInPlace(FaultBench bench) throws IOException {
        Path base = bench.file("base.db");
        Files.write(base, new byte[1 << 20]);
        ShipProcess ship = bench.ship().awaitSettled();
        try (FileChannel pages = FileChannel.open(base, StandardOpenOption.WRITE)) {
            for (int page = 0; page < 256; page += 3) {
                pages.write(ByteBuffer.wrap(("page " + page).getBytes()), page * 4096L);
            }
            pages.write(ByteBuffer.wrap("grown".getBytes()), 1 << 20);
        }
        ship.drain();

        bench.restored().same(bench.tree());
    }

    /** Stores through a shared mapping raise no event; the drain finds them. */
    @Test
    void writtenThroughAMapping(FaultBench bench) throws IOException {
        Path base = bench.file("mapped");
        Files.write(base, "x".repeat(8192).getBytes());
        ShipProcess ship = bench.ship().awaitSettled();
        try (FileChannel file = FileChannel.open(base, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, 8192);
            mapped.put(100, "stored".getBytes());
            mapped.force();
        }
        ship.drain();

        bench.restored().same(bench.tree());
    }
}
