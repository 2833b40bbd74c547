package io.chagres.archive.find;

import java.util.Arrays;

/**
 * Chooses few pieces of a line by which the line is found again, even when only a part of a long word is known. A word
 * is a row of letters, digits, hyphens and underscores of ASCII. From every nine consecutive pieces of eight bytes in a
 * word it takes the one whose XXH64 is smallest (a minimizer: Roberts et al. 2004, Schleimer et al. 2003). From a word
 * of 10 to 15 bytes it takes the smallest of all its pieces; it leaves out shorter words. So any 16 bytes of a word
 * hold a piece that was taken. Its token is the XXH64 of its XXH64, because small ones are not spread evenly. Confined
 * to one thread; allocates nothing.
 */
final class LineTokens {
    private static final int GRAM_BYTES = 8;
    private static final int WINDOW = 9;
    private static final int MIN_WORD_BYTES = 10;
    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;
    private static final boolean[] WORD = new boolean[256];

    static {
        for (int c = 0; c < 128; c++) {
            WORD[c] = Character.isLetterOrDigit(c) || c == '-' || c == '_';
        }
    }

    /** Takes what was chosen. */
    @FunctionalInterface
    interface Sink {
        void token(long hash);
    }

    private final Sink sink;
    private final long[] window = new long[WINDOW];
    private long gram;
    private int length;
    private int grams;
    private long least;
    private int leastAt;
    private long told;

    LineTokens(Sink sink) {
        this.sink = sink;
    }

    /** Returns tokens that every line with a literal has; none when no word of the literal is long enough. */
    static long[] of(byte[] literal) {
        TokenSet found = new TokenSet();
        LineTokens tokens = new LineTokens(found::add);
        boolean fromItsBegin = false;
        for (byte each : literal) {
            if (WORD[each & 0xff]) {
                tokens.next(each);
            } else {
                tokens.end(fromItsBegin);
                fromItsBegin = true;
            }
        }
        return found.toArray();
    }

    /** Takes the next byte of a line. */
    void next(byte each) {
        if (!WORD[each & 0xff]) {
            if (length > 0) {
                end(true);
            }
            return;
        }
        gram = gram >>> 8 | (long) each << 56;
        if (++length >= GRAM_BYTES) {
            gram(xxh64(gram));
        }
    }

    private void gram(long hash) {
        window[grams % WINDOW] = hash;
        if (grams == 0 || hash <= least) {
            least = hash;
            leastAt = grams;
        } else if (grams - leastAt >= WINDOW) {
            least = window[0];
            for (long each : window) {
                least = Math.min(least, each);
            }
            leastAt = grams;
            while (window[leastAt % WINDOW] != least) {
                leastAt--;
            }
        }
        if (++grams >= WINDOW && (grams == WINDOW || least != told)) {
            told = least;
            sink.token(xxh64(least));
        }
    }

    /** Ends a word. */
    void end() {
        end(true);
    }

    private void end(boolean whole) {
        if (whole && length >= MIN_WORD_BYTES && grams < WINDOW) {
            sink.token(xxh64(least));
        }
        length = 0;
        grams = 0;
    }

    /** Returns XXH64 with seed 0 of eight bytes, given as they lie in memory, little endian. */
    static long xxh64(long bytes) {
        long lane = Long.rotateLeft(bytes * PRIME_2, 31) * PRIME_1;
        long hash = Long.rotateLeft(PRIME_5 + Long.BYTES ^ lane, 27) * PRIME_1 + PRIME_4;
        hash = (hash ^ hash >>> 33) * PRIME_2;
        hash = (hash ^ hash >>> 29) * PRIME_3;
        return hash ^ hash >>> 32;
    }

    /** A set of tokens. */
    static final class TokenSet {
        private static final int FIRST = 64;
        private long[] slots = new long[FIRST];
        private int size;
        private boolean zero;

        void add(long token) {
            if (token == 0) {
                zero = true;
                return;
            }
            if (size * 2 >= slots.length) {
                long[] old = slots;
                slots = new long[old.length * 2];
                size = 0;
                for (long each : old) {
                    if (each != 0) {
                        add(each);
                    }
                }
            }
            int mask = slots.length - 1;
            int at = (int) (token >>> 20) & mask;
            while (slots[at] != 0 && slots[at] != token) {
                at = at + 1 & mask;
            }
            if (slots[at] == 0) {
                slots[at] = token;
                size++;
            }
        }

        int size() {
            return size + (zero ? 1 : 0);
        }

        long[] toArray() {
            long[] all = new long[size()]; // the zero is the last one, if there is one
            int at = 0;
            for (long each : slots) {
                if (each != 0) {
                    all[at++] = each;
                }
            }
            return all;
        }

        void clear() {
            if (size > 0) {
                Arrays.fill(slots, 0);
            }
            size = 0;
            zero = false;
        }
    }
}
