package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EarlyInterruptsTest {
    private static final int REQUESTS = 256;

    private final EarlyInterrupts early = new EarlyInterrupts(REQUESTS);

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
    void keepsOneOfEachRequestInProgress() {
        for (long unique = 2; unique <= 2 * REQUESTS; unique += 2) {
            early.note(unique);
        }
        for (long unique = 2; unique <= 2 * REQUESTS; unique += 2) {
            assertThat(early.take(unique)).as("request %d", unique).isTrue();
        }
    }

    @Test
    void keepsTheLatest() {
        long last = 1000L * REQUESTS;
        for (long unique = 2; unique <= last; unique += 2) {
            early.note(unique);
        }
        assertThat(early.take(2)).isFalse();
        for (long unique = last; unique > last - 2 * REQUESTS; unique -= 2) {
            assertThat(early.take(unique)).as("request %d", unique).isTrue();
        }
    }
}
