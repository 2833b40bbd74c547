package io.chagres.ship.bytes;

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

    /** A run of zeros as long as this, byte by byte, is what the checksum says. */
    @Test
    void knowsTheChecksumOfMoreZerosThanThirtyTwoBitsOfBitsCount() {
        CRC32C crc = new CRC32C();
        byte[] zeros = new byte[1 << 20];
        for (long length = zeros.length; length <= (1L << 29) + zeros.length; length += zeros.length) {
            crc.update(zeros);
            if (length >= (1L << 29) - zeros.length) { // 2^32 bits are 2^29 bytes
                assertThat(Crc32cMath.ofZeros(length)).as("%s zeros", length).isEqualTo((int) crc.getValue());
            }
        }
    }

    /** However a run is cut in two, both parts make the whole. */
    @Test
    void joinsRunsOfEveryLength() {
        RandomGenerator random = Seeds.random(Seeds.next("joinsRunsOfEveryLength"));
        for (int round = 0; round < 20_000; round++) {
            long first = random.nextLong(1L << random.nextInt(1, 62));
            long second = random.nextLong(1L << random.nextInt(1, 62));
            int joined = Crc32cMath.combine(Crc32cMath.ofZeros(first), Crc32cMath.ofZeros(second), second);
            assertThat(Crc32cMath.ofZeros(first + second))
                    .as("%s zeros and %s", first, second)
                    .isEqualTo(joined);
        }
    }

    /** The plain way: squares x^8 as often as the length has bits, on polynomials that are not reflected. */
    @Test
    void agreesWithAFormulaThatKnowsNoTable() {
        RandomGenerator random = Seeds.random(Seeds.next("agreesWithAFormulaThatKnowsNoTable"));
        for (int round = 0; round < 5_000; round++) {
            long length = random.nextLong(1L << random.nextInt(1, 63));
            int before = random.nextInt();
            long power = 1;
            long square = 1 << 8;
            for (long n = length; n != 0; n >>>= 1) {
                power = (n & 1) != 0 ? remainder(power, square) : power;
                square = remainder(square, square);
            }
            int shifted = Integer.reverse((int) remainder(Integer.toUnsignedLong(Integer.reverse(before)), power));
            assertThat(Crc32cMath.combine(before, 0, length))
                    .as("%s bytes behind %x", length, before)
                    .isEqualTo(shifted);
        }
    }

    /** Returns the product of two polynomials modulo that of CRC32C; the highest bit is the highest power. */
    private static long remainder(long a, long b) {
        long product = 0;
        for (int bit = 31; bit >= 0; bit--) {
            product <<= 1;
            product ^= (product >>> 32) * 0x1_1EDC_6F41L;
            product ^= (a >>> bit & 1) * b;
        }
        return product;
    }
}
