package io.chagres.archive.age;

import java.io.ByteArrayOutputStream;
import java.util.Locale;

/**
 * Keys as text: Bech32 of BIP 173 without its limit of 90 characters, as age writes keys. Stateless.
 */
final class Bech32 {
    private static final String ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    private static final int[] GENERATOR = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3};
    private static final int CHECKSUM = 6;
    private static final int MOST = 128;

    private Bech32() {}

    /** Returns the text of some bytes, in lower case. */
    static String encode(String prefix, byte[] bytes) {
        byte[] groups = regroup(bytes, 8, 5, true);
        byte[] all = new byte[groups.length + CHECKSUM];
        System.arraycopy(groups, 0, all, 0, groups.length);
        int checksum = polymod(prefix, all) ^ 1;
        StringBuilder text = new StringBuilder(prefix).append('1');
        for (int i = 0; i < CHECKSUM; i++) {
            all[groups.length + i] = (byte) (checksum >> (5 * (CHECKSUM - 1 - i)) & 31);
        }
        for (byte group : all) {
            text.append(ALPHABET.charAt(group));
        }
        return text.toString();
    }

    /**
     * Returns the bytes of a text.
     *
     * @param prefix in lower case
     * @throws IllegalArgumentException when it is not such a text; the message does not repeat it
     */
    static byte[] decode(String prefix, String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        boolean mixed = !text.equals(lower) && !text.equals(text.toUpperCase(Locale.ROOT));
        int data = prefix.length() + 1;
        if (mixed || text.length() > MOST || text.length() < data + CHECKSUM || !lower.startsWith(prefix + "1")) {
            throw new IllegalArgumentException("it is no key of the kind " + prefix + "1...");
        }
        byte[] groups = new byte[text.length() - data];
        for (int i = 0; i < groups.length; i++) {
            groups[i] = (byte) ALPHABET.indexOf(lower.charAt(data + i));
            if (groups[i] < 0) {
                throw new IllegalArgumentException("a key of the kind " + prefix + "1... has no such character");
            }
        }
        if (polymod(prefix, groups) != 1) {
            throw new IllegalArgumentException("the checksum of the key is wrong");
        }
        byte[] bytes = new byte[groups.length - CHECKSUM];
        System.arraycopy(groups, 0, bytes, 0, bytes.length);
        return regroup(bytes, 5, 8, false);
    }

    private static int polymod(String prefix, byte[] groups) {
        int sum = 1;
        for (int i = 0; i < prefix.length(); i++) {
            sum = step(sum, prefix.charAt(i) >> 5);
        }
        sum = step(sum, 0);
        for (int i = 0; i < prefix.length(); i++) {
            sum = step(sum, prefix.charAt(i) & 31);
        }
        for (byte group : groups) {
            sum = step(sum, group);
        }
        return sum;
    }

    private static int step(int sum, int value) {
        int top = sum >>> 25;
        int next = (sum & 0x1ffffff) << 5 ^ value;
        for (int i = 0; i < GENERATOR.length; i++) {
            next ^= (top >> i & 1) == 0 ? 0 : GENERATOR[i];
        }
        return next;
    }

    /** Cuts the bits of values into other values; bits that are left over must be few and zero. */
    private static byte[] regroup(byte[] values, int from, int to, boolean pad) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int bits = 0;
        int held = 0;
        for (byte value : values) {
            held = held << from | (value & 0xff);
            bits += from;
            while (bits >= to) {
                bits -= to;
                out.write(held >> bits & (1 << to) - 1);
            }
            held &= (1 << bits) - 1;
        }
        if (pad && bits > 0) {
            out.write(held << (to - bits));
        } else if (bits >= from || held != 0) {
            throw new IllegalArgumentException("the key does not end where it should");
        }
        return out.toByteArray();
    }
}
