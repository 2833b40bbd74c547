package io.chagres.cli.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.command.CommandContext;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A start that reads a long log is not taken for a store that hangs. */
class ShipStartTest {
    private static final long DRAIN_MS = 1_000_000;

    private long nowMs = 5;

    @Test
    void isWaitedForWhileMoreOfTheLogComes() throws IOException {
        CommandContext context =
                CommandContext.of(OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), List.of());
        ShipReport report = ShipReport.of(context, true, true, LogLines.Format.TEXT);
        try (Supervisor supervisor = Supervisor.of(Map.of(), report)) {
            ShipStart start = new ShipStart(context, report, supervisor, () -> nowMs, DRAIN_MS);
            assertThat(start.graceMs()).isNegative();
            start.progressed(0);
            nowMs += DRAIN_MS - 1;
            assertThat(start.graceMs()).isEqualTo(1);
            nowMs++;
            assertThat(start.graceMs()).isZero();
            start.progressed(0);
            assertThat(start.graceMs()).isEqualTo(DRAIN_MS);
            start.stop(); // who asks for an end waits no longer than that
            assertThat(start.graceMs()).isZero();
            start.over();
        }
    }
}
