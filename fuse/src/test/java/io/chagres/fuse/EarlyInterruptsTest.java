package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EarlyInterruptsTest {
    private final EarlyInterrupts early = new EarlyInterrupts();

    @Test
    void givesEachOnce() {
        assertThat(early.take(8)).isFalse();
        early.note(8);
        early.note(10);
        assertThat(early.take(10)).isTrue();
        assertThat(early.take(10)).isFalse();
        assertThat(early.take(8)).isTrue();
    }

    @Test
    void keepsTheLatest() {
        for (long unique = 2; unique <= 40; unique += 2) {
            early.note(unique);
        }
        assertThat(early.take(8)).isFalse();
        assertThat(early.take(10)).isTrue();
        assertThat(early.take(40)).isTrue();
    }
}
