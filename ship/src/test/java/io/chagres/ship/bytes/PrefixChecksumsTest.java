package io.chagres.ship.bytes;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Seeds;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class PrefixChecksumsTest {
    @Test
    void coversEveryByteOnceWhateverTheRunsWere() {
        RandomGenerator random = Seeds.random(Seeds.next("coversEveryByteOnce"));
        for (int round = 0; round < 50; round++) {
            long start = random.nextInt(3) * 1000L;
            byte[] bytes = new byte[random.nextInt(1, 2_000_000)];
            random.nextBytes(bytes);
            PrefixChecksums prefix = new PrefixChecksums(start);
            for (int at = 0; at < bytes.length; ) {
                int length = Math.min(bytes.length - at, random.nextInt(1, PrefixChecksums.PIECE_BYTES + 1));
                prefix.append(length, crc(bytes, at, length));
                at += length;
            }
            long expected = start;
            for (int piece = 0; piece < prefix.pieces(); piece++) {
                assertThat(prefix.pieceStart(piece)).isEqualTo(expected);
                int length = (int) (prefix.pieceEnd(piece) - expected);
                assertThat(length).isBetween(1, PrefixChecksums.PIECE_BYTES);
                assertThat(prefix.pieceCrc(piece)).isEqualTo(crc(bytes, (int) (expected - start), length));
                assertThat(prefix.pieceAt(expected)).isEqualTo(piece);
                assertThat(prefix.pieceAt(expected + length - 1)).isEqualTo(piece);
                expected += length;
            }
            assertThat(expected).isEqualTo(start + bytes.length).isEqualTo(prefix.end());
            assertThat(prefix.pieceAt(expected)).isEqualTo(prefix.pieces());
        }
    }

    private static int crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}
