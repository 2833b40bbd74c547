package io.chagres.cli.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.ship.Looks;
import io.chagres.ship.Lost;
import io.chagres.ship.ShipStatus;
import org.junit.jupiter.api.Test;

final class ShipStatusTextTest {
    private static final ShipStatus QUIET = new ShipStatus(
            3,
            13_002_342,
            0,
            0,
            0,
            0,
            0,
            0,
            13_002_342,
            13_002_342,
            7,
            0,
            false,
            null,
            0,
            Looks.NONE,
            Lost.NOTHING,
            0,
            0);

    @Test
    void saysLittleWhenAllIsWell() {
        assertThat(ShipStatusText.line(QUIET, 0)).isEqualTo("  3 files, 12.4 MiB shipped, at risk 0 B (0.0 s)");
    }

    @Test
    void saysRateAndTroubles() {
        ShipStatus busy = new ShipStatus(
                1,
                2048,
                4096,
                2345,
                0,
                0,
                2,
                0,
                6144,
                2048,
                1,
                1,
                false,
                "refuses since 12 s: No space left on device",
                0,
                Looks.NONE,
                Lost.NOTHING,
                0,
                0);
        assertThat(ShipStatusText.line(busy, 1024))
                .isEqualTo("  1 file, 2.0 KiB shipped, at risk 4.0 KiB (2.3 s), 1.0 KiB/s, 2 files unreadable, 1 error,"
                        + " store refuses since 12 s: No space left on device; nothing lost, 4.0 KiB at risk");
    }

    @Test
    void neverCallsAnUnknownRiskZero() {
        ShipStatus scanning =
                new ShipStatus(0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, true, null, 0, Looks.NONE, Lost.NOTHING, 0, 0);
        assertThat(ShipStatusText.line(scanning, 0)).contains("at risk unknown (scanning)");
        assertThat(ShipStatusText.json(scanning, 0, false).toString()).contains("\"riskBytes\":null");
    }

    /** Before the store answered nothing was looked at. */
    @Test
    void sayNothingOfWhatNobodyLookedAt() {
        assertThat(ShipStatusText.json(ShipStatus.unopened("", 0), 0, false).toString())
                .contains("\"riskBytes\":null", "\"unverifiedBytes\":null", "\"oldestLookMs\":null");
    }

    @Test
    void drawsProgress() {
        ShipStatus half = new ShipStatus(
                1, 1024, 1024, 100, 0, 0, 0, 0, 2048, 1024, 1, 0, false, null, 0, Looks.NONE, Lost.NOTHING, 0, 0);
        assertThat(ShipStatusText.progress(half, 512))
                .isEqualTo("  [############............]  50%  1.0 KiB of 2.0 KiB, 512 B/s, ETA 2.0 s");
        assertThat(ShipStatusText.progress(QUIET, 0)).startsWith("  [########################] 100%");
        ShipStatus nothing =
                new ShipStatus(0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, true, null, 0, Looks.NONE, Lost.NOTHING, 0, 0);
        assertThat(ShipStatusText.progress(nothing, 0)).isEqualTo("  scanning");
    }

    @Test
    void writesJson() {
        assertThat(ShipStatusText.json(QUIET, 0, true).toString())
                .isEqualTo("{\"time\":\"1970-01-01T00:00:00Z\",\"files\":3,\"shippedBytes\":13002342,"
                        + "\"totalBytes\":13002342,\"archivedBytes\":13002342,\"riskBytes\":0,\"riskMs\":0,"
                        + "\"heldBackBytes\":0,"
                        + "\"unverifiedBytes\":0,\"oldestLookMs\":0,\"overdueFiles\":0,"
                        + "\"unreadableFiles\":0,\"unreadableDirectories\":0,\"missingFiles\":0,\"unfollowedLinks\":0,"
                        + "\"leftOutFiles\":0,"
                        + "\"lostBytes\":0,\"lostFiles\":0,\"lostPaths\":[],"
                        + "\"commits\":7,\"errors\":0,\"scanning\":false,"
                        + "\"storeTrouble\":null,\"ended\":true}");
    }
}
