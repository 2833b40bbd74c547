package io.chagres.ship.bytes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VerificationTest {
    private static final long SECOND_NS = 1_000_000_000;

    private final PrefixChecksums prefix = new PrefixChecksums(0);
    private final Verification bytes = new Verification(prefix);

    /** Looks at a file that was changed at a time, and reads it. */
    private void read(long changedNs, long fileMs, boolean tells) {
        bytes.observe(10, changedNs, changedNs, 1, fileMs);
        bytes.tell(tells);
        bytes.advance(10, 1234);
    }

    private void compare(long fileMs, boolean tells) {
        bytes.doubt();
        bytes.compare(2, fileMs, () -> tells);
        assertThat(bytes.comparedTo(prefix.pieces())).isTrue();
    }

    @BeforeEach
    void nothingIsOwed() {
        assertThat(bytes.untoldBytes()).isZero();
        assertThat(bytes.isUnseen()).isTrue();
    }

    @Test
    void timesProveNothingWhereSomebodyMayStoreWithoutATrace() {
        read(5 * SECOND_NS + 1, 100_000, false);
        assertThat(bytes.untoldBytes()).isEqualTo(10);
        compare(200_000, false);
        assertThat(bytes.untoldBytes()).isEqualTo(10);
        assertThat(bytes.isProven(2)).isTrue();
        assertThat(bytes.isProven(3)).isFalse();
        compare(300_000, true);
        assertThat(bytes.untoldBytes()).isZero();
    }

    /** Anybody who opened it since may have mapped it. */
    @Test
    void aChangeEndsWhatTimesProve() {
        read(5 * SECOND_NS + 1, 100_000, true);
        assertThat(bytes.untoldBytes()).isZero();
        bytes.observe(10, 7 * SECOND_NS, 7 * SECOND_NS + 1, 3, 200_000);
        assertThat(bytes.untoldBytes()).isEqualTo(10);
    }

    /** Two changes get one time: within a tick, and within a second where times have no fractions. */
    @Test
    void aTimeThatIsTooYoungProvesNothing() {
        read(5 * SECOND_NS, 5_500, true);
        assertThat(bytes.untoldBytes()).isEqualTo(10);
        compare(7_500, true);
        assertThat(bytes.untoldBytes()).isZero();
        bytes.observe(10, 8 * SECOND_NS, 8 * SECOND_NS + 1_000_000, 3, 8_500);
        compare(8_500, true);
        assertThat(bytes.untoldBytes()).isZero();
        bytes.observe(10, 9 * SECOND_NS, 9 * SECOND_NS + 1_000_000, 3, 9_005);
        compare(9_005, true);
        assertThat(bytes.untoldBytes()).isEqualTo(10);
    }

    /** Nobody can change it since a moment: a comparison after that settles it, no matter who had it open before. */
    @Test
    void aNamelessFileIsSettledByAComparison() {
        read(5 * SECOND_NS + 1, 100_000, false);
        assertThat(bytes.isSettled(2)).isFalse();
        compare(200_000, false);
        assertThat(bytes.isSettled(2)).isTrue();
        assertThat(bytes.isSettled(3)).isFalse();
    }
}
