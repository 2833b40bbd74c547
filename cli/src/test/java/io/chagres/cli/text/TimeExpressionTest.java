package io.chagres.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TimeExpressionTest {
    private final TimeExpression times =
            new TimeExpression(InstantSource.fixed(Instant.parse("2026-11-21T09:30:00Z")), ZoneId.of("Europe/Berlin"));

    @ParameterizedTest
    @CsvSource({
        "2026-11-20T08:00Z,2026-11-20T08:00:00Z",
        "2026-11-20T08:00+0200,2026-11-20T06:00:00Z",
        "2026-11-20 08:00 America/New_York,2026-11-20T13:00:00Z",
        "2026-07-01T08:00[Europe/London],2026-07-01T07:00:00Z",
        "2026-07-01 UTC,2026-07-01T00:00:00Z",
        "09:29Z,2026-11-21T09:29:00Z",
        "09:31Z,2026-11-20T09:31:00Z",
        "11:29+02:00,2026-11-21T09:29:00Z",
        "11:29 +02:00,2026-11-21T09:29:00Z",
        "now,2026-11-21T09:30:00Z",
        "2026-11-20T08:00:00Z,2026-11-20T08:00:00Z",
        "2026-11-20T08:00:00+02:00,2026-11-20T06:00:00Z",
        "2026-11-20T08:00,2026-11-20T07:00:00Z",
        "2026-11-20 08:00:01.5,2026-11-20T07:00:01.5Z",
        "2026-07-01,2026-06-30T22:00:00Z",
        "10:29,2026-11-21T09:29:00Z",
        "10:31,2026-11-20T09:31:00Z",
        "10m,2026-11-21T09:20:00Z",
        "10m ago,2026-11-21T09:20:00Z",
        "@1795253400,2026-11-21T09:30:00Z",
        "@1795253400.25,2026-11-21T09:30:00.25Z"
    })
    void parses(String text, Instant time) {
        assertThat(times.parse(text)).isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "yesterday",
                "25:00",
                "2026-13-01",
                "@",
                "@1795253400000",
                "@x",
                "@1e3",
                "2026-03-29T02:30",
                "2026-03-29 02:30 Europe/Berlin",
                "10",
                "ago",
                "10 ago",
                "2026-11-20 08:00 Europe/Atlantis",
                "08:00+99:00",
                "Z"
            })
    void refuses(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> times.parse(text))
                .withMessageContaining("'" + text + "'");
    }
}
