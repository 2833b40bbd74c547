package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Seeds;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class Crc32cMathTest {
    private static int crc(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return (int) crc.getValue();
    }

    @Test
    void joinsAdjacentRunsLikeOneChecksumOverBoth() {
        RandomGenerator random = Seeds.random(Seeds.next("joinsAdjacentRuns"));
        for (int round = 0; round < 2000; round++) {
            byte[] bytes = new byte[random.nextInt(1, 5000)];
            random.nextBytes(bytes);
            int cut = random.nextInt(bytes.length + 1);
            int joined = Crc32cMath.combine(crc(bytes, 0, cut), crc(bytes, cut, bytes.length), bytes.length - cut);
            assertThat(joined).isEqualTo(crc(bytes, 0, bytes.length));
        }
    }

    @Test
    void knowsTheChecksumOfZerosWithoutReadingThem() {
        for (int length : new int[] {0, 1, 2, 31, 4096, 262_144, 1_000_003}) {
            assertThat(Crc32cMath.ofZeros(length)).isEqualTo(crc(new byte[length], 0, length));
        }
    }
}
