package io.chagres.cli.text;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and prints the durations of the command line, such as {@code 100ms}, {@code 25s} or {@code 1h30m}. */
public final class Durations {
    private static final Pattern PART = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|s|m|h|d)");

    private Durations() {}

    /**
     * Parses one or more numbers with units: {@code ms}, {@code s}, {@code m}, {@code h}, {@code d}.
     *
     * @throws IllegalArgumentException naming the accepted forms
     */
    public static Duration parse(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        Matcher part = PART.matcher(text);
        double totalMs = 0;
        int end = 0;
        while (part.find() && part.start() == end) {
            totalMs += Double.parseDouble(part.group(1)) * unitMs(part.group(2));
            end = part.end();
        }
        if (end == 0 || end != text.length() || totalMs > Long.MAX_VALUE / 2.0) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a duration; write for example 100ms, 1s, 5m, 2h or 1d");
        }
        return Duration.ofMillis(Math.round(totalMs));
    }

    /** Returns seconds with one digit below a minute ({@code 0.0 s}), then {@code 3 m 20 s}, {@code 2 h 5 m}, ... */
    public static String format(long ms) {
        if (ms < 60_000) {
            return String.format(Locale.ROOT, "%.1f s", Math.floorDiv(ms, 100) / 10.0);
        }
        long seconds = ms / 1000;
        if (seconds < 3600) {
            return seconds / 60 + " m " + seconds % 60 + " s";
        }
        long minutes = seconds / 60;
        if (minutes < 48 * 60) {
            return minutes / 60 + " h " + minutes % 60 + " m";
        }
        return minutes / (24 * 60) + " d";
    }

    private static long unitMs(String unit) {
        return switch (unit) {
            case "ms" -> 1;
            case "s" -> 1000;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            default -> 86_400_000;
        };
    }
}
