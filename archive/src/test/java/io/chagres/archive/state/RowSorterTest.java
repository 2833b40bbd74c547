package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import io.chagres.testkit.Allocations;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowSorterTest {
    private final RandomGenerator random = Seeds.random(Seeds.next("RowSorterTest"));

    /** Few rows stay in memory, many go into a file, and where there can be none they stay, too. */
    @ParameterizedTest
    @CsvSource({"/tmp,0", "/tmp,1", "/tmp,1000", "/tmp,60000", "/proc,60000", "'',60000"})
    void givesAllRowsInTheirOrderAsOftenAsItIsAsked(String directory, int count) throws IOException {
        List<byte[]> rows = new ArrayList<>();
        try (RowSorter sorter = new RowSorter(Pathname.of(directory))) {
            for (int i = 0; i < count; i++) {
                int length = random.nextInt(2000) == 0 ? random.nextInt(100_000) : random.nextInt(120);
                byte[] row = new byte[length];
                random.nextBytes(row);
                if (random.nextInt(10) == 0 && !rows.isEmpty()) {
                    row = rows.getLast();
                }
                rows.add(row);
                sorter.add(row);
            }
            rows.sort(Arrays::compareUnsigned);
            for (int turn = 0; turn < 2; turn++) {
                int next = 0;
                for (byte[] row : sorter) {
                    assertThat(row).isEqualTo(rows.get(next++));
                }
                assertThat(next).isEqualTo(count);
            }
        }
    }

    /** Many of them are read through as little memory as few. */
    @Test
    void takesNoMoreMemoryForMoreRows() throws IOException {
        try (RowSorter sorter = new RowSorter(Pathname.of("/tmp"))) {
            byte[] row = new byte[4096];
            for (int i = 0; i < 65_536; i++) {
                random.nextBytes(row);
                sorter.add(row);
            }
            assertThat(sorter.iterator().hasNext()).isTrue();
            long before = Allocations.allocated();
            Iterator<byte[]> again = sorter.iterator();
            assertThat(Allocations.allocated() - before).isLessThan(2 << 20);
            assertThat(again.hasNext()).isTrue();
        }
    }
}
