package io.chagres.ship.bytes;

/**
 * Joins CRC32C values of adjacent byte runs without reading the bytes again. A CRC of a concatenation is the first
 * CRC multiplied by x^(8 n) modulo the polynomial, where n is the length of the second run, plus the second CRC.
 * Stateless, safe for any thread, allocates nothing.
 */
public final class Crc32cMath {
    /** The CRC32C polynomial, bit reflected, without its x^32 term. */
    private static final int POLYNOMIAL = 0x82F63B78;

    /**
     * x^(2^i) modulo the polynomial. The polynomial is (x + 1) times a primitive one of degree 31, so the order of x is
     * 2^31 - 1 and x^(2^31) is x again: the powers repeat after 31.
     */
    private static final int[] POWERS = new int[31];

    static {
        POWERS[0] = 1 << 30;
        for (int i = 1; i < POWERS.length; i++) {
            POWERS[i] = multiply(POWERS[i - 1], POWERS[i - 1]);
        }
    }

    private Crc32cMath() {}

    /**
     * Returns the CRC32C of two adjacent runs.
     *
     * @param first CRC of the first run
     * @param second CRC of the second run
     * @param secondLengthBytes length of the second run, at least 0
     */
    public static int combine(int first, int second, long secondLengthBytes) {
        return multiply(shift(secondLengthBytes), first) ^ second;
    }

    /** Returns the CRC32C of a run of zero bytes. */
    public static int ofZeros(long lengthBytes) {
        return ~multiply(shift(lengthBytes), -1);
    }

    /** Returns x^(8 n) modulo the polynomial; right for every length, 2^61 and more bytes included. */
    private static int shift(long lengthBytes) {
        int shift = 1 << 31;
        int power = 3;
        for (long n = lengthBytes; n != 0; n >>>= 1) {
            if ((n & 1) != 0) {
                shift = multiply(POWERS[power], shift);
            }
            power = power == POWERS.length - 1 ? 0 : power + 1;
        }
        return shift;
    }

    /** Multiplies two reflected polynomials modulo the CRC polynomial. */
    private static int multiply(int a, int b) {
        int product = 0;
        int shifted = b;
        for (int bit = 31; bit >= 0; bit--) {
            product ^= shifted & -((a >>> bit) & 1);
            shifted = (shifted >>> 1) ^ (POLYNOMIAL & -(shifted & 1));
        }
        return product;
    }
}
