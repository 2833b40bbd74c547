package io.chagres.cli.text;

import java.time.DateTimeException;
import java.time.LocalTime;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a rate, and when it counts: {@code 10MiB} at any time, {@code 08:00-18:00 10MiB} between two times of the day,
 * also across midnight. A value of this type is an option's argument. Immutable.
 *
 * @param from when it begins to count; null for at any time
 * @param to when it counts no longer; null for at any time
 * @param bytesPerSecond at least 1
 */
public record TimedRate(@Nullable LocalTime from, @Nullable LocalTime to, long bytesPerSecond) {
    private static final Pattern TIMED = Pattern.compile("(\\d\\d:\\d\\d)-(\\d\\d:\\d\\d)\\s+(.*)");

    /**
     * Parses one.
     *
     * @throws IllegalArgumentException naming the accepted forms
     */
    public static TimedRate parse(String text) {
        Matcher timed = TIMED.matcher(text);
        try {
            LocalTime from = timed.matches() ? LocalTime.parse(timed.group(1)) : null;
            LocalTime to = timed.matches() ? LocalTime.parse(timed.group(2)) : null;
            long bytes = ByteSize.parse(timed.matches() ? timed.group(3) : text).bytes();
            if (bytes >= 1 && (from == null || !from.equals(to))) {
                return new TimedRate(from, to, bytes);
            }
        } catch (DateTimeException | IllegalArgumentException e) {
            // said below
        }
        throw new IllegalArgumentException("'" + text
                + "' is no rate; write for example 10MiB, which is bytes a second and at least 1, or"
                + " '08:00-18:00 10MiB'");
    }

    private boolean countsAt(LocalTime time) {
        if (from == null || to == null) {
            return false;
        }
        boolean begun = !time.isBefore(from);
        boolean over = !time.isBefore(to);
        return from.isBefore(to) ? begun && !over : begun || !over;
    }

    /**
     * Returns the bytes a second that count at a time of the day: those of the first time of the day that holds it,
     * else those that count at any time.
     *
     * @return at least 1; 0 for no limit
     */
    public static long at(List<TimedRate> rates, LocalTime time) {
        TimedRate anyTime = null;
        for (TimedRate each : rates) {
            if (each.countsAt(time)) {
                return each.bytesPerSecond;
            }
            anyTime = each.from == null ? each : anyTime;
        }
        return anyTime == null ? 0 : anyTime.bytesPerSecond;
    }
}
