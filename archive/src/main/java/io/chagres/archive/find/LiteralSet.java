package io.chagres.archive.find;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds many texts in one pass. Of each text some bytes are chosen that few others have; a hash of as many bytes at each
 * place says whether one of the texts may lie there. Immutable.
 */
final class LiteralSet {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** Where in a text its bytes may be chosen. */
    private static final int MAX_CHOICES = 16;

    private static final int NONE = -1;
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private final byte[][] literals;
    private final int[] offsets;
    private final int gramBytes;
    private final long mask;
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
     * @param texts none is empty
     */
    LiteralSet(List<byte[]> texts) {
        literals = texts.toArray(byte[][]::new);
        gramBytes = Math.min(
                Long.BYTES, texts.stream().mapToInt(text -> text.length).min().orElseThrow());
        mask = -1L >>> Long.SIZE - gramBytes * Byte.SIZE;
        offsets = chosen();
        int log = Integer.SIZE - Integer.numberOfLeadingZeros(literals.length);
        headsShift = Long.SIZE - (log + 1);
        bitsShift = Long.SIZE - (log + 6);
        heads = new int[1 << log + 1];
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
        return gram(MemorySegment.ofArray(bytes), offset);
    }

    /** Returns the bytes at a place, also where fewer than eight follow. */
    private long gram(MemorySegment in, long place) {
        if (place + Long.BYTES <= in.byteSize()) {
            return in.get(LONG, place) & mask;
        }
        long gram = 0;
        for (int i = gramBytes - 1; i >= 0; i--) {
            gram = gram << Byte.SIZE | in.get(ValueLayout.JAVA_BYTE, place + i) & 0xff;
        }
        return gram;
    }

    private static long hash(long gram) {
        return gram * MULTIPLIER;
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
    void spans(byte[] line, LineFinder.Spans spans) {
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

    private void scan(MemorySegment in, long from, long to, Hits hits) {
        for (long at = from; at <= to - gramBytes; at++) {
            long hash = hash(gram(in, at));
            long bit = hash >>> bitsShift;
            if ((bits[(int) (bit >>> 6)] & 1L << bit) != 0 && !tell(in, from, to, at, hash, hits)) {
                return;
            }
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

    private static boolean isAt(MemorySegment in, long place, byte[] literal) {
        for (int i = 0; i < literal.length; i++) {
            if (in.get(ValueLayout.JAVA_BYTE, place + i) != literal[i]) {
                return false;
            }
        }
        return true;
    }
}
