package io.chagres.cli.text;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the times that {@code --at}, {@code --since} and {@code --until} take. Immutable. */
public final class TimeExpression {
    private static final Pattern ZONED = Pattern.compile("(.*\\d) ?\\[?([A-Za-z][\\w/+-]*|[+-]\\d\\d:?\\d\\d)]?");

    private static final Pattern EPOCH = Pattern.compile("@-?\\d+(\\.\\d+)?");

    private final InstantSource clock;
    /** The year 5138; a number of milliseconds is more. */
    private static final BigDecimal MAX_SECONDS = BigDecimal.TEN.pow(11);

    private final ZoneId zone;
    private final List<Function<String, Instant>> forms =
            List.of(this::instant, this::inZone, this::local, this::date, this::timeOfDay, this::epoch, this::ago);

    /** Makes a reader of times, which may be without a zone or as long ago as from the clock. */
    public TimeExpression(InstantSource clock, ZoneId zone) {
        this.clock = clock;
        this.zone = zone;
    }

    /**
     * Parses {@code now}, an ISO instant or local date and time, a date (its midnight), {@code HH:MM[:SS]} (the last
     * one that has been), {@code 10m} or {@code 10m ago}, or {@code @seconds} since 1970. A date, a date and time or a
     * time of day may have a zone behind it: {@code +02:00}, {@code Z}, or the name of a region after a blank or in
     * brackets.
     *
     * @throws IllegalArgumentException naming the accepted forms
     */
    public Instant parse(String text) {
        String trimmed = text.strip();
        if (trimmed.equals("now")) {
            return clock.instant();
        }
        return first(trimmed, forms)
                .orElseThrow(() -> new IllegalArgumentException("'" + text + "' is not a time; write for example"
                        + " 2026-11-21T09:30, 2026-11-21T09:30Z, '2026-11-21 09:30 Europe/Berlin', 09:30+01:00,"
                        + " '10m ago' or @1795253400 (seconds)"));
    }

    private static Optional<Instant> first(String text, List<Function<String, Instant>> forms) {
        for (Function<String, Instant> form : forms) {
            try {
                return Optional.of(form.apply(text));
            } catch (DateTimeException | IllegalArgumentException e) {
                // the next form may fit
            }
        }
        return Optional.empty();
    }

    private Instant instant(String text) {
        return OffsetDateTime.parse(text.replaceFirst(" ", "T")).toInstant();
    }

    /** A time in the zone behind it. */
    private Instant inZone(String text) {
        Matcher parts = ZONED.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("no zone");
        }
        TimeExpression there = new TimeExpression(clock, ZoneId.of(parts.group(2)));
        return first(parts.group(1), List.of(there::local, there::date, there::timeOfDay))
                .orElseThrow(() -> new IllegalArgumentException("no time"));
    }

    private Instant local(String text) {
        return shownByClocks(LocalDateTime.parse(text.replaceFirst(" ", "T"))).toInstant();
    }

    /** Refuses a time that clocks leave out when they are put forward. */
    private ZonedDateTime shownByClocks(LocalDateTime time) {
        if (zone.getRules().getValidOffsets(time).isEmpty()) {
            throw new IllegalArgumentException("no clock shows it");
        }
        return time.atZone(zone);
    }

    private Instant date(String text) {
        return LocalDate.parse(text).atStartOfDay(zone).toInstant();
    }

    private Instant timeOfDay(String text) {
        ZonedDateTime now = clock.instant().atZone(zone);
        ZonedDateTime today = shownByClocks(now.toLocalDate().atTime(LocalTime.parse(text)));
        return (today.isAfter(now) ? today.minusDays(1) : today).toInstant();
    }

    private Instant epoch(String text) {
        if (!EPOCH.matcher(text).matches()) {
            throw new IllegalArgumentException("no epoch");
        }
        BigDecimal seconds = new BigDecimal(text.substring(1));
        if (seconds.abs().compareTo(MAX_SECONDS) > 0) {
            throw new IllegalArgumentException("milliseconds");
        }
        return Instant.ofEpochMilli(seconds.movePointRight(3).longValue());
    }

    private Instant ago(String text) {
        String duration = text.endsWith("ago") ? text.substring(0, text.length() - 3) : text;
        Duration back = Durations.parse(duration.replace(" ", ""));
        return clock.instant().minus(back);
    }
}
