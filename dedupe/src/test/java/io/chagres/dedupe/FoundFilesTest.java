package io.chagres.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Allocations;
import io.chagres.testkit.Seeds;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Columns, maps and orders of many files. */
class FoundFilesTest {
    @Test
    void aMillionFilesTakeFiftyMegabytes() throws ErrnoException {
        FoundFiles[] table = new FoundFiles[1];
        try (Fd fd = Fd.open(Pathname.of("/tmp"), Fd.O_RDONLY, 0)) {
            ScannedFolder.Root root = new ScannedFolder.Root(fd, Pathname.of("/tmp"));
            long before = Allocations.allocated();
            table[0] = million(root, fd.value());
            assertThat(Allocations.allocated() - before)
                    .as("all that was allocated")
                    .isLessThan(50_000_000);
            assertThat(table[0].path(999_999)).isEqualTo(Pathname.of("/tmp/file999999"));
            assertThat(table[0].size(70_000)).isEqualTo(70_000 % 5000);
            SizeGroups groups = new SizeGroups(table[0], true);
            assertThat(groups.count()).isEqualTo(5000);
            int first = groups.claim();
            assertThat(table[0].size(groups.files()[groups.from(first)])).isEqualTo(4999);
            assertThat(groups.to(first) - groups.from(first)).isEqualTo(200);
        }
    }

    private static FoundFiles million(ScannedFolder.Root root, int fd) {
        FoundFiles table = new FoundFiles(false);
        int folder = table.add(new ScannedFolder(root, Pathname.of(""), table.device(1, fd)));
        byte[] name = "file000000".getBytes(StandardCharsets.US_ASCII);
        MemorySegment segment = MemorySegment.ofArray(name);
        FileBatch batch = new FileBatch();
        for (int i = 0; i < 1_000_000; i++) {
            int rest = i;
            for (int digit = 9; digit > 3; digit--) {
                name[digit] = (byte) ('0' + rest % 10);
                rest /= 10;
            }
            batch.add(segment, 0, name.length, i % 5000, i);
            if (batch.isFull() || i == 999_999) {
                table.add(folder, batch);
                batch.clear();
            }
        }
        return table;
    }

    @Test
    void sortsLikeTheLibraryAndKeepsTheOrderOfEquals() {
        RandomGenerator random = Seeds.random(Seeds.next("FoundFilesTest"));
        for (int n : new int[] {0, 1, 2, 23, 24, 25, 1000}) {
            long[] keys = random.longs(n, -n / 2 - 1, n / 2 + 1).toArray();
            int[] ours = IntStream.range(0, n).toArray();
            IndexSort.sort(ours, 0, n, i -> keys[i]);
            int[] theirs = IntStream.range(0, n)
                    .boxed()
                    .sorted(Comparator.comparing(i -> keys[i]))
                    .mapToInt(i -> i)
                    .toArray();
            assertThat(ours).isEqualTo(theirs);
        }
    }

    @Test
    void mapsLikeTheLibrary() {
        RandomGenerator random = Seeds.random(Seeds.next("FoundFilesTest"));
        LongMap ours = new LongMap();
        Map<Long, Long> theirs = new HashMap<>();
        for (int i = 0; i < 10_000; i++) {
            long key = random.nextLong(-3000, 3000);
            assertThat(ours.get(key)).isEqualTo(theirs.getOrDefault(key, LongMap.NONE));
            ours.put(key, i);
            theirs.put(key, (long) i);
        }
        assertThat(ours.size()).isEqualTo(theirs.size());
        ours.clear();
        assertThat(ours.get(theirs.keySet().iterator().next())).isEqualTo(LongMap.NONE);
        assertThat(Arrays.asList(0L, 1L)).allMatch(key -> ours.get(key) == LongMap.NONE);
    }
}
