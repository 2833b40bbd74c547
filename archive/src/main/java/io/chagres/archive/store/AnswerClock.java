package io.chagres.archive.store;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The clock of a server by the {@code Date} of its answers, whole seconds; between two answers the monotonic clock here
 * continues it. Safe for any thread.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#name-date">RFC 9110, 6.6.1</a>
 */
public final class AnswerClock {
    private volatile @Nullable Heard heard;

    private record Heard(long timeMs, long atNs) {}

    /** Makes a clock that has heard nothing. */
    public AnswerClock() {}

    /** Takes the {@code Date} of an answer, or null if it has none; what is no date is passed over. */
    public void hear(@Nullable String date) {
        if (date == null) {
            return;
        }
        try {
            ZonedDateTime said = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME);
            heard = new Heard(said.toInstant().toEpochMilli(), System.nanoTime());
        } catch (DateTimeException e) {
            // as if it had said none
        }
    }

    /** Returns {@link BlobStore#nowMs} of a store, which it asks for an object if it has not answered yet. */
    public long nowMs(BlobStore store) throws IOException {
        if (heard == null) {
            try {
                store.size(ConditionProbe.KEY);
            } catch (StoreException e) {
                if (heard == null) { // a refusal says the time too
                    throw e;
                }
            }
        }
        Heard last = heard;
        return last == null
                ? Long.MIN_VALUE
                : last.timeMs + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - last.atNs);
    }
}
