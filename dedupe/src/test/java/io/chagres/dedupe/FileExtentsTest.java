package io.chagres.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Fiemap;
import io.chagres.testkit.Seeds;
import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Answers about where data lies, against a table of every block. */
class FileExtentsTest {
    private static final int BLOCK = 4096;
    private static final int BLOCKS = 24;

    /** What a block of a file is, if it has no place. */
    private static final long HOLE = -1;

    private static final long RESERVED = -2;

    /** A file as the kernel describes it, and where each of its blocks lies. */
    private static final class Drawn {
        final FileExtents extents = new FileExtents();
        final long[] places = new long[BLOCKS + 1];
        final boolean[] shared = new boolean[BLOCKS + 1];

        long place(int block) {
            return block < BLOCKS ? places[block] : HOLE;
        }

        boolean hasData(int block) {
            return place(block) >= 0;
        }
    }

    /** Draws a file; data lies at few places, so that two files often have it in the same one. */
    private static Drawn draw(RandomGenerator random) {
        Drawn file = new Drawn();
        Arrays.fill(file.places, HOLE);
        file.extents.begin();
        int at = 0;
        while (at < BLOCKS) {
            int length = Math.min(BLOCKS - at, random.nextInt(1, 6));
            int kind = random.nextInt(4);
            boolean shared = random.nextBoolean();
            long first = random.nextInt(2) * 100L + at;
            for (int i = at; i < at + length && kind != 0; i++) {
                file.places[i] = kind == 1 ? RESERVED : first + i - at;
                file.shared[i] = kind > 1 && shared;
            }
            if (kind != 0) {
                add(file, random, at, length, kind == 1, shared);
            }
            at += length;
        }
        file.extents.end();
        return file;
    }

    /** The kernel cuts where it likes. */
    private static void add(
            Drawn file, RandomGenerator random, int from, int length, boolean reserved, boolean shared) {
        int cut = length > 1 && random.nextBoolean() ? random.nextInt(1, length) : length;
        int flags = (reserved ? Fiemap.FIEMAP_EXTENT_UNWRITTEN : 0) | (shared ? Fiemap.FIEMAP_EXTENT_SHARED : 0);
        long physical = reserved ? 1 << 20 : file.places[from];
        file.extents.add((long) from * BLOCK, physical * BLOCK, (long) cut * BLOCK, flags);
        if (cut < length) {
            file.extents.add(
                    (from + cut) * (long) BLOCK, (physical + cut) * BLOCK, (length - cut) * (long) BLOCK, flags);
        }
    }

    /** Returns the first block from one on for which something holds, or the end. */
    private static int first(int from, int to, IntPredicate holds) {
        int at = from;
        while (at < to && !holds.test(at)) {
            at++;
        }
        return at;
    }

    @Test
    void saysOfEachBlockWhatIsThere() {
        RandomGenerator random = Seeds.random(Seeds.next("FileExtentsTest"));
        for (int round = 0; round < 3000; round++) {
            Drawn one = draw(random);
            Drawn other = draw(random);
            int shift = random.nextInt(-2, 3);
            int from = random.nextInt(Math.max(0, -shift), BLOCKS - Math.max(0, shift));
            int to = random.nextInt(from, BLOCKS + 1 - Math.max(0, shift));
            checkApart(one, other, shift, from, to);
            checkReserved(one, to);
            checkBytes(one, from, to);
            checkShared(one, other, shift, from, to);
        }
    }

    private static void checkApart(Drawn one, Drawn other, int shift, int from, int to) {
        IntPredicate apart = block -> one.hasData(block)
                && other.place(block + shift) != RESERVED
                && one.place(block) != other.place(block + shift);
        int begin = first(from, to, apart);
        long bytes = (long) shift * BLOCK;
        assertThat(one.extents.apartFrom(other.extents, bytes, (long) from * BLOCK, (long) to * BLOCK))
                .isEqualTo((long) begin * BLOCK);
        assertThat(one.extents.apartUntil(other.extents, bytes, (long) begin * BLOCK, (long) to * BLOCK))
                .isEqualTo((long) first(begin, to, apart.negate()) * BLOCK);
    }

