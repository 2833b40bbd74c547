package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class BusyRateTest {
    private static final long HOUR_MS = 3_600_000;

    private final BusyRate rate = new BusyRate(1000);

    @Test
    void knowsNothingBeforeSomethingWent() {
        rate.step(0, false, 0);
        rate.step(10_000, false, 0);
        assertThat(rate.perSecond(10_000)).isEqualTo(-1);
    }

    @Test
    void countsOnlyTheTimeInWhichSomethingWasToDo() {
        rate.step(0, false, 0);
        rate.step(60_000, true, 0);
        rate.step(61_000, true, 3000);
        rate.step(62_000, false, 5000);
        rate.step(120_000, false, 5000);
        assertThat(rate.perSecond(120_000)).isEqualTo(2500);
    }

    @Test
    void takesNoRateOfMuchFromWhatWasLittle() {
        for (int i = 0; i < 100; i++) {
            rate.step(i * 1000, true, i * 10);
            rate.step(i * 1000 + 50, false, i * 10 + 10);
        }
        assertThat(rate.perSecond(100_000)).isEqualTo(-1);
    }

    /** A store that hangs is slow, however little it was given. */
    @Test
    void countsWhatTakesLong() {
        rate.step(0, true, 0);
        rate.step(9_000, true, 10);
        rate.step(20_000, true, 20);
        assertThat(rate.perSecond(20_000)).isEqualTo(1);
    }

    @Test
    void forgetsWhatIsOld() {
        rate.step(0, true, 0);
        rate.step(1000, false, 4000);
        assertThat(rate.perSecond(1000)).isEqualTo(4000);
        assertThat(rate.perSecond(HOUR_MS + 1000)).isEqualTo(4000);
        assertThat(rate.perSecond(HOUR_MS + 1001)).isEqualTo(-1);
    }
}
