package io.chagres.cli.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.command.Output;
import io.chagres.cli.command.StatusLine;
import io.chagres.ship.Looks;
import io.chagres.ship.Lost;
import io.chagres.ship.ShipStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ShipReportTest {
    private static final ShipStatus SAFE =
            new ShipStatus(1, 2048, 0, 0, 0, 0, 0, 0, 2048, 2048, 1, 0, false, null, 0, Looks.NONE, Lost.NOTHING, 0, 0);
    private static final ShipStatus AT_RISK = new ShipStatus(
            1,
            1024,
            1536,
            2500,
            512,
            0,
            1,
            0,
            2048,
            1024,
            1,
            3,
            false,
            "refuses since 9 s: No space left on device",
            0,
            Looks.NONE,
            Lost.NOTHING,
            0,
            0);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final PrintStream messages = new PrintStream(err, true, StandardCharsets.UTF_8);
    private final LogLines lines = new LogLines(messages, LogLines.Format.TEXT, false, InstantSource.system());

    @Test
    void aPipeGetsNothingWhileAllIsWell() {
        ShipReport.Troubles report = new ShipReport.Troubles(lines);
        report.status(SAFE, 1000);
        report.ended(SAFE, true);
        assertThat(err.size()).isZero();
    }

    @Test
    void aPipeHearsOfTroublesAndOfWhatIsAtRisk() {
        ShipReport.Troubles report = new ShipReport.Troubles(lines);
        report.message("/x cannot be read");
        report.ended(AT_RISK, false);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("""
                        chagres ship: /x cannot be read
                        chagres ship: stopped with bytes at risk: 1.5 KiB (2.5 s), of them 512 B held back, 1 file \
                        unreadable; the store refuses since 9 s: No space left on device. They are still in the \
                        local files and 1.0 KiB were acknowledged before: start chagres ship again to ship the rest.
                        """);
    }

    @Test
    void aPipeIsRemindedEachMinuteThatTheStoreRefuses() {
        ShipReport.Troubles report = new ShipReport.Troubles(lines);
        report.status(SAFE, 1000);
        for (int second = 2; second <= 62; second++) {
            report.status(AT_RISK, second * 1000);
        }
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("chagres ship: store refuses since 9 s: No space left on device; nothing lost, 1.5 KiB at"
                        + " risk\n");
    }

    @Test
    void jsonGoesToStandardOutput() throws IOException {
        InstantSource clock = InstantSource.fixed(Instant.EPOCH);
        ShipReport.Json report = new ShipReport.Json(new Output(out), new ShipReport.Troubles(lines), clock, 1000);
        report.status(SAFE, 1000);
        report.ended(SAFE, true);
        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("{\"time\":\"1970-01-01T00:00:00Z\",\"files\":1,"))
                .last()
                .asString()
                .endsWith("\"ended\":true}");
        assertThat(err.size()).isZero();
    }

    /** A full disk, or a program that has ended, is no reason to leave the rest of the files here. */
    @Test
    void shippingGoesOnWhereNobodyTakesItsStatus() {
        for (String fault : List.of("No space left on device", "Broken pipe")) {
            err.reset();
            OutputStream lost = new OutputStream() {
                @Override
                public void write(int b) throws IOException {
                    throw new IOException(fault);
                }
            };
            LogLines lines = new LogLines(messages, LogLines.Format.TEXT, false, InstantSource.system());
            ShipReport report =
                    new ShipReport.Json(new Output(lost), new ShipReport.Troubles(lines), InstantSource.system(), 1);
            report.status(SAFE, 1000);
            report.status(SAFE, 2000);
            report.ended(SAFE, true);
            assertThat(err.toString(StandardCharsets.UTF_8).lines())
                    .containsExactly("chagres ship: cannot write standard output: " + fault
                            + "; shipping continues, and its status is no longer written there");
        }
    }

    @Test
    void aTerminalSeesTheRateOfTheLastSecondWhileSomethingIsToBeDone() {
        ShipReport.Live report = new ShipReport.Live(new StatusLine(messages, () -> true), false);
        report.status(busy(1024), 1000);
        report.status(busy(9999), 1250);
        report.status(busy(4096), 2500);
        report.status(SAFE, 2750);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("1.0 KiB shipped, at risk 1 B (0.1 s), 1.0 KiB/s")
                .contains("9.8 KiB shipped, at risk 1 B (0.1 s), 1.0 KiB/s")
                .contains("4.0 KiB shipped, at risk 1 B (0.1 s), 2.0 KiB/s")
                .contains("2.0 KiB shipped, at risk 0 B (0.0 s)\033");
    }

    private static ShipStatus busy(long shippedBytes) {
        return new ShipStatus(
                1,
                shippedBytes,
                1,
                100,
                0,
                0,
                0,
                0,
                9999,
                shippedBytes,
                1,
                0,
                false,
                null,
                0,
                Looks.NONE,
                Lost.NOTHING,
                0,
                0);
    }

    @Test
    void aTerminalHearsWhatIsShippedAndLastWhetherItIsSafe() {
        for (boolean once : new boolean[] {false, true}) {
            err.reset();
            ShipReport.Live report = new ShipReport.Live(new StatusLine(messages, () -> true), once);
            report.started("version 1 ships /x");
            report.status(SAFE, 1000);
            report.ended(SAFE, true);
            assertThat(err.toString(StandardCharsets.UTF_8))
                    .startsWith("chagres ship: version 1 ships /x\n")
                    .contains(once ? "100%" : "at risk 0 B")
                    .endsWith("\r\033[Kchagres ship: ended: everything is acknowledged; shipped 2.0 KiB in 1 commit\n");
            report.ended(AT_RISK, false);
            assertThat(err.toString(StandardCharsets.UTF_8))
                    .endsWith("start chagres ship again to ship the rest.\n")
                    .contains("chagres ship: stopped with bytes at risk: ");
        }
    }

    @Test
    void aLogHearsOfTheStartTheScanAndTheEnd() {
        for (boolean journald : new boolean[] {false, true}) {
            err.reset();
            ShipReport.Lines report = new ShipReport.Lines(
                    new LogLines(messages, LogLines.Format.TEXT, journald, InstantSource.system()));
            report.started("version 1 ships /x");
            report.status(ShipStatus.unopened("refuses", 0), 0);
            report.status(SAFE, 1000);
            report.status(SAFE, 2000);
            report.message("/x cannot be read");
            report.ended(SAFE, true);
            report.ended(AT_RISK, false);
            assertThat(err.toString(StandardCharsets.UTF_8).lines().map(line -> line.split(";")[0]))
                    .containsExactlyElementsOf(java.util.stream.Stream.of(
                                    "<5>chagres ship: version 1 ships /x",
                                    "<6>chagres ship: everything is acknowledged: 1 file, 2.0 KiB shipped,"
                                            + " at risk 0 B (0.0 s)",
                                    "<4>chagres ship: /x cannot be read",
                                    "<5>chagres ship: ended: everything is acknowledged",
                                    "<3>chagres ship: stopped with bytes at risk: 1.5 KiB (2.5 s), of them 512 B held"
                                            + " back, 1 file unreadable")
                            .map(line -> journald ? line : line.substring(3))
                            .toList());
        }
    }

    @Test
    void aLineOfJsonIsOneObject() {
        LogLines json = new LogLines(messages, LogLines.Format.JSON, true, InstantSource.fixed(Instant.EPOCH));
        json.line(LogLines.Level.ERROR, "\"x\"\ncannot be read");
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("{\"time\":\"1970-01-01T00:00:00Z\",\"level\":\"error\","
                        + "\"message\":\"\\\"x\\\"\\ncannot be read\"}\n");
    }
}