    private static void checkReserved(Drawn one, int to) {
        assertThat(one.extents.reserves((long) to * BLOCK))
                .isEqualTo(first(0, to, block -> one.place(block) == RESERVED) < to);
    }

    private static void checkBytes(Drawn one, int from, int to) {
        long any = 0;
        long own = 0;
        for (int block = from; block < to; block++) {
            any += one.hasData(block) ? BLOCK : 0;
            own += one.hasData(block) && !one.shared[block] ? BLOCK : 0;
        }
        assertThat(one.extents.bytes((long) from * BLOCK, (long) to * BLOCK, true))
                .isEqualTo(any);
        assertThat(one.extents.bytes((long) from * BLOCK, (long) to * BLOCK, false))
                .isEqualTo(own);
    }

    private static void checkShared(Drawn one, Drawn other, int shift, int from, int to) {
        boolean same = true;
        for (int block = from; block < to; block++) {
            long place = one.hasData(block) ? one.place(block) : HOLE;
            long otherPlace = other.hasData(block + shift) ? other.place(block + shift) : HOLE;
            same &= place == otherPlace;
        }
        boolean isShared = one.extents.sharesWith(
                other.extents, (long) (from + shift) * BLOCK, (long) from * BLOCK, (long) (to - from) * BLOCK);
        assertThat(isShared).isEqualTo(same);
    }

    /** How the kernel cuts what lies together makes no difference; where it lies does. */
    @Test
    void isLikeWhatLiesInTheSamePlace() {
        RandomGenerator random = Seeds.random(Seeds.next("FileExtentsTest.signature"));
        for (int round = 0; round < 3000; round++) {
            Drawn one = draw(random);
            FileExtents again = new FileExtents();
            again.begin();
            for (int block = 0; block < BLOCKS; block++) {
                if (one.hasData(block)) {
                    again.add((long) block * BLOCK, one.place(block) * BLOCK, BLOCK, 0);
                }
            }
            again.end();
            assertThat(one.extents.signature()).isEqualTo(again.signature()).isNotEqualTo(FileExtents.UNKNOWN);
            Drawn other = draw(random);
            boolean same = true;
            for (int block = 0; block < BLOCKS; block++) {
                same &= Math.max(HOLE, one.place(block)) == Math.max(HOLE, other.place(block));
            }
            assertThat(other.extents.signature() == one.extents.signature()).isEqualTo(same);
        }
    }

    @Test
    void aFileWithoutDataIsAHole() {
        FileExtents extents = new FileExtents();
        extents.begin();
        extents.end();
        assertThat(extents.signature()).isEqualTo(FileExtents.HOLE);
        extents.begin();
        extents.add(0, 0, 300, Fiemap.FIEMAP_EXTENT_DATA_INLINE | Fiemap.FIEMAP_EXTENT_NOT_ALIGNED);
        extents.end();
        assertThat(extents.signature()).isEqualTo(FileExtents.INLINE);
        extents.begin();
        extents.add(0, 0, BLOCK, Fiemap.FIEMAP_EXTENT_UNKNOWN | Fiemap.FIEMAP_EXTENT_DELALLOC);
        extents.end();
        assertThat(extents.signature()).isEqualTo(FileExtents.UNKNOWN);
        assertThat(extents.sharesWith(extents, 0, 0, BLOCK)).isFalse(); // what is not known is like nothing
    }

    /** Compressed data has no place byte by byte: two files share all of an extent, or may not. */
    @Test
    void compressedDataIsInOnePlace() {
        FileExtents one = compressed(0, 128 * 1024);
        assertThat(one.sharesWith(compressed(0, 128 * 1024), 0, 0, 128 * 1024)).isTrue();
        assertThat(one.sharesWith(compressed(1, 128 * 1024), 0, 0, 128 * 1024)).isFalse();
        assertThat(one.signature()).isEqualTo(compressed(0, 128 * 1024).signature());
        assertThat(one.signature()).isNotEqualTo(compressed(0, 64 * 1024).signature());
    }

    private static FileExtents compressed(long place, long lengthBytes) {
        FileExtents extents = new FileExtents();
        extents.begin();
        extents.add(0, place * BLOCK, lengthBytes, Fiemap.FIEMAP_EXTENT_ENCODED);
        extents.end();
        return extents;
    }
}
