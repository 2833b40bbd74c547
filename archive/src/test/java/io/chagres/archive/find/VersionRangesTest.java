package io.chagres.archive.find;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.state.RowSorter;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class VersionRangesTest {
    private static final int POSITIONS = 64;

    private final RandomGenerator random = Seeds.random(Seeds.next("VersionRangesTest"));

    private static List<Unmatched.Range> left(BitSet ruledOut, int start, int end) {
        List<Unmatched.Range> left = new ArrayList<>();
        for (int at = ruledOut.nextClearBit(start); at < end; at = ruledOut.nextClearBit(at)) {
            int until = ruledOut.nextSetBit(at);
            until = until < 0 ? end : Math.min(until, end);
            left.add(new Unmatched.Range(at, until));
            at = until;
        }
        return left;
    }

    @Test
    void leaveWhatIsInNone() throws IOException {
        for (int round = 0; round < 200; round++) {
            long[] ids = random.longs(1 + random.nextInt(40)).toArray(); // negative ones are only in hostile filters
            for (int i = 0; i < ids.length; i++) {
                ids[i] = random.nextBoolean() ? i : ids[i];
            }
            Map<Long, BitSet> expected = new HashMap<>();
            try (RowSorter rows = RowSorter.inMemory()) {
                for (int i = random.nextInt(400); i >= 0; i--) {
                    long id = ids[random.nextInt(ids.length)];
                    int start = random.nextInt(POSITIONS);
                    int end = random.nextInt(start + 1, POSITIONS + 1);
                    rows.add(VersionRanges.row(id, start, end));
                    expected.computeIfAbsent(id, each -> new BitSet()).set(start, end);
                }
                VersionRanges ranges = VersionRanges.of(rows);
                for (long id : ids) {
                    int start = random.nextInt(POSITIONS);
                    int end = random.nextInt(start, POSITIONS + 1);
                    assertThat(ranges.rest(id, start, end))
                            .isEqualTo(left(expected.getOrDefault(id, new BitSet()), start, end));
                }
            }
        }
    }

    /** Ten million files fit beside what a search needs. */
    @Test
    void takeFewBytesEach() throws IOException {
        int count = 100_000;
        try (RowSorter rows = RowSorter.inMemory()) {
            for (int id = count; id > 0; id--) {
                rows.add(VersionRanges.row(id, 0, 1000 + id % 1000));
                rows.add(VersionRanges.row(id, 1000 + id % 1000, 10_000)); // meets it
            }
            assertThat(VersionRanges.of(rows).lengthBytes()).isLessThanOrEqualTo(4 * count);
        }
    }
}
