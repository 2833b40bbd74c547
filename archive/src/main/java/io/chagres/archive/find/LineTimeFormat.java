package io.chagres.archive.find;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * How the lines of a file say when they were written: one of the common forms, or one that somebody gave as strftime(3)
 * names it. Where digits may mean several moments, each of them counts: what is asked for is not missed. Immutable.
 */
public final class LineTimeFormat {
    /** The meaning of a line for a window of time. */
    enum Answer {
        /** It has no time. */
        NONE,
        /** Its time lies outside. */
        OUTSIDE,
        /** Its time lies within, or one that it may mean. */
        INSIDE
    }

    /** A time begins and ends within this number of bytes of its line; in a line of JSON also of its end. */
    public static final int HEAD_BYTES = 256;

    private static final int GUESSED_LINES = 200;
    /** Each common form has as many. */
    private static final int LEAST_DIGITS = 6;

    private static final long[] NO_TIME = {};
    private static final long MS_PER_S = 1000;
    private static final long MS_PER_DAY = 86_400_000;
    /** What of digits since 1970 says milliseconds; microseconds and nanoseconds have more. */
    private static final int MS_DIGITS = 13;

    private static final int CENTURY = 100;
    /** Two digits of a year from here on are of the last century, as in POSIX. */
    private static final int PIVOT = 69;

    private static final int HALF_DAY = 12;
    private static final int LAST_SECOND = 59;
    /** The 29th of February is there again within as many years. */
    private static final int LEAP_YEARS = 9;

    private static final String MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";
    private static final List<String> MONTH_NAMES = List.of(MONTHS.split("\\|"));
    /** Zones that programs write by a name, by their hours from Greenwich. */
    private static final Map<String, Integer> ZONES = Map.ofEntries(
            Map.entry("UTC", 0),
            Map.entry("GMT", 0),
            Map.entry("BST", 1),
            Map.entry("CET", 1),
            Map.entry("CEST", 2),
            Map.entry("JST", 9),
            Map.entry("EST", -5),
            Map.entry("EDT", -4),
            Map.entry("CST", -6),
            Map.entry("CDT", -5),
            Map.entry("MST", -7),
            Map.entry("MDT", -6),
            Map.entry("PST", -8),
            Map.entry("PDT", -7));

