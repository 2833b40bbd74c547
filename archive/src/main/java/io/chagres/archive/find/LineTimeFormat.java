package io.chagres.archive.find;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the lines of a file say when they were written: one of the common forms, or one that somebody gave as strftime(3)
 * names it. Immutable.
 */
public final class LineTimeFormat {
    /** Says that a line has no time. */
    public static final long NONE = Long.MIN_VALUE;

    /** A time begins and ends within this number of bytes of its line. */
    public static final int HEAD_BYTES = 256;

    private static final int GUESSED_LINES = 200;
    private static final long MS_PER_S = 1000;
    private static final long MS_PER_DAY = 86_400_000;
    private static final int CENTURY = 100;
    /** Two digits of a year from here on are of the last century, as in POSIX. */
    private static final int PIVOT = 69;

    private static final int HALF_DAY = 12;
    private static final int LAST_SECOND = 59;
    /** The 29th of February is there again within as many years. */
    private static final int LEAP_YEARS = 9;

    private static final String MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";
    private static final List<String> MONTH_NAMES = List.of(MONTHS.split("\\|"));
    private static final String ZONE = "(?<z>Z|[+-]\\d{2}:?\\d{2})(?!\\d)";
    private static final String CLOCK = "(?<H>\\d{2}):(?<M>\\d{2}):(?<S>\\d{2})";
    private static final String FRACTION = "(?:[.,](?<f>\\d{1,9}))?";

    /** The meaning of the letters of strftime(3). */
    private static final Map<Character, String> FIELDS = Map.ofEntries(
            Map.entry('Y', "(?<Y>\\d{4})"),
            Map.entry('y', "(?<y>\\d{2})"),
            Map.entry('m', "(?<m>\\d{1,2})"),
            Map.entry('d', "\\s?(?<d>\\d{1,2})"),
            Map.entry('e', "\\s?(?<d>\\d{1,2})"),
            Map.entry('b', "(?<b>" + MONTHS + ")"),
            Map.entry('h', "(?<b>" + MONTHS + ")"),
            Map.entry('B', "(?<b>" + MONTHS + ")[a-z]*"),
            Map.entry('a', "[A-Za-z]{3}"),
            Map.entry('A', "[A-Za-z]+"),
            Map.entry('H', "(?<H>\\d{1,2})"),
            Map.entry('I', "(?<H>\\d{1,2})"),
            Map.entry('p', "(?<p>[AaPp][Mm])"),
            Map.entry('M', "(?<M>\\d{2})"),
            Map.entry('S', "(?<S>\\d{2})"),
            Map.entry('f', "(?<f>\\d{1,9})"),
            Map.entry('N', "(?<f>\\d{1,9})"),
            Map.entry('L', "(?<f>\\d{1,9})"),
            Map.entry('z', ZONE),
            Map.entry('s', "(?<s>\\d{1,12})"),
            Map.entry('%', "%"));

    /** Letters that stand for several others. */
    private static final Map<Character, String> SHORT =
            Map.of('T', "%H:%M:%S", 'F', "%Y-%m-%d", 'D', "%m/%d/%y", 'R', "%H:%M");

    private static final LineTimeFormat ISO = new LineTimeFormat(
            "iso",
            "(?<!\\d)(?<Y>\\d{4})[-/](?<m>\\d{2})[-/](?<d>\\d{2})[T ]" + CLOCK + FRACTION + "(?: ?" + ZONE + ")?");
    private static final LineTimeFormat CLF = new LineTimeFormat(
            "clf", "(?<!\\d)(?<d>\\d{2})/(?<b>" + MONTHS + ")/(?<Y>\\d{4}):" + CLOCK + FRACTION + " " + ZONE);
    private static final LineTimeFormat SYSLOG = new LineTimeFormat(
            "syslog",
            "(?<![A-Za-z])(?<b>" + MONTHS + ") {1,2}(?<d>\\d{1,2}) " + CLOCK + FRACTION + "(?: (?<Y>\\d{4})(?!\\d))?");
    private static final LineTimeFormat EPOCH = new LineTimeFormat(
            "epoch",
            "(?:^\\W{0,2}|audit\\(|\"(?:ts|time|timestamp|@timestamp)\" ?: ?\"?)" + "(?:(?<n>\\d{13})|(?<s>\\d{10})"
                    + FRACTION + ")(?!\\d)");

    private static final List<LineTimeFormat> COMMON = List.of(ISO, CLF, SYSLOG, EPOCH);

    private final String name;
    private final Pattern pattern;
    private final Map<String, Integer> groups;

    private LineTimeFormat(String name, String pattern) {
        this.name = name;
        this.pattern = Pattern.compile(pattern);
        groups = this.pattern.namedGroups();
    }

    /** Returns its name, or as it was given. */
    @Override
    public String toString() {
        return name;
    }

