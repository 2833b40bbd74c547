package io.chagres.archive.find;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds many texts in one pass, or one in either case. It chooses from each text some bytes that few others have. A
 * hash of the same number of bytes at each place says whether one of the texts may lie there. Immutable.
 */
final class LiteralSet {
    /** Where in a text its bytes may be chosen. */
    private static final int MAX_CHOICES = 16;

    /** The bytes copied at once: few at first, since the next one may be near. */
    private static final int FIRST_BYTES = 256;

    private static final int MOST_BYTES = 16 << 10;
    private static final int NONE = -1;
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    /** The bit of an ASCII letter in lower case; other characters with and without it share hashes, no more. */
    private static final long LOWER = 0x2020_2020_2020_2020L;

    private final byte[][] literals;
    private final boolean ignoresCase;
    private final int[] offsets;
    private final int gramBytes;
    /** Where in a gram the bits of its last byte are. */
    private final int newest;
    /** The bits of a gram in lower case, if case is ignored. */
    private final long lower;

    /** A bit for each hash that a text has. */
    private final long[] bits;

    private final int bitsShift;
    private final int[] heads;
    private final int headsShift;
    private final int[] next;

    /** Takes what a literal is found by. */
    @FunctionalInterface
    private interface Hits {
        /** Takes the place of a literal's first byte; returns false to end the search. */
        boolean hit(long place, int literal);
    }

    /**
     * Makes a set.
     *
     * @param texts none is empty; in lower case if that is to be ignored
     * @param ignoresCase whether letters of ASCII are found in either case
     */
    LiteralSet(List<byte[]> texts, boolean ignoresCase) {
        literals = texts.toArray(byte[][]::new);
        this.ignoresCase = ignoresCase;
        gramBytes = Math.min(
                Long.BYTES, texts.stream().mapToInt(text -> text.length).min().orElseThrow());
        newest = (gramBytes - 1) * Byte.SIZE;
        lower = ignoresCase ? LOWER >>> (Long.SIZE - gramBytes * Byte.SIZE) : 0;
        offsets = chosen();
        int log = Integer.SIZE - Integer.numberOfLeadingZeros(literals.length);
        headsShift = Long.SIZE - (log + 1);
        bitsShift = Long.SIZE - (log + 6);
        heads = new int[1 << (log + 1)];
        Arrays.fill(heads, NONE);
        next = new int[literals.length];
        bits = new long[1 << log];
        for (int i = literals.length - 1; i >= 0; i--) {
            long hash = hash(gram(literals[i], offsets[i]));
            next[i] = heads[(int) (hash >>> headsShift)];
            heads[(int) (hash >>> headsShift)] = i;
            long bit = hash >>> bitsShift;
            bits[(int) (bit >>> 6)] |= 1L << bit;
        }
    }

    /** Returns where in each text the bytes lie that the fewest others have. */
    private int[] chosen() {
        Map<Long, Integer> counts = new HashMap<>();
        for (byte[] literal : literals) {
            for (int choice = 0; choice < MAX_CHOICES; choice++) {
                counts.merge(gram(literal, offset(literal, choice)), 1, Integer::sum);
            }
        }
        int[] best = new int[literals.length];
        for (int i = 0; i < best.length; i++) {
            int fewest = Integer.MAX_VALUE;
            for (int choice = 0; choice < MAX_CHOICES; choice++) {
                int offset = offset(literals[i], choice);
                int count = counts.getOrDefault(gram(literals[i], offset), 0);
                if (count < fewest) {
                    fewest = count;
                    best[i] = offset;
                }
            }
        }
        return best;
    }

    private int offset(byte[] literal, int choice) {
        return (literal.length - gramBytes) * choice / (MAX_CHOICES - 1);
    }

    private long gram(byte[] bytes, int offset) {
        long gram = 0;
        for (int i = 0; i < gramBytes; i++) {
            gram |= (bytes[offset + i] & 0xffL) << (i * Byte.SIZE);
        }
        return gram;
    }

    private long hash(long gram) {
        return (gram | lower) * MULTIPLIER;
    }

    /**
     * Returns where a text lies that no other one precedes by a whole line: texts have no newline.
     *
     * @return the place of its first byte; -1 when none lies between the two
     */
    long find(MemorySegment in, long from, long to) {
        long[] found = {NONE};
        scan(in, from, to, (place, _) -> {
            found[0] = place;
            return false;
        });
        return found[0];
    }

    /** Tells where the texts lie, from left to right; of those that overlap the first, of these the first one given. */
    void spans(byte[] line, LineSpans spans) {
        List<long[]> hits = new ArrayList<>();
        scan(MemorySegment.ofArray(line), 0, line.length, (place, literal) -> hits.add(new long[] {place, literal}));
        hits.sort(Comparator.<long[]>comparingLong(hit -> hit[0]).thenComparingLong(hit -> hit[1]));
        int end = 0;
        for (long[] hit : hits) {
            if (hit[0] >= end) {
                int start = (int) hit[0];
                end = start + literals[(int) hit[1]].length;
                spans.span(start, end);
            }
        }
    }

    /** Goes over copies of some bytes: one of an array costs a fraction of one of memory until all is compiled well. */
    private void scan(MemorySegment in, long from, long to, Hits hits) {
        byte[] some = new byte[(int) Math.min(FIRST_BYTES, to - from)];
        long gram = 0;
        for (long done = from; done < to; ) {
            int count = (int) Math.min(some.length, to - done);
            MemorySegment.copy(in, ValueLayout.JAVA_BYTE, done, some, 0, count);
            for (int i = 0; i < count; i++) {
                gram = gram >>> Byte.SIZE | (some[i] & 0xffL) << newest;
                long hash = hash(gram);
                long bit = hash >>> bitsShift;
                if ((bits[(int) (bit >>> 6)] & 1L << bit) != 0
                        && !tell(in, from, to, done + i + 1 - gramBytes, hash, hits)) {
                    return;
                }
            }
            done += count;
            some = done < to && some.length < MOST_BYTES ? new byte[some.length * 4] : some;
        }
    }

    private boolean tell(MemorySegment in, long from, long to, long at, long hash, Hits hits) {
        for (int i = heads[(int) (hash >>> headsShift)]; i != NONE; i = next[i]) {
            long place = at - offsets[i];
            if (place >= from
                    && place + literals[i].length <= to
                    && isAt(in, place, literals[i])
                    && !hits.hit(place, i)) {
                return false;
            }
        }
        return true;
    }

    private boolean isAt(MemorySegment in, long place, byte[] literal) {
        for (int i = 0; i < literal.length; i++) {
            byte there = in.get(ValueLayout.JAVA_BYTE, place + i);
            if ((ignoresCase && there >= 'A' && there <= 'Z' ? there | 0x20 : there) != literal[i]) {
                return false;
            }
        }
        return true;
    }
}
