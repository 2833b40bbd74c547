package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The machine vanishes: writer and shipper die by kill -9 at a random instant, half of the time while a drain is under
 * way, and only the archive is left. Only the end of a file is lost: no older than the lag and one put, and no more
 * than the bytes said to be at risk plus those written after that was said.
 *
 * <p>Each line holds the time at which it was written. {@code -Dmachine.dies.runs=} sets how often,
 * {@code -Dmachine.dies.report=} a file that gets a row for each.
 */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
@Isolated("what is at risk is told in time, on a machine that has nothing else to do")
class MachineDiesTest {
    private static final String REPORT = System.getProperty("machine.dies.report", "");
    private static final int LANES = 4;
    private static final long LAG_MS = 200;

    /** A put, the turn before it, and what a busy machine takes from both. */
    private static final long PUT_MS = 2_000;

    private static final String WRITER =
            "i=0; while :; do printf '%s %d %d\\n' \"${EPOCHREALTIME/[.,]/}\" $i $RANDOM; i=$((i+1)); done >> \"$0\"";

    int allRuns() {
        return 120;
    }

    @Test
    void whatIsLostWasSaidToBeAtRisk(FaultBench bench) {
        int runs = Integer.getInteger("machine.dies.runs", Share.count(allRuns()));
        long seed = Seeds.next("machineDies");
        List<Future<List<String>>> lanes = new ArrayList<>();
        for (int lane = 0; lane < LANES; lane++) {
            int number = lane;
            lanes.add(bench.tasks().submit(() -> lane(bench, number, runs, Seeds.random(seed + number))));
        }
        List<String> rows = new ArrayList<>(List.of("drained,lostMs,lostBytes,saidMs,saidBytes"));
        lanes.forEach(lane -> rows.addAll(Workload.join(lane)));
        if (!REPORT.isEmpty()) {
            write(Path.of(REPORT), rows);
        }
    }

    private static List<String> lane(FaultBench bench, int lane, int runs, RandomGenerator random) throws IOException {
        List<String> rows = new ArrayList<>();
        for (int run = lane; run < runs; run += LANES) {
            rows.add(new Machine(bench, "m" + run, random).liveAndDie());
        }
        return rows;
    }

    private static void write(Path file, List<String> lines) {
        try {
            Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One machine: a writer, a shipper, and a disk that nobody reads afterwards but to count. */
    private static final class Machine {
        private final FaultBench bench;
        private final String name;
        private final RandomGenerator random;
        private final Path log;

        Machine(FaultBench bench, String name, RandomGenerator random) throws IOException {
            this.bench = bench;
            this.name = name;
            this.random = random;
            log = Files.createDirectories(bench.root().resolve(name)).resolve("app.log");
        }

        String liveAndDie() throws IOException {
            Process writer = new ProcessBuilder("bash", "-c", WRITER, log.toString()).start();
            boolean drained = random.nextBoolean();
            try (ShipProcess ship = start()) {
                ship.awaitStatus("bytes are safe", status -> !status.scanning() && status.shippedBytes() > 0);
                Workload.pause(Duration.ofMillis(random.nextInt(1500)));
                if (drained) {
                    ship.signal("TERM");
                    Workload.pause(Duration.ofMillis(random.nextInt(300)));
                }
                long diedMicros = die(writer, ship);
                return compare(diedMicros, drained, ship);
            } finally {
                writer.destroyForcibly();
            }
        }

        private ShipProcess start() {
            synchronized (bench) {
                return bench.shipping()
                        .paths(log.getParent())
                        .host(name)
                        .state(bench.root().resolve("state-" + name))
                        .lag(LAG_MS + "ms")
                        .options("--drain", "25s")
                        .start();
            }
        }

        /** Kills everything; returns the time at which the last byte was written at the latest. */
        private long die(Process writer, ShipProcess ship) {
            ship.kill();
            long died = micros();
            writer.destroyForcibly();
            try {
                assertThat(writer.waitFor(10, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
            return died;
        }

        private static long micros() {
            java.time.Instant now = java.time.Clock.systemUTC().instant();
            return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
        }

        private String compare(long diedMicros, boolean drained, ShipProcess ship) throws IOException {
            byte[] written = Files.readAllBytes(log);
            byte[] kept = bench.archive().cat(name + ":*/app.log");
            assertThat(kept.length).as(ship.report()).isLessThanOrEqualTo(written.length);
            assertThat(java.util.Arrays.mismatch(kept, written)).as(name).isIn(-1, kept.length);

            ShipStatusLine said = ship.last();
            boolean ended = said.json().contains("\"ended\":true");
            long lostMs = ended ? 0 : Math.max(0, (diedMicros - lineTime(written, kept.length, diedMicros)) / 1000);
            long lostBytes = written.length - kept.length;
            if (!ended) {
                assertThat(lostMs).as("lost by %s%n%s", name, ship.report()).isLessThan(LAG_MS + PUT_MS);
            }
            long saidMicros = micros(said);
            long saidBytes = said.riskBytes();
            long writtenSince = written.length - lengthAt(written, saidMicros);
            assertThat(lostBytes)
                    .as(
                            "lost by %s, at risk were %d, written since %d%n%s",
                            name, saidBytes, writtenSince, ship.report())
                    .isLessThanOrEqualTo(saidBytes < 0 ? written.length : saidBytes + writtenSince); // < 0: unknown
            return drained + "," + lostMs + "," + lostBytes + "," + said.number("riskMs") + "," + saidBytes;
        }

        private static long micros(ShipStatusLine said) {
            String time = said.json().replaceFirst(".*\"time\":\"([^\"]*)\".*", "$1");
            // what was read up to 300 ms before it was said: the status is measured every 200 ms
            return java.time.Instant.parse(time).toEpochMilli() * 1000 - 300_000;
        }

        /** Returns when the first line that is not whole before a position was written. */
        private static long lineTime(byte[] content, int position, long otherwise) {
            int start = position;
            while (start > 0 && content[start - 1] != '\n') {
                start--;
            }
            int end = start;
            while (end < content.length && content[end] != ' ') {
                end++;
            }
            return end == content.length
                    ? otherwise
                    : Long.parseLong(new String(content, start, end - start, StandardCharsets.US_ASCII));
        }

        /** Returns how long the file was at a time. */
        private static int lengthAt(byte[] content, long micros) {
            int start = 0;
            while (start < content.length && lineTime(content, start, Long.MAX_VALUE) < micros) {
                while (start < content.length && content[start] != '\n') {
                    start++;
                }
                start++;
            }
            return Math.min(start, content.length);
        }
    }
}
