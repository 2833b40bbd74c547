package io.chagres.ship.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Seeds;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** The table says the same as a map, however many files come and go. */
class InodeTableTest {
    private record File(long inode, long generation, int number) implements InodeTable.OfInode {}

    private record Key(long inode, long generation) {}

    @Test
    void saysWhatAMapSays() {
        RandomGenerator random = Seeds.random(Seeds.next("InodeTableTest"));
        InodeTable<File> table = new InodeTable<>();
        Map<Key, File> map = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            boolean grows = i / 20_000 % 2 == 0;
            Key key = new Key(random.nextInt(1, 5000), random.nextInt(3));
            if (random.nextInt(10) < (grows ? 7 : 3)) {
                File file = new File(key.inode(), key.generation(), i);
                table.put(file);
                map.put(key, file);
            } else if (map.get(key) != null) {
                table.remove(new File(key.inode(), key.generation(), -1)); // another one of it
                assertThat(table.find(key.inode(), key.generation())).isSameAs(map.get(key));
                table.remove(map.remove(key));
            }
            assertThat(table.size()).isEqualTo(map.size());
            Key other = new Key(random.nextInt(1, 5000), random.nextInt(3));
            assertThat(table.find(other.inode(), other.generation())).isSameAs(map.get(other));
        }
        map.forEach((key, file) ->
                assertThat(table.find(key.inode(), key.generation())).isSameAs(file));
    }
}
