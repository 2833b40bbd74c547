package io.chagres.archive.find;

import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * Which lines of a file are wanted, by the times in them. Immutable.
 *
 * @param format how they are written; null to find out
 * @param sinceMs the first time, milliseconds since 1970; {@link Long#MIN_VALUE} for any
 * @param untilMs the last time; {@link Long#MAX_VALUE} for any
 * @param zone of times that name none
 * @param earliestMs when the file began, for times that name no year
 * @param latestMs when the file changed last, for times that name no year
 */
public record LineClock(
        @Nullable LineTimeFormat format, long sinceMs, long untilMs, ZoneId zone, long earliestMs, long latestMs) {
    boolean holds(long timeMs) {
        return timeMs >= sinceMs && timeMs <= untilMs;
    }
}
