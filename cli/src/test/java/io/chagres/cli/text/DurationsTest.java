package io.chagres.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DurationsTest {
    @ParameterizedTest
    @CsvSource({
        "0,0",
        "100ms,100",
        "1s,1000",
        "1.5s,1500",
        "25s,25000",
        "1m,60000",
        "2h,7200000",
        "1d,86400000",
        "1h30m,5400000",
        "1m0.5s,60500"
    })
    void parses(String text, long ms) {
        assertThat(Durations.parse(text)).hasMillis(ms);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "7", "s", "1 s", "-1s", "1sx", "x1s", "1s-", "99999999999999999999d"})
    void refuses(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.parse(text))
                .withMessageContaining("'" + text + "'");
    }

    @ParameterizedTest
    @CsvSource({
        "0,0.0 s",
        "99,0.0 s",
        "100,0.1 s",
        "59999,59.9 s",
        "60000,1 m 0 s",
        "3599999,59 m 59 s",
        "3600000,1 h 0 m",
        "172740000,47 h 59 m",
        "172800000,2 d"
    })
    void formats(long ms, String text) {
        assertThat(Durations.format(ms)).isEqualTo(text);
    }

    @Test
    void neverShowsMoreThanHasPassed() {
        assertThat(Durations.format(1999)).isEqualTo("1.9 s");
    }
}