    private static final String ZONE =
            "(?<z>(?:Z|" + String.join("|", ZONES.keySet()) + ")(?![A-Za-z])|[+-]\\d{2}:?\\d{2}(?!\\d))";
    private static final String CLOCK = "(?<H>\\d{1,2}):(?<M>\\d{2}):(?<S>\\d{2})";
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
            Map.entry('Z', ZONE),
            Map.entry('s', "(?<s>\\d{1,12})"),
            Map.entry('%', "%"));

    /** Letters that stand for several others. */
    private static final Map<Character, String> SHORT =
            Map.of('T', "%H:%M:%S", 'F', "%Y-%m-%d", 'D', "%m/%d/%y", 'R', "%H:%M");

    private static final LineTimeFormat ISO = new LineTimeFormat(
            "iso",
            "(?<!\\d)(?<Y>\\d{4})[-/](?<m>\\d{2})[-/](?<d>\\d{2})[T ](?<H>\\d{2}):(?<M>\\d{2})(?::(?<S>\\d{2})"
                    + FRACTION + ")?(?: ?" + ZONE + ")?");
    private static final LineTimeFormat CLF = new LineTimeFormat(
            "clf",
            "(?<!\\d)(?<d>\\d{1,2})[-/ ](?<b>" + MONTHS + ")[-/ ](?<Y>\\d{4})[: ]" + CLOCK + FRACTION + "(?: " + ZONE
                    + ")?");
    private static final LineTimeFormat SYSLOG = new LineTimeFormat(
            "syslog",
            "(?<![A-Za-z])(?<b>" + MONTHS + ") {1,2}(?<d>\\d{1,2})(?:, (?<Y>\\d{4}),?)? " + CLOCK + FRACTION
                    + "(?: (?<p>[AP]M))?(?: " + ZONE + ")?(?: (?<U>\\d{4})(?!\\d))?");
    private static final LineTimeFormat KLOG = new LineTimeFormat(
            "klog", "^[IWEF](?<m>\\d{2})(?<d>\\d{2}) (?<H>\\d{2}):(?<M>\\d{2}):(?<S>\\d{2})\\.(?<f>\\d{1,9})");
    private static final LineTimeFormat EPOCH = new LineTimeFormat(
            "epoch",
            "(?:^\\W{0,2}|audit\\(|\\b(?:ts|time|timestamp)(?:=|\" ?: ?\"?))"
                    + "(?:(?<n>\\d{19}|\\d{16}|\\d{13})|(?<s>\\d{10})" + FRACTION + ")(?!\\d)");

    private static final List<LineTimeFormat> COMMON = List.of(ISO, CLF, SYSLOG, KLOG, EPOCH);

    /** The names under which a line of JSON has its own time; other times in it are talked about. */
    private static final Pattern KEY = Pattern.compile("(?<!\\\\)\"(?:@?timestamp|_?time|ts|t|date|datetime|eventTime|"
            + "asctime|timeMillis|epochSecond|__REALTIME_TIMESTAMP)\" ?: ?(?:\\{\"\\$date\" ?: ?)?\"?");

    /** A line that has a time of its own begins with it, but for signs and words such as INFO. */
    private static final Pattern LEAD = Pattern.compile("(?!\\s)[^a-z]*");

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
     * Returns a form that somebody names: iso, clf, syslog, klog, epoch, or letters of strftime(3) such as
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
            throw new IllegalArgumentException(
                    "'" + text + "' is neither iso, clf, syslog, klog nor epoch, nor does it have"
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
                String head = head(lines[i]);
                Matcher found = mayHaveTime(head) ? each.find(head) : null;
                score += found == null ? 0 : HEAD_BYTES + HEAD_BYTES - found.start();
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

    private static boolean mayHaveTime(String line) {
        int digits = 0;
        for (int i = 0; i < line.length() && digits < LEAST_DIGITS; i++) {
            char c = line.charAt(i);
            digits += c >= '0' && c <= '9' ? 1 : 0;
        }
        return digits == LEAST_DIGITS;
    }

    private @Nullable Matcher find(String line) {
        Matcher found = pattern.matcher(line);
        Matcher key = KEY.matcher(line);
        for (boolean isJson = line.startsWith("{"); isJson && key.find(); ) {
            if (found.region(key.end(), line.length()).lookingAt()) {
                return found;
            }
        }
        found.reset();
        return found.find() ? found : null;
    }

    /**
     * Says whether a line is of a window.
     *
     * @param line its first bytes, a character for each; of a line of JSON also its last ones
     */
    Answer ask(String line, LineClock clock) {
        Matcher found = find(line);
        return found == null || isTalkedAbout(line, found.start()) ? Answer.NONE : answer(found, clock);
    }

    /** A line that is indented belongs to another, as those of a stack trace do, unless it begins with a time. */
    private static boolean isTalkedAbout(String line, int start) {
        return Character.isWhitespace(line.charAt(0))
                && !line.substring(0, start).isBlank();
    }

    private Answer answer(Matcher found, LineClock clock) {
        Answer answer = Answer.NONE;
        for (long time : times(found, clock)) {
            answer = clock.holds(time) ? Answer.INSIDE : answer == Answer.NONE ? Answer.OUTSIDE : answer;
        }
        return answer;
    }

    /**
     * Asks all common forms: a file may have lines of several programs. A time counts where the line begins with it;
     * where it is talked about, it does not.
     */
    static Answer askAny(String line, LineClock clock) {
        if (mayHaveTime(line)) {
            for (LineTimeFormat each : COMMON) {
                Matcher found = each.find(line);
                boolean isOwn = found != null
                        && (each == CLF
                                || LEAD.matcher(line.substring(0, found.start()))
                                        .matches()
                                || line.startsWith("{"));
                Answer answer = found != null && isOwn ? each.answer(found, clock) : Answer.NONE;
                if (answer != Answer.NONE) {
                    return answer;
                }
            }
        }
        return Answer.NONE;
    }

    /**
     * Returns when a line may have been written, in milliseconds since 1970, the likeliest first; empty when it does
     * not say so. A time without a zone is of that of the clock: the hour that is there twice in autumn means both. One
     * without a year is of each year since the file began, and at least of the last one in which it is not after the
     * file's end; a day of both is allowed for.
     *
     * @param line as {@link #ask} takes it
     */
    long[] timesMs(String line, LineClock clock) {
        Matcher found = find(line);
        return found == null ? NO_TIME : times(found, clock);
    }

    private long[] times(Matcher found, LineClock clock) {
        try {
            String number = group(found, "n");
            if (number != null) {
                return new long[] {Long.parseLong(number.substring(0, MS_DIGITS))};
            }
            String fraction = group(found, "f");
            long rest = fraction == null ? 0 : Long.parseLong((fraction + "00").substring(0, 3));
            String seconds = group(found, "s");
            LongStream whole =
                    seconds != null ? LongStream.of(Long.parseLong(seconds) * MS_PER_S) : calendar(found, clock);
            return whole.map(each -> each + rest).toArray();
        } catch (DateTimeException e) {
            return NO_TIME; // the 31st of February: digits that are no time
        }
    }

    private LongStream calendar(Matcher found, LineClock clock) {
        String zoned = group(found, "z");
        Integer named = zoned == null ? null : ZONES.get(zoned);
        ZoneId zone = zoned == null ? clock.zone() : named == null ? ZoneOffset.of(zoned) : ZoneOffset.ofHours(named);
        String month = group(found, "b");
        MonthDay day =
                MonthDay.of(month == null ? number(found, "m") : MONTH_NAMES.indexOf(month) + 1, number(found, "d"));
        int year = year(found);
        if (year >= 0) {
            return atMs(found, day, year, zone);
        }
        long limitMs = clock.latestMs() + MS_PER_DAY;
        int last = Instant.ofEpochMilli(limitMs).atZone(zone).getYear();
        LongStream.Builder times = LongStream.builder();
        boolean any = false;
        for (int each = last; each > last - LEAP_YEARS; each--) {
            for (long time :
                    day.isValidYear(each) ? atMs(found, day, each, zone).toArray() : NO_TIME) {
                if (time <= limitMs && (!any || time >= clock.earliestMs() - MS_PER_DAY)) {
                    times.add(time);
                    any = true;
                }
            }
        }
        return times.build();
    }

    private LongStream atMs(Matcher found, MonthDay day, int year, ZoneId zone) {
        int second = Math.min(LAST_SECOND, number(found, "S")); // 60 is a leap second
        LocalDateTime time = LocalDate.of(year, day.getMonth(), day.getDayOfMonth())
                .atTime(LocalTime.of(hour(found), number(found, "M"), second));
        ZoneOffsetTransition change = zone.getRules().getTransition(time);
        List<ZoneOffset> offsets = change == null
                ? zone.getRules().getValidOffsets(time)
                : List.of(change.getOffsetBefore(), change.getOffsetAfter());
        return offsets.stream().mapToLong(each -> time.toEpochSecond(each) * MS_PER_S);
    }

    private int hour(Matcher found) {
        int hour = number(found, "H");
        String half = group(found, "p");
        return half == null
                ? hour
                : hour % HALF_DAY + (half.toLowerCase(Locale.ROOT).equals("pm") ? HALF_DAY : 0);
    }

    private int year(Matcher found) {
        String first = group(found, "Y");
        String whole = first == null ? group(found, "U") : first;
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
