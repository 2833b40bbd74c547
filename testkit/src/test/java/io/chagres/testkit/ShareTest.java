package io.chagres.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShareTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 6, 10, 11, 1005})
    void allSharesAreAllCases(int all) {
        List<Integer> taken = new ArrayList<>();
        for (int share = 0; share < 10; share++) {
            int[] cases = Share.of(all, share, 10);
            assertThat(cases).isNotEmpty();
            IntStream.of(cases).forEach(taken::add);
        }
        assertThat(taken).hasSameElementsAs(IntStream.range(0, all).boxed().toList());
        assertThat(taken).hasSize(Math.max(10, all));
    }

    @Test
    void oneShareIsAll() {
        assertThat(Share.of(5, 0, 1)).containsExactly(0, 1, 2, 3, 4);
    }

    /** In ten commits each has its turn, one at a time. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void eachHasItsTurn(int of) {
        for (int share = 0; share < 10; share++) {
            int taken = 0;
            for (int turn = 0; turn < of; turn++) {
                taken += Share.takes(turn, of, share, 10) ? 1 : 0;
            }
            assertThat(taken).isEqualTo(1);
        }
        assertThat(Share.takes(of - 1, of, of - 1, 10)).isTrue();
        assertThat(Share.takes(of - 1, of, 0, 1)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "10/10", "-1/10", "1/0", "a/b", "1/2/3"})
    void refusesWhatIsNoShare(String share) {
        assertThatThrownBy(() -> Share.parse(share)).hasMessageContaining("-Dshare=K/N");
    }
}
