package io.chagres.archive.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long a server wants to be left alone. */
class RetryAfterTest {
    private static final String DATE = "Thu, 01 Jan 2026 00:00:00 GMT";

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "7, 7000",
        "' 12 ', 12000",
        "601, 600000",
        "999999999, 600000",
        "99999999999999999999, 0",
        "-1, 0",
        "1.5, 0",
        "soon, 0",
        "'', 0",
        "'Thu, 01 Jan 2026 00:00:09 GMT', 9000",
        "'Wed, 31 Dec 2025 00:00:00 GMT', 0",
        "'Thu, 01 Jan 2099 00:00:00 GMT', 600000"
    })
    void readsSecondsAndDates(String text, long ms) {
        assertThat(RetryAfter.ms(text, DATE)).isEqualTo(ms);
    }

    /** The clock of this machine may be anywhere. */
    @Test
    void goesByTheClockOfTheServer() {
        assertThat(RetryAfter.ms(null, DATE)).isZero();
        assertThat(RetryAfter.ms(DATE, null)).isZero();
        assertThat(RetryAfter.ms(DATE, "yesterday")).isZero();
        assertThat(RetryAfter.ms(DATE, "Wed, 31 Dec 2025 23:59:58 GMT")).isEqualTo(2000);
    }
}
