package io.chagres.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BlockCacheTest {
    /** The fewest blocks that a cache has. */
    private static final int LEAST = 64;

    private static final List<BlockCache.Damage> WHOLE = List.of();

    private final BlockCache cache = new BlockCache(1);

    @AfterEach
    void close() {
        cache.close();
    }

    private static BlockCache.Key key(long index) {
        return new BlockCache.Key(null, 1, index);
    }

    private void fill(long index, int filled, List<BlockCache.Damage> damages, long retryMs) {
        BlockCache.Block block = cache.pinToFill(key(index));
        block.memory().set(ValueLayout.JAVA_LONG, 0, index);
        cache.filled(block, filled, damages, retryMs);
        cache.unpin(block);
    }

    @Test
    void givesWhatIsFilledAndNoMore() {
        assertThat(cache.pin(key(3), 1, 0)).isNull();
        fill(3, 1000, WHOLE, 0);
        assertThat(cache.pin(key(3), 1001, 0)).isNull();
        assertThat(cache.holds(key(3), 1001, 0)).isFalse();
        BlockCache.Block block = cache.pin(key(3), 1000, 0);
        assertThat(block).isNotNull();
        assertThat(cache.holds(key(3), 1000, 0)).isTrue();
        assertThat(cache.pin(key(4), 1, 0)).isNull();
        fill(3, 2000, WHOLE, 0); // it grew: the same memory, with more in it
        assertThat(cache.pin(key(3), 2000, 0)).isSameAs(block);
    }

    /** A block that is to be asked for again is not there: who waits for all of a read would wait for the wrong one. */
    @Test
    void holdsWhatItGivesAlsoOfWhatIsDamaged() {
        fill(0, 4096, List.of(new BlockCache.Damage(0, 4096)), 5_000);
        for (long nowMs : new long[] {-1, 0, 4_999, 5_000, 5_001, Long.MAX_VALUE - 1}) {
            BlockCache.Block block = cache.pin(key(0), 4096, nowMs);
            assertThat(cache.holds(key(0), 4096, nowMs))
                    .as("at %d", nowMs)
                    .isEqualTo(block != null)
                    .isEqualTo(nowMs < 5_000);
        }
    }

    @Test
    void whatIsDamagedEndsWhereItEnds() {
        fill(0, 4096, List.of(new BlockCache.Damage(100, 200), new BlockCache.Damage(300, 301)), 5_000);
        BlockCache.Block block = cache.pin(key(0), 4096, 0);
        assertThat(block).isNotNull();
        assertThat(block.isDamaged(0, 100)).isFalse();
        assertThat(block.isDamaged(0, 101)).isTrue();
        assertThat(block.isDamaged(199, 200)).isTrue();
        assertThat(block.isDamaged(200, 300)).isFalse();
        assertThat(block.isDamaged(300, 301)).isTrue();
        assertThat(block.isDamaged(301, 4096)).isFalse();
    }

    /** Damage that healed gets memory of its own: somebody may still answer from the old one. */
    @Test
    void whatHealedDoesNotChangeUnderAReader() {
        fill(0, 4096, List.of(new BlockCache.Damage(0, 10)), 0);
        BlockCache.Block damaged = cache.pin(key(0), 4096, -1);
        assertThat(damaged).isNotNull();
        fill(0, 4096, WHOLE, 0);
        BlockCache.Block healed = cache.pin(key(0), 4096, 1_000_000);
        assertThat(healed).isNotNull().isNotSameAs(damaged);
        assertThat(healed.isDamaged(0, 4096)).isFalse();
        assertThat(healed.memory().address()).isNotEqualTo(damaged.memory().address());
        cache.unpin(damaged);
        BlockCache.Block next = cache.pinToFill(key(9));
        assertThat(next.memory().address()).isEqualTo(damaged.memory().address()); // it went back
    }

    @Test
    void forgetsWhatWasUsedLeastAndNothingThatIsInUse() {
        for (int i = 0; i < LEAST; i++) {
            fill(i, 8, WHOLE, 0);
        }
        BlockCache.Block first = cache.pin(key(0), 8, 0);
        assertThat(first).isNotNull();
        for (int i = 0; i < LEAST - 1; i++) {
            fill(LEAST + i, 8, WHOLE, 0);
        }
        assertThat(cache.pin(key(1), 8, 0)).isNull();
        assertThat(cache.pin(key(LEAST - 1), 8, 0)).isNull();
        assertThat(cache.pin(key(0), 8, 0)).isSameAs(first);
        assertThat(first.memory().get(ValueLayout.JAVA_LONG, 0)).isZero();
    }

    /** Where all are in use there is more memory rather than none; later it is used again. */
    @Test
    void hasAlwaysOneMore() {
        List<BlockCache.Block> used = new ArrayList<>();
        for (int i = 0; i < 2 * LEAST; i++) {
            used.add(cache.pinToFill(key(i)));
        }
        assertThat(used.stream().map(block -> block.memory().address())).doesNotHaveDuplicates();
        used.forEach(cache::unpin); // nothing was filled: a store that is away
        for (int i = 0; i < 2 * LEAST; i++) {
            assertThat(cache.holds(key(i), 0, 0)).isFalse();
        }
        List<Long> addresses =
                used.stream().map(block -> block.memory().address()).toList();
        for (int i = 0; i < 2 * LEAST; i++) {
            assertThat(addresses).contains(cache.pinToFill(key(i)).memory().address());
        }
    }
}
