package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Content that other shippers cut, wait for or alter. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class ContentFaultsTest {
    private static final int MEBIBYTE = 1 << 20;

    @Test
    void linesWrittenInHalves(FaultBench bench) {
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        ShipProcess ship = bench.ship();
        for (int i = 0; i < 3; i++) {
            for (int line = 0; line < 50; line++) {
                writer.firstHalf().secondHalf();
            }
            writer.firstHalf();
            ship.awaitSettled(); // half a line waits for its end no longer than one lag
            writer.secondHalf();
        }
        writer.close();
        ship.drain();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }

    @Test
    void lastLineWithoutNewline(FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(10);
        writer.bytes("no newline here".getBytes()).close();
        ShipProcess ship = bench.ship().awaitSettled();

        assertThat(bench.archive().cat("web1:*/app.log")).isEqualTo(Files.readAllBytes(bench.file("app.log")));
        ship.drain();
        bench.restored().same(bench.tree());
    }

    /** A file of one byte is a file: nothing waits for a minimum size, or for the end of the program. */
    @Test
    void smallAndEdgeSizes(FaultBench bench) throws IOException {
        int[] sizes = {0, 1, 2, 255, 256, 257, 4095, 4096, 4097, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1};
        for (int size : sizes) {
            Files.write(bench.file("before-" + size), "x".repeat(size).getBytes());
        }
        ShipProcess ship = bench.shipProcess();
        for (int size : sizes) {
            Files.write(bench.file("later-" + size), "y".repeat(size).getBytes());
        }
        ship.awaitSettled().kill();

        bench.restored("--all-versions").same(bench.tree());
        assertThat(bench.restored("--all-versions").files()).hasSize(2 * sizes.length);
    }

    @Test
    void byteByByte(FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        ShipProcess ship = bench.ship();
        for (int i = 0; i < 3000; i++) {
            writer.bytes(new byte[] {(byte) (i % 10 == 9 ? '\n' : '0' + i % 10)});
        }
        writer.close();
        ship.drain();

        bench.restored("--all-versions").same(bench.tree());
        assertThat(bench.restored("--all-versions").files()).hasSize(1);
    }

    @Test
    void tenMebibyteLines(FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        ShipProcess ship = bench.ship();
        for (int line = 0; line < 3; line++) {
            byte[] piece = new byte[MEBIBYTE];
            Arrays.fill(piece, (byte) ('a' + line));
            for (int i = 0; i < 10; i++) {
                writer.bytes(piece);
            }
            writer.bytes("\n".getBytes());
        }
        writer.close();
        ship.drain();

        bench.restored("--all-versions").same(bench.tree());
        assertThat(bench.restored("--all-versions").files()).hasSize(1);
    }

    @Test
    void nulBytesAndInvalidUtf8(FaultBench bench) throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("nulBytesAndInvalidUtf8"));
        LineWriter writer = bench.writer("s").open(bench.file("app.log"));
        ShipProcess ship = bench.ship();
        for (int i = 0; i < 500; i++) {
            byte[] noise = new byte[random.nextInt(400)];
            random.nextBytes(noise);
            Arrays.fill(noise, 0, noise.length / 4, (byte) 0);
            writer.bytes(noise);
        }
        writer.bytes(new byte[] {0, 0, (byte) 0xff, (byte) 0xc3, 0x28, '\n'}).close();
        ship.drain();

        bench.restored("--all-versions").same(bench.tree());
        assertThat(bench.restored("--all-versions").files()).hasSize(1);
    }

    @Test
    void namesThatAreNoText(FaultBench bench) {
        Program.ok("sh", "-c", """
                cd "$1" && mkdir "$(printf 'd\\377ir')" && cd "$(printf 'd\\377ir')"
                for name in "$(printf 'a\\nb')" "$(printf '\\300\\200')" ' ' '*' '~' '-rf' \\
                    'a\\b' "$(printf '\\033[31m')"
                do printf 'in %s' "$name" > "./$name"; done
                """, "sh", bench.tree().toString());
        bench.ship().drain();

        Path restored = bench.restored().of(bench.tree());
        Program.ok("diff", "-r", bench.tree().toString(), restored.toString());
    }

    /** The zeros after the data are no data yet; when the writer is done they are. */
    @Test
    void preallocated(FaultBench bench) throws IOException {
        Requires.tool("fallocate");
        Path log = bench.file("app.log");
        Program.ok("fallocate", "--length", "24MiB", log.toString());
        LineWriter writer = bench.writer("s").openWithoutAppend(log);
        ShipProcess ship = bench.ship();
        for (int i = 0; i < 3; i++) {
            writer.lines(200);
            ship.awaitNewStatus("the zeros are held back", status -> status.number("heldBackBytes") > 0);
        }
        Files.copy(log, bench.file("copy")); // closed after writing: its zeros are data
        writer.close();
        ship.drain();

        bench.restored().same(bench.tree());
    }

    /** Bytes written before the zeros are safe while the file is open, even if others read, open and close it. */
    @ParameterizedTest(name = "zeros written: {0}")
    @ValueSource(booleans = {false, true})
    void preallocatedAndKilled(boolean written, FaultBench bench) throws IOException {
        Requires.tool("fallocate");
        Path log = bench.file("app.log");
        if (written) {
            Files.write(log, new byte[3 * MEBIBYTE]);
        } else {
            Program.ok("fallocate", "--length", "3MiB", log.toString());
        }
        LineWriter writer = bench.writer("s").openWithoutAppend(log);
        ShipProcess ship = bench.shipProcess();
        for (int i = 0; i < 3; i++) {
            writer.lines(200);
            Files.readAllBytes(log);
            FileChannel.open(log, StandardOpenOption.WRITE).close();
            ship.awaitHeldBackOnly();
        }
        ship.kill();

        bench.restored("--all-versions").exact(writer);
    }

    @Test
    void preallocatedAndCutAtTheEnd(FaultBench bench) throws IOException {
        Requires.tool("fallocate");
        Path log = bench.file("app.log");
        Program.ok("fallocate", "--length", "24MiB", log.toString());
        LineWriter writer = bench.writer("s").openWithoutAppend(log);
        ShipProcess ship = bench.ship();
        writer.lines(500);
        ship.awaitNewStatus("the zeros are held back", status -> status.number("heldBackBytes") > 0);
        long used = new String(Files.readAllBytes(log), java.nio.charset.StandardCharsets.ISO_8859_1).indexOf('\0');
        writer.truncate(used).close();
        ship.drain();

        bench.restored().same(bench.tree()).exact(writer);
    }

    @Test
    void sparse(FaultBench bench) throws IOException {
        ShipProcess ship = bench.ship();
        Path holes = bench.file("holes");
        try (FileChannel file = FileChannel.open(holes, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap("begin".getBytes()), 0);
            file.write(ByteBuffer.wrap("middle".getBytes()), 100L * MEBIBYTE + 17);
            file.write(ByteBuffer.wrap("end".getBytes()), 200L * MEBIBYTE);
        }
        try (RandomAccessFile nothing =
                new RandomAccessFile(bench.file("nothing-but-a-hole").toFile(), "rw")) {
            nothing.setLength(30L * MEBIBYTE);
        }
        ship.drain();

        Restored restored = bench.restored("--all-versions").same(bench.tree());
        String blocks =
                Program.ok("stat", "--format=%b", restored.of(holes).toString()).strip();
        assertThat(Long.parseLong(blocks)).as("blocks of 512 bytes in use").isLessThan(4096);
    }

    @Test
    void zerosThatWereWritten(FaultBench bench) throws IOException {
        ShipProcess ship = bench.ship();
        Files.write(bench.file("zeros"), new byte[300_000]);
        Files.write(bench.file("mixed"), ("x" + "\0".repeat(10_000) + "y" + "\0".repeat(5)).getBytes());
        ship.drain();

        bench.restored("--all-versions").same(bench.tree());
    }
}