    /**
     * Returns a form that somebody names: iso, clf, syslog, epoch, or letters of strftime(3) such as
     * {@code %d.%m.%Y %H:%M:%S}.
     *
     * @throws IllegalArgumentException saying what it lacks
     */
    public static LineTimeFormat of(String text) {
        for (LineTimeFormat each : COMMON) {
            if (each.name.equals(text)) {
                return each;
            }
        }
        String fields = expand(text);
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < fields.length(); i++) {
            char c = fields.charAt(i);
            if (c == ' ') {
                regex.append("\\s+");
            } else if (c != '%') {
                regex.append(Pattern.quote(String.valueOf(c)));
            } else {
                char letter = ++i < fields.length() ? fields.charAt(i) : ' ';
                String field = FIELDS.get(letter);
                if (field == null) {
                    throw new IllegalArgumentException("%" + letter + " is no part of a time that is known here; there"
                            + " are %Y %y %m %b %d %e %H %I %p %M %S %f %z %s %T %F %D %R");
                }
                regex.append(field);
            }
        }
        String all = regex.toString();
        boolean isDay = all.contains("(?<d>") && (all.contains("(?<m>") || all.contains("(?<b>"));
        if (!all.contains("(?<s>") && !(isDay && all.contains("(?<H>") && all.contains("(?<M>"))) {
            throw new IllegalArgumentException("'" + text + "' is neither iso, clf, syslog nor epoch, nor does it have"
                    + " a day and an hour, as '%d.%m.%Y %H:%M:%S' does");
        }
        try {
            return new LineTimeFormat(text, all);
        } catch (IllegalArgumentException e) { // of a group that is there twice
            throw new IllegalArgumentException("'" + text + "' has a part of a time twice", e);
        }
    }

    private static String expand(String text) {
        String fields = text;
        for (Map.Entry<Character, String> each : SHORT.entrySet()) {
            fields = fields.replace("%" + each.getKey(), each.getValue());
        }
        return fields;
    }

    /**
     * Returns the common form that most of the first lines have, or of those behind them if none has any, and of forms
     * that are in as many the one that stands first; null when no line has any.
     *
     * @param text begins where a line does
     */
    public static @Nullable LineTimeFormat guess(byte[] text) {
        String[] lines = new String(text, StandardCharsets.ISO_8859_1).split("\n", -1);
        LineTimeFormat best = null;
        for (int from = 0; best == null && from < lines.length; from += GUESSED_LINES) {
            best = guess(lines, from, Math.min(lines.length, from + GUESSED_LINES));
        }
        return best;
    }

    private static @Nullable LineTimeFormat guess(String[] lines, int from, int to) {
        LineTimeFormat best = null;
        long most = 0;
        for (LineTimeFormat each : COMMON) {
            long score = 0;
            for (int i = from; i < to; i++) {
                Matcher matcher = each.pattern.matcher(head(lines[i]));
                score += matcher.find() ? HEAD_BYTES + HEAD_BYTES - matcher.start() : 0;
            }
            if (score > most) {
                most = score;
                best = each;
            }
        }
        return best;
    }

    private static String head(String line) {
        return line.length() <= HEAD_BYTES ? line : line.substring(0, HEAD_BYTES);
    }

    /**
     * Returns when a line says that it was written, in milliseconds since 1970; {@link #NONE} when it does not say so.
     *
     * @param line its first bytes, a character for each
     * @param zone of a time that names none
     * @param latestMs of a time that names no year: it is of the last year in which it is not after this, by more than
     *     a day
     */
    public long timeMs(CharSequence line, ZoneId zone, long latestMs) {
        Matcher found = pattern.matcher(line);
        if (!found.find()) {
            return NONE;
        }
        try {
            String ms = group(found, "n");
            if (ms != null) {
                return Long.parseLong(ms);
            }
            String fraction = group(found, "f");
            long rest = fraction == null ? 0 : Long.parseLong((fraction + "00").substring(0, 3));
            String seconds = group(found, "s");
            long whole = seconds != null ? Long.parseLong(seconds) * MS_PER_S : calendar(found, zone, latestMs);
            return whole == NONE ? NONE : whole + rest;
        } catch (DateTimeException e) {
            return NONE; // the 31st of February: digits that are no time
        }
    }

    private long calendar(Matcher found, ZoneId zone, long latestMs) {
        String zoned = group(found, "z");
        ZoneId of = zoned == null ? zone : ZoneOffset.of(zoned);
        String month = group(found, "b");
        MonthDay day =
                MonthDay.of(month == null ? number(found, "m") : MONTH_NAMES.indexOf(month) + 1, number(found, "d"));
        int year = year(found);
        if (year >= 0) {
            return atMs(found, day, year, of);
        }
        long limitMs = latestMs + MS_PER_DAY;
        int last = Instant.ofEpochMilli(limitMs).atZone(of).getYear();
        for (int each = last; each > last - LEAP_YEARS; each--) {
            if (day.isValidYear(each) && atMs(found, day, each, of) <= limitMs) {
                return atMs(found, day, each, of);
            }
        }
        return NONE;
    }

    private long atMs(Matcher found, MonthDay day, int year, ZoneId zone) {
        int second = Math.min(LAST_SECOND, number(found, "S")); // 60 is a leap second
        LocalTime time = LocalTime.of(hour(found), number(found, "M"), second);
        LocalDate date = LocalDate.of(year, day.getMonth(), day.getDayOfMonth());
        return date.atTime(time).atZone(zone).toEpochSecond() * MS_PER_S;
    }

    private int hour(Matcher found) {
        int hour = number(found, "H");
        String half = group(found, "p");
        return half == null
                ? hour
                : hour % HALF_DAY + (half.toLowerCase(Locale.ROOT).equals("pm") ? HALF_DAY : 0);
    }

    private int year(Matcher found) {
        String whole = group(found, "Y");
        String two = group(found, "y");
        if (whole == null && two == null) {
            return -1;
        }
        int year = Integer.parseInt(whole == null ? two : whole);
        return whole != null ? year : year + (year < PIVOT ? 20 : 19) * CENTURY;
    }

    private int number(Matcher found, String name) {
        String digits = group(found, name);
        return digits == null ? 0 : Integer.parseInt(digits);
    }

    private @Nullable String group(Matcher found, String name) {
        Integer at = groups.get(name);
        return at == null ? null : found.group(at);
    }
}
