package io.chagres.archive.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardTest {
    @ParameterizedTest
    @ValueSource(strings = {"0000000000000000", "0000000000000001", "7fffffffffffffff", "ffffffffffffffff"})
    void eachHostIsInOne(String hostId) {
        assertThat(Shard.ALL.holds(hostId)).isTrue();
        assertThat(IntStream.range(0, 3).filter(i -> Shard.parse(i + "/3").holds(hostId)))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "1", "1/", "/3", "3/3", "-1/3", "0/0", "0/-1", "a/b", "1/99999999999"})
    void saysWhatItTakes(String text) {
        assertThatThrownBy(() -> Shard.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0/8");
    }

    @Test
    void isWrittenAsItIsRead() {
        assertThat(Shard.parse("2/8")).isEqualTo(new Shard(2, 8));
    }
}
