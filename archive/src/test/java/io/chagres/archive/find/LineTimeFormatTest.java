package io.chagres.archive.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines say when they were written, each program in its way. */
final class LineTimeFormatTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final long LATEST = ms("2026-01-02T12:00:00Z");

    private static final long NONE = Long.MIN_VALUE;

    private static LineClock clock(long earliestMs) {
        return new LineClock(null, Long.MIN_VALUE, Long.MAX_VALUE, BERLIN, earliestMs, LATEST);
    }

    private static long ms(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }

    private static long time(LineTimeFormat format, String line) {
        long[] times = format.timesMs(line, clock(LATEST));
        return times.length == 0 ? NONE : times[0];
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "2025-11-21T09:30:00Z started | iso | 2025-11-21T09:30:00Z",
                "2025-11-21T09:30:00.25+01:00 started | iso | 2025-11-21T08:30:00.250Z",
                "2025-11-21 09:30:00,123 INFO main - started | iso | 2025-11-21T08:30:00.123Z",
                "2025-07-21 09:30:00 started in summer | iso | 2025-07-21T07:30:00Z",
                "[2025-11-21 09:30:00.000001 -0500] started | iso | 2025-11-21T14:30:00Z",
                "2025/11/21 09:30:00 [error] 1#1: nginx | iso | 2025-11-21T08:30:00Z",
                "<34>1 2025-11-21T09:30:00.003Z host su - - | iso | 2025-11-21T09:30:00.003Z",
                "{\"time\":\"2025-11-21T09:30:00Z\",\"level\":\"info\"} | iso | 2025-11-21T09:30:00Z",
                "Nov 21 09:30:00 web1 sshd[1]: x | syslog | 2025-11-21T08:30:00Z",
                "<13>Nov  1 09:30:00 web1 x | syslog | 2025-11-01T08:30:00Z",
                "Jan  2 09:30:00 web1 x | syslog | 2026-01-02T08:30:00Z",
                "Feb 29 09:30:00 web1 x | syslog | 2024-02-29T08:30:00Z",
                "[Fri Nov 21 09:30:00.123456 2025] [core:notice] x | syslog | 2025-11-21T08:30:00.123Z",
                "10.0.0.1 - - [21/Nov/2025:09:30:00 +0000] \"GET /\" 200 | clf | 2025-11-21T09:30:00Z",
                "1763717400 started | epoch | 2025-11-21T09:30:00Z",
                "1763717400.5 started | epoch | 2025-11-21T09:30:00.500Z",
                "[1763717400123] started | epoch | 2025-11-21T09:30:00.123Z",
                "type=SYSCALL msg=audit(1763717400.123:456): x | epoch | 2025-11-21T09:30:00.123Z",
                "{\"level\":\"info\",\"ts\":1763717400.25,\"msg\":\"x\"} | epoch | 2025-11-21T09:30:00.250Z",
                "level=info ts=1763717400.25 msg=x | epoch | 2025-11-21T09:30:00.250Z",
                "1763717400123456 started | epoch | 2025-11-21T09:30:00.123Z",
                "1763717400123456789 started | epoch | 2025-11-21T09:30:00.123Z",
                "{\"__REALTIME_TIMESTAMP\":\"1763717400123456\"} | epoch | 2025-11-21T09:30:00.123Z",
                "{\"log\":\"1999-01-01 00:00:00 x\\n\",\"time\":\"2025-11-21T09:30:00.5Z\"}"
                        + " | iso | 2025-11-21T09:30:00.500Z",
                "{\"log\":\"{\\\"time\\\":\\\"1999-01-01T00:00:00Z\\\"\",\"time\":\"2025-11-21T09:30:00Z\"}"
                        + " | iso | 2025-11-21T09:30:00Z",
                "{\"t\":{\"$date\":\"2025-11-21T09:30:00.003+00:00\"},\"s\":\"I\"} | iso | 2025-11-21T09:30:00.003Z",
                "2025-11-21 09:30:00.123 UTC [77] LOG: x | iso | 2025-11-21T09:30:00.123Z",
                "2025-11-21 09:30:00 CET [77] LOG: x | iso | 2025-11-21T08:30:00Z",
                "2025-11-21 09:30:00 ESTIMATED x | iso | 2025-11-21T08:30:00Z",
                "2025-11-21T09:30Z x | iso | 2025-11-21T09:30:00Z",
                "I1121 09:30:00.123456 1 x.go:1] x | klog | 2025-11-21T08:30:00.123Z",
                "1:M 21 Nov 2025 09:30:00.123 * Ready | clf | 2025-11-21T08:30:00.123Z",
                "21-Nov-2025 09:30:00.123 INFO [main] x | clf | 2025-11-21T08:30:00.123Z",
                "Nov 21, 2025 9:30:00 PM org.example.Main x | syslog | 2025-11-21T20:30:00Z",
                "Fri Nov 21 09:30:00 UTC 2025 x | syslog | 2025-11-21T09:30:00Z"
            })
    void findsOutHowTimesAreWritten(String line, String name, String instant) {
        LineTimeFormat format = LineTimeFormat.guess((line + "\n").getBytes(StandardCharsets.UTF_8));
        assertThat(format).hasToString(name);
        assertThat(Instant.ofEpochMilli(time(format, line))).isEqualTo(Instant.parse(instant));
        assertThat(LineTimeFormat.of(name)).isSameAs(format);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "no time", "  at io.chagres.Main(Main.java:12)", "12345678901234567 bytes", "10:30 soon"})
    void takesNothingElseForATime(String line) {
        assertThat(LineTimeFormat.guess(line.getBytes(StandardCharsets.UTF_8))).isNull();
    }

    /** A time that is talked about stands behind the one of the line, or on fewer lines. */
    @Test
    void takesWhatMostLinesHaveAndWhatStandsFirst() {
        String text = "Nov 21 09:30:00 web1 job[1]: next run at 2025-12-01 00:00:00\n"
                + "Nov 21 09:30:01 web1 job[1]: next run at 2025-12-01 00:00:00\n";
        assertThat(LineTimeFormat.guess(text.getBytes(StandardCharsets.UTF_8))).hasToString("syslog");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "%d.%m.%Y %H:%M:%S | 21.11.2025 09:30:00 x | 2025-11-21T08:30:00Z",
                "%m/%d/%y %I:%M %p | 11/21/25 09:30 PM x | 2025-11-21T20:30:00Z",
                "I%m%d %H:%M:%S.%f | I1121 09:30:00.123456 1 x.go:1] x | 2025-11-21T08:30:00.123Z",
                "%F %T %z | 2025-11-21 09:30:00 +0000 x | 2025-11-21T09:30:00Z",
                "time=%s | level=info time=1763717400 | 2025-11-21T09:30:00Z"
            })
    void readsWhatSomebodyNames(String format, String line, String instant) {
        assertThat(Instant.ofEpochMilli(time(LineTimeFormat.of(format), line))).isEqualTo(Instant.parse(instant));
    }

    @ParameterizedTest
    @ValueSource(strings = {"%Q", "%H:%M", "rfc3164", "%d %d %m %H:%M", "%"})
    void refusesWhatIsNoTime(String format) {
        assertThatThrownBy(() -> LineTimeFormat.of(format)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void takesDigitsOfNoDayForNoTime() {
        assertThat(time(LineTimeFormat.of("iso"), "2025-02-31 09:30:00 x")).isEqualTo(NONE);
        assertThat(time(LineTimeFormat.of("iso"), "2025-02-28 25:30:00 x")).isEqualTo(NONE);
    }

    private static List<String> all(String line, long earliestMs) {
        return Arrays.stream(LineTimeFormat.of(line.startsWith("20") ? "iso" : "syslog")
                        .timesMs(line, clock(earliestMs)))
                .mapToObj(time -> Instant.ofEpochMilli(time).toString())
                .toList();
    }

    /** A clock that is put back shows an hour twice, and one that is put forward leaves one out. */
    @Test
    void meansBothHoursWhereOneIsThereTwice() {
        assertThat(all("2025-10-26 02:30:00 x", LATEST))
                .containsExactly("2025-10-26T00:30:00Z", "2025-10-26T01:30:00Z");
        assertThat(all("2025-03-30 02:30:00 x", LATEST))
                .containsExactly("2025-03-30T01:30:00Z", "2025-03-30T00:30:00Z");
        assertThat(all("2025-10-26 02:30:00+01:00 x", LATEST)).containsExactly("2025-10-26T01:30:00Z");
    }

    @Test
    void meansEachYearOfALongFile() {
        assertThat(all("Nov 21 09:30:00 x", ms("2023-11-22T00:00:00Z")))
                .containsExactly("2025-11-21T08:30:00Z", "2024-11-21T08:30:00Z", "2023-11-21T08:30:00Z");
        assertThat(all("Nov 21 09:30:00 x", ms("2025-12-31T00:00:00Z"))).containsExactly("2025-11-21T08:30:00Z");
    }
}
