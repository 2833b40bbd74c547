package io.chagres.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.LocalTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TimedRateTest {
    private static final List<TimedRate> RATES = Stream.of("50", "08:00-18:00 10", "17:00-19:00 20", "22:30-06:00 30")
            .map(TimedRate::parse)
            .toList();

    @ParameterizedTest
    @CsvSource({
        "07:59, 50",
        "08:00, 10",
        "17:30, 10",
        "18:00, 20",
        "19:00, 50",
        "22:29, 50",
        "22:30, 30",
        "00:00, 30",
        "05:59, 30",
        "06:00, 50"
    })
    void goesByTheTimeOfDay(String time, long bytesPerSecond) {
        assertThat(TimedRate.at(RATES, LocalTime.parse(time))).isEqualTo(bytesPerSecond);
    }

    @Test
    void knowsNoLimitOutsideOfItsTimes() {
        List<TimedRate> day = List.of(TimedRate.parse("08:00-18:00 10MiB"));
        assertThat(TimedRate.at(day, LocalTime.NOON)).isEqualTo(10 << 20);
        assertThat(TimedRate.at(day, LocalTime.MIDNIGHT)).isZero();
        assertThat(TimedRate.at(List.of(), LocalTime.NOON)).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "fast",
                "08:00-18:00",
                "08:00-18:00 0",
                "08:00-08:00 10MiB",
                "25:00-26:00 10MiB",
                "8:00-18:00 10MiB",
                "08:00-24:00 10MiB",
                "08:00 10MiB"
            })
    void refusesWhatIsNoRate(String text) {
        assertThatThrownBy(() -> TimedRate.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("'" + text + "' is no rate")
                .hasMessageEndingWith("'08:00-18:00 10MiB'");
    }
}
