package io.chagres.ship.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Free numbers beside a sorted set. */
class FreeNumbersTest {
    @Test
    void givesTheLowest() {
        RandomGenerator random = Seeds.random(Seeds.next("givesTheLowest"));
        FreeNumbers free = new FreeNumbers();
        TreeSet<Integer> expected = new TreeSet<>();
        List<Integer> taken = new ArrayList<>();
        int end = 0;
        for (int step = 0; step < 10_000; step++) {
            assertThat(free.isEmpty()).isEqualTo(expected.isEmpty());
            if (random.nextInt(500) == 0) {
                end = end == 0 ? 0 : random.nextInt(end);
                free.forget(end);
                expected.tailSet(end).clear();
                int first = end;
                taken.removeIf(number -> number >= first);
            } else if (expected.isEmpty()) {
                free.give(end, end + 50);
                for (int number = end; number < end + 50; number++) {
                    expected.add(number);
                }
                end += 50;
            } else if (random.nextInt(5) < 2 && !taken.isEmpty()) {
                int given = taken.remove(random.nextInt(taken.size()));
                free.give(given);
                expected.add(given);
            } else {
                int number = free.take();
                assertThat(number).isEqualTo(expected.pollFirst());
                taken.add(number);
            }
        }
    }
}
