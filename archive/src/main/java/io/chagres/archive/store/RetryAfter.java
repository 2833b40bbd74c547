package io.chagres.archive.store;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * Reads how long a server wants to be left alone. Stateless.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#name-retry-after">RFC 9110, 10.2.3</a>
 */
public final class RetryAfter {
    /** Nobody waits for longer than ten minutes, in milliseconds, whatever a server says. */
    public static final long LONGEST_MS = 600_000;

    private static final long MS_PER_SECOND = 1000;

    private RetryAfter() {}

    /**
     * Returns the time in milliseconds, 0 to {@link #LONGEST_MS}; 0 where nothing is said that can be read.
     *
     * @param text the value of {@code Retry-After}: seconds, or a date
     * @param date the value of {@code Date} in the same answer, so that the clock here does not count
     */
    public static long ms(@Nullable String text, @Nullable String date) {
        if (text == null) {
            return 0;
        }
        String said = text.strip();
        try {
            long ms = said.matches("\\d{1,9}")
                    ? Long.parseLong(said) * MS_PER_SECOND
                    : date == null
                            ? 0
                            : Duration.between(time(date), time(said)).toMillis();
            return Math.clamp(ms, 0, LONGEST_MS);
        } catch (DateTimeException | ArithmeticException e) {
            return 0;
        }
    }

    private static ZonedDateTime time(String date) {
        return ZonedDateTime.parse(date.strip(), DateTimeFormatter.RFC_1123_DATE_TIME);
    }
}
