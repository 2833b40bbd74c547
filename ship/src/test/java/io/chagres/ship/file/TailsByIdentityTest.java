package io.chagres.ship.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.copy.Origins;
import io.chagres.watch.FileIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TailsByIdentityTest {
    private static final int STEPS = 20_000;
    private static final int INODES = 300;

    private record Key(FileIdentity identity, long device) {}

    private final FileTable table = new FileTable();
    private final Map<Key, Tail> expected = new HashMap<>();
    private final Random random = new Random(1);
    private long versions;

    private static Key key(long inode, long generation, long device) {
        return new Key(new FileIdentity(7, device / 2, inode, generation), device);
    }

    private Key anyKey() {
        return key(random.nextInt(INODES), random.nextInt(3), random.nextInt(4));
    }

    private Tail put(Key key) {
        FileIdentity identity = key.identity();
        Tail tail = new Tail(
                ++versions,
                table.volume(identity, key.device()),
                identity.inode(),
                identity.generation(),
                new PrefixChecksums(0),
                Origins.NONE,
                new Rules(1000, Codec.ZSTD));
        table.put(tail);
        expected.put(key, tail);
        return tail;
    }

    @Test
    void findsWhatWasPutAndNotRemoved() {
        for (int i = 0; i < STEPS; i++) {
            Key key = anyKey();
            Tail there = expected.get(key);
            if (there == null || random.nextInt(4) == 0) {
                assertThat(table.find(key.identity(), key.device())).isSameAs(there);
                Tail put = put(key);
                assertThat(put.identity()).isEqualTo(key.identity());
            } else if (i < STEPS / 2 ? random.nextInt(4) == 0 : random.nextBoolean()) {
                table.remove(there);
                expected.remove(key);
            }
            assertThat(table.size()).isEqualTo(expected.size());
        }
        List<Tail> all = new ArrayList<>(table.all());
        assertThat(all).containsExactlyInAnyOrderElementsOf(expected.values());
        expected.forEach((key, tail) -> {
            assertThat(table.find(key.identity(), key.device())).isSameAs(tail);
            assertThat(table.current(tail)).isSameAs(tail);
        });
    }

    @Test
    void anOldVersionDoesNotRemoveTheOneThatFollowed() {
        Key key = key(1, 2, 3);
        Tail old = put(key);
        Tail next = put(key);
        table.remove(old);
        assertThat(table.find(key.identity(), key.device())).isSameAs(next);
        assertThat(table.current(old)).isSameAs(next);
        table.remove(next);
        assertThat(table.all()).isEmpty();
    }

    @Test
    void filesOfOneVolumeShareIt() {
        assertThat(put(key(1, 1, 5)).volume()).isSameAs(put(key(2, 1, 5)).volume());
        assertThat(put(key(1, 1, 6)).volume()).isNotEqualTo(put(key(1, 1, 5)).volume());
    }
}
