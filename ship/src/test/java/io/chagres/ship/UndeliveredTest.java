package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Counts what a spool holds that nobody else has. */
class UndeliveredTest {
    private final List<Boolean> hurries = new ArrayList<>();
    private final Undelivered spool = Undelivered.ofSpool(hurries::add);

    @Test
    void anArchiveLeavesNothingToDeliver() {
        Undelivered archive = Undelivered.nothing();
        archive.acknowledged(7, 100, 5);
        assertThat(archive.bytes()).isZero();
        assertThat(archive.hasDelivered(7)).isTrue();
        assertThat(archive.sinceMs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void nothingIsKnownBeforeTheFirstReport() {
        assertThat(spool.bytes()).isEqualTo(-1);
        assertThat(spool.hasDelivered(0)).isFalse();
        spool.delivered(3, 40);
        assertThat(spool.bytes()).isEqualTo(40);
        assertThat(spool.hasDelivered(0)).as("a rest of earlier runs").isFalse();
        spool.delivered(3, 0);
        assertThat(spool.bytes()).isZero();
        assertThat(spool.hasDelivered(3)).isTrue();
        assertThat(spool.hasDelivered(4)).isFalse();
    }

    @Test
    void countsWhatWasAcknowledgedSince() {
        spool.delivered(1, 0);
        spool.acknowledged(2, 100, 1000);
        spool.acknowledged(3, 150, 2000);
        assertThat(spool.bytes()).isEqualTo(150);
        assertThat(spool.sinceMs()).isEqualTo(1000);
        spool.delivered(2, 30);
        assertThat(spool.bytes()).isEqualTo(80);
        assertThat(spool.sinceMs()).as("half a line of the first").isEqualTo(1000);
        spool.delivered(2, 0);
        assertThat(spool.bytes()).isEqualTo(50);
        assertThat(spool.sinceMs()).isEqualTo(2000);
        spool.delivered(3, 0);
        assertThat(spool.bytes()).isZero();
        assertThat(spool.sinceMs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aCommitMayBeDeliveredBeforeItsAnswerCame() {
        spool.delivered(2, 0);
        spool.acknowledged(2, 100, 1000);
        assertThat(spool.bytes()).isZero();
        spool.acknowledged(3, 130, 2000);
        assertThat(spool.bytes()).isEqualTo(30);
    }

    @Test
    void tellsOnceWhenNothingMayWait() {
        spool.hurry(true);
        spool.hurry(true);
        spool.hurry(false);
        assertThat(hurries).containsExactly(true, false);
    }
}
