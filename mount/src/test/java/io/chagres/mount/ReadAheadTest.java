package io.chagres.mount;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is guessed from how a file was read. */
class ReadAheadTest {
    private static final int BLOCK = BlockCache.BLOCK_BYTES;

    private final ReadAhead readAhead = new ReadAhead();
    private final ReadAhead.Key file = new ReadAhead.Key(null, 1);

    @Test
    void readsFartherAheadOfWhoGoesOn() {
        assertThat(readAhead.read(file, 0, BLOCK)).isEqualTo(new ReadAhead.Guess(1, 1));
        assertThat(readAhead.read(file, BLOCK, BLOCK)).isEqualTo(new ReadAhead.Guess(2, 2));
        assertThat(readAhead.read(file, 2 * BLOCK, BLOCK)).isEqualTo(new ReadAhead.Guess(3, 4));
        assertThat(readAhead.read(file, 3 * BLOCK, BLOCK)).isEqualTo(new ReadAhead.Guess(4, 8));
        for (int i = 4; i < 9; i++) {
            assertThat(readAhead.read(file, (long) i * BLOCK, BLOCK).count()).isEqualTo(ReadAhead.MAX_BLOCKS);
        }
    }

    @Test
    void guessesNothingOfWhoJumps() {
        readAhead.read(file, 0, BLOCK);
        assertThat(readAhead.read(file, 100L * BLOCK, 4096).count()).isZero();
        assertThat(readAhead.read(file, 37L * BLOCK, 4096).count()).isZero();
        assertThat(readAhead.read(file, 210L * BLOCK, 4096).count()).isZero();
    }

    @Test
    void guessesTheNextStep() {
        readAhead.read(file, 1000L * BLOCK, 4096);
        readAhead.read(file, 1010L * BLOCK, 4096);
        assertThat(readAhead.read(file, 1020L * BLOCK, 4096)).isEqualTo(new ReadAhead.Guess(1030, 1));
        assertThat(readAhead.read(file, 1030L * BLOCK, 4096)).isEqualTo(new ReadAhead.Guess(1040, 1));
    }

    /** Requests of one reader come on several threads. */
    @Test
    void toleratesDisorder() {
        readAhead.read(file, 0, BLOCK / 2);
        readAhead.read(file, BLOCK, BLOCK / 2);
        readAhead.read(file, BLOCK / 2, BLOCK / 2);
        assertThat(readAhead.read(file, 3 * BLOCK / 2, BLOCK / 2).count()).isEqualTo(8);
    }
}
