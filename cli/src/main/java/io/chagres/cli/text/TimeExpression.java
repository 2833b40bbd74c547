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
import java.util.function.Function;

/** Reads the times that {@code --at}, {@code --since} and {@code --until} take. Immutable. */
public final class TimeExpression {
    private final InstantSource clock;
    private final ZoneId zone;
    private final List<Function<String, Instant>> forms =
            List.of(this::instant, this::local, this::date, this::timeOfDay, this::epoch, this::ago);

    /** Makes a reader of times, which may be without a zone or as long ago as from the clock. */
    public TimeExpression(InstantSource clock, ZoneId zone) {
        this.clock = clock;
        this.zone = zone;
    }

    /**
     * Parses {@code now}, an ISO instant or local date and time, a date (its midnight), {@code HH:MM[:SS]} (the last
     * one that has been), {@code 10m} or {@code 10m ago}, or {@code @seconds} since 1970.
     *
     * @throws IllegalArgumentException naming the accepted forms
     */
    public Instant parse(String text) {
        String trimmed = text.strip();
        if (trimmed.equals("now")) {
            return clock.instant();
        }
        for (Function<String, Instant> form : forms) {
            try {
                return form.apply(trimmed);
            } catch (DateTimeException | IllegalArgumentException e) {
                continue; // the next form may fit
            }
        }
        throw new IllegalArgumentException("'" + text + "' is not a time; write for example 2026-11-21T09:30,"
                + " 2026-11-21T09:30:00Z, 09:30, '10m ago' or @1795253400");
    }

    private Instant instant(String text) {
        return OffsetDateTime.parse(text.replaceFirst(" ", "T")).toInstant();
    }

    private Instant local(String text) {
        return LocalDateTime.parse(text.replaceFirst(" ", "T")).atZone(zone).toInstant();
    }

    private Instant date(String text) {
        return LocalDate.parse(text).atStartOfDay(zone).toInstant();
    }

    private Instant timeOfDay(String text) {
        ZonedDateTime now = clock.instant().atZone(zone);
        ZonedDateTime today = now.toLocalDate().atTime(LocalTime.parse(text)).atZone(zone);
        return (today.isAfter(now) ? today.minusDays(1) : today).toInstant();
    }

    private Instant epoch(String text) {
        if (!text.startsWith("@")) {
            throw new IllegalArgumentException("no epoch");
        }
        BigDecimal seconds = new BigDecimal(text.substring(1));
        return Instant.ofEpochMilli(seconds.movePointRight(3).longValue());
    }

    private Instant ago(String text) {
        String duration = text.endsWith("ago") ? text.substring(0, text.length() - 3) : text;
        Duration back = Durations.parse(duration.replace(" ", ""));
        return clock.instant().minus(back);
    }
}
