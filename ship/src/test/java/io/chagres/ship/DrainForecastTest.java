package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a drain would take follows from what was measured, and from nothing else. */
final class DrainForecastTest {
    private static final long MIB = 1 << 20;

    /** Holds what a test changes of a shipper that has measured everything. */
    private static final class Measured {
        long bytes = 1000;
        long stuck;
        long unverified;
        long scanMs = 500;
        long commitMs = 100;
        long commitBytes = 4096;
        long rate = 10 * MIB;
        long compareRate = 100 * MIB;
        long writeRate = 100;
        DrainForecast.Beyond beyond = DrainForecast.Beyond.NOTHING;
        String trouble = "";

        DrainForecast forecast() {
            return new DrainForecast(
                    bytes,
                    stuck,
                    unverified,
                    scanMs,
                    commitMs,
                    commitBytes,
                    rate,
                    compareRate,
                    writeRate,
                    0,
                    beyond,
                    trouble);
        }
    }

    @Test
    void takesForLittleWhatTheSlowestCommitsTook() {
        Measured little = new Measured();
        assertThat(little.forecast().durationMs()).isEqualTo(500 + 3 * 100);
        assertThat(little.forecast().isSafeWithin(800)).isTrue();
        assertThat(little.forecast().isSafeWithin(799)).isFalse();
        assertThat(little.forecast().leftBytes(10_000))
                .as("what is written last is under way")
                .isEqualTo(100 * 200 / 1000);
        assertThat(little.forecast().leftBytes(600))
                .as("nothing is shipped by then")
                .isEqualTo(1000 + 60);
    }

    @Test
    void takesForMuchTheRateThatWasMeasured() {
        Measured much = new Measured();
        much.bytes = 600 * MIB;
        assertThat(much.forecast().durationMs()).isEqualTo(500 + 60_000 + 3 * 100);
        long left = much.forecast().leftBytes(30_000);
        assertThat(left).isBetween(307 * MIB, 308 * MIB);
        assertThat(much.forecast().leftBytes(90_000)).isEqualTo(20);
    }

    @Test
    void knowsNothingOfMuchWhereOnlyLittleWasShipped() {
        Measured much = new Measured();
        much.bytes = 600 * MIB;
        much.rate = -1;
        assertThat(much.forecast().durationMs()).isNegative();
        assertThat(much.forecast().why()).contains("more is at risk than one commit held");
        assertThat(much.forecast().leftBytes(30_000)).isNegative();
        assertThat(much.forecast().mostBytes(30_000)).isEqualTo(600 * MIB + 3000);
        assertThat(much.forecast().isSafeWithin(Long.MAX_VALUE)).isFalse();
    }

    /** Each by itself makes it unknown. */
    @Test
    void knowsNothingWhereOneThingWasNotMeasured() {
        Measured unscanned = new Measured();
        unscanned.scanMs = -1;
        Measured uncommitted = new Measured();
        uncommitted.commitMs = -1;
        Measured uncounted = new Measured();
        uncounted.bytes = -1;
        Measured spool = new Measured();
        spool.beyond = DrainForecast.Beyond.KAFKA;
        Measured uncompared = new Measured();
        uncompared.unverified = 1;
        uncompared.compareRate = -1;
        for (Measured each : new Measured[] {unscanned, uncommitted, uncounted, spool, uncompared}) {
            DrainForecast forecast = each.forecast();
            assertThat(forecast.durationMs()).as(forecast.why()).isEqualTo(-1);
            assertThat(forecast.leftBytes(30_000)).as(forecast.why()).isEqualTo(-1);
            assertThat(forecast.isSafeWithin(Long.MAX_VALUE)).isFalse();
        }
        Measured unwatched = new Measured();
        unwatched.writeRate = -1;
        assertThat(unwatched.forecast().durationMs()).isPositive();
        assertThat(unwatched.forecast().leftBytes(30_000)).isEqualTo(-1);
    }

    @Test
    void leavesEverythingBehindWhileTheStoreRefuses() {
        Measured away = new Measured();
        away.trouble = "refuses since 9 s: full";
        assertThat(away.forecast().durationMs()).isEqualTo(-1);
        assertThat(away.forecast().leftBytes(30_000)).isEqualTo(1000 + 3000);
        assertThat(away.forecast().isSafeWithin(Long.MAX_VALUE)).isFalse();
    }

    @Test
    void countsWhatNoDrainShips() {
        Measured stuck = new Measured();
        stuck.stuck = 7;
        assertThat(stuck.forecast().leftBytes(10_000)).isEqualTo(20 + 7);
        assertThat(stuck.forecast().isSafeWithin(Long.MAX_VALUE)).isFalse();
    }

    @Test
    void countsWhatIsNotComparedInTime() {
        Measured doubtful = new Measured();
        doubtful.unverified = 1000 * MIB;
        assertThat(doubtful.forecast().durationMs()).isEqualTo(500 + 10_000 + 3 * 100);
        assertThat(doubtful.forecast().leftBytes(5_000)).isEqualTo(20 + 1000 * MIB);
        assertThat(doubtful.forecast().leftBytes(20_000)).isEqualTo(20);
    }

    @Test
    void isToldByOneLine() {
        Measured told = new Measured();
        told.trouble = "refuses since 9 s: two\nlines";
        DrainForecast forecast = DrainForecast.parse(told.forecast().text());
        assertThat(forecast.trouble()).isEqualTo("refuses since 9 s: two lines");
        assertThat(forecast.text()).isEqualTo(told.forecast().text());
        for (String torn :
                new String[] {"", "1 2", "x".repeat(100), told.forecast().text().substring(0, 20)}) {
            assertThat(DrainForecast.parse(torn)).as(torn).isEqualTo(DrainForecast.UNKNOWN);
        }
    }
}
