package io.chagres.ship.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** The table says the same as a map, however many files come and go. */
class InodeTableTest {
    private record Key(long inode, long generation) {}

    @Test
    void saysWhatAMapSays() {
        RandomGenerator random = Seeds.random(Seeds.next("InodeTableTest"));
        List<Key> files = new ArrayList<>();
        InodeTable table = new InodeTable(new InodeTable.Inodes() {
            @Override
            public long inode(int number) {
                return files.get(number).inode();
            }

            @Override
            public long generation(int number) {
                return files.get(number).generation();
            }
        });
        Map<Key, Integer> map = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            boolean grows = i / 20_000 % 2 == 0;
            Key key = new Key(random.nextInt(1, 5000), random.nextInt(3));
            files.add(key);
            if (random.nextInt(10) < (grows ? 7 : 3)) {
                table.put(i);
                map.put(key, i);
            } else if (map.get(key) != null) {
                table.remove(i); // another one of it
                assertThat(table.find(key.inode(), key.generation())).isEqualTo(map.get(key));
                table.remove(map.remove(key));
            }
            assertThat(table.size()).isEqualTo(map.size());
            Key other = new Key(random.nextInt(1, 5000), random.nextInt(3));
            assertThat(table.find(other.inode(), other.generation())).isEqualTo(map.getOrDefault(other, -1));
        }
        map.forEach((key, number) ->
                assertThat(table.find(key.inode(), key.generation())).isEqualTo(number));
    }
}
