package io.chagres.ship.follow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CheckpointRoomTest {
    /** A table that nobody needs is not worth the end of the program. */
    @Test
    void noTableIsWrittenForWhichThereIsNoMemory() {
        assertThat(CheckpointStep.hasRoom(1)).isTrue();
        assertThat(CheckpointStep.hasRoom(Runtime.getRuntime().maxMemory())).isFalse();
    }
}
