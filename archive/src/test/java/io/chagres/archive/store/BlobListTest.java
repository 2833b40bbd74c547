package io.chagres.archive.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** The objects that were added come back, in their order. */
class BlobListTest {
    @Test
    void holdsWhatWasAdded() {
        RandomGenerator random = Seeds.random(Seeds.next("BlobListTest"));
        List<BlobInfo> expected = new ArrayList<>();
        BlobList list = new BlobList();
        for (int i = 0; i < 10_000; i++) {
            String key = random.nextInt(5) == 0
                    ? Long.toHexString(random.nextLong()).repeat(random.nextInt(4))
                    : String.format("hosts/0123456789abcdef/log/%016x.zst", i);
            BlobInfo object = new BlobInfo(key, random.nextLong(), random.nextLong());
            expected.add(object);
            assertThat(list.add(object)).isTrue();
        }
        assertThat(list).isEqualTo(expected);
        assertThat(list.get(9_999)).isEqualTo(expected.getLast());
        assertThat(BlobList.of(expected)).isEqualTo(list);
        assertThat(BlobList.of(list)).isSameAs(list);
        assertThatThrownBy(() -> list.get(10_000)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> list.get(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void isEmptyAtFirst() {
        assertThat(new BlobList()).isEmpty();
    }
}
