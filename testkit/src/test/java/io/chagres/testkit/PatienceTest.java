package io.chagres.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class PatienceTest {
    @Test
    void waitsAsMuchLongerAsWorkWaited() {
        assertThat(Patience.isOver(101, 100, 0)).isTrue();
        assertThat(Patience.isOver(101, 100, 50)).isFalse();
        assertThat(Patience.isOver(151, 100, 50)).isTrue();
    }

    @Test
    void endsAtLastHoweverBusyTheMachineIs() {
        assertThat(Patience.isOver(501, 100, 10_000)).isTrue();
    }

    @Test
    void saysWhetherAProcessEnds() throws IOException, InterruptedException {
        assertThat(Patience.ends(new ProcessBuilder("true").start(), 60)).isTrue();
        Process cat = new ProcessBuilder("cat").start();
        try {
            assertThat(Patience.ends(cat, 0)).isFalse();
        } finally {
            cat.destroyForcibly();
        }
    }
}
