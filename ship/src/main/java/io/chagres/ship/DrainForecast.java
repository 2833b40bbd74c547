package io.chagres.ship;

import java.util.Arrays;

/**
 * The outcome of a drain that would begin now, forecast from rates that were measured while files were shipped. A
 * number that depends on something not measured is unknown, never good. Immutable.
 *
 * @param bytes bytes at risk that a drain would ship; -1 for unknown
 * @param stuckBytes bytes at risk that none can ship: they are lost, or cannot be read
 * @param unverifiedBytes bytes that a drain would compare
 * @param scanMs how long the last scan of everything took, in milliseconds; -1 before the first one is over
 * @param commitMs the slowest of the last commits, in milliseconds; -1 before the first
 * @param commitBytes the most bytes of files that one of these commits held
 * @param rate bytes that were acknowledged a second while much was under way in the last hour; -1 for unmeasured
 * @param compareRate bytes that were compared a second in the last hour; -1 for unmeasured
 * @param writeRate bytes that files grew by a second in the last minute; -1 for unmeasured
 * @param heardMs how long ago the store was asked last when it answered, in milliseconds
 * @param beyond further bytes at risk, which nobody measures
 * @param trouble why the store takes nothing now; empty while it does
 */
public record DrainForecast(
        long bytes,
        long stuckBytes,
        long unverifiedBytes,
        long scanMs,
        long commitMs,
        long commitBytes,
        long rate,
        long compareRate,
        long writeRate,
        long heardMs,
        Beyond beyond,
        String trouble) {
    /** Bytes at risk that a drain does not make safe. */
    public enum Beyond {
        /** Nothing. */
        NOTHING,
        /** Acknowledged bytes must still be delivered there. */
        KAFKA,
        /** Bytes that an input still brings, and the name, which the file has only at the end of it. */
        INPUT
    }

    /** Nothing is known. */
    static final DrainForecast UNKNOWN = new DrainForecast(-1, 0, 0, -1, -1, 0, -1, -1, -1, 0, Beyond.NOTHING, "");

    private static final int NUMBERS = 10;

    /** The commit that is under way, the one with the rest, and the question whether the store has it. */
    private static final int REQUESTS = 3;

    /** Returns how long a drain would take, in milliseconds; -1 for unknown. */
    public long durationMs() {
        return why().isEmpty() ? scanMs + comparingMs() + shippingMs() + REQUESTS * commitMs : -1;
    }

    /**
     * Returns how many bytes would be at risk if a drain began now and the machine died some time later, those included
     * that are written until then; -1 for unknown.
     *
     * @param withinMs that time in milliseconds
     */
    public long leftBytes(long withinMs) {
        long most = mostBytes(withinMs);
        if (most < 0 || !trouble.isEmpty()) {
            return most;
        }
        if (!why().isEmpty()) {
            return -1;
        }
        long shipping = withinMs - scanMs - (REQUESTS - 1) * commitMs;
        if (shipping < 0) {
            return most;
        }
        long work = bytes + of(writeRate, withinMs);
        boolean oneCommit = work <= commitBytes;
        if (!oneCommit && rate <= 0) {
            return -1;
        }
        long last = Math.min(work, of(writeRate, (REQUESTS - 1) * commitMs)); // still under way at that moment
        long left = oneCommit ? last : Math.max(last, work - of(rate, shipping));
        return left + stuckBytes + (scanMs + comparingMs() <= withinMs ? 0 : unverifiedBytes);
    }

    /**
     * Returns how many bytes would be at risk then if nothing more were shipped; -1 for unknown.
     *
     * @param withinMs that time in milliseconds
     */
    public long mostBytes(long withinMs) {
        boolean known = bytes >= 0 && writeRate >= 0 && beyond != Beyond.INPUT;
        return !known ? -1 : bytes + stuckBytes + unverifiedBytes + of(writeRate, withinMs);
    }

    /** Says whether a drain that begins now is over by some time, in milliseconds, and leaves nothing behind. */
    public boolean isSafeWithin(long withinMs) {
        long duration = durationMs();
        return duration >= 0 && duration <= withinMs && stuckBytes == 0 && beyond != Beyond.INPUT;
    }

    /** Returns why the duration is unknown, in words; empty when it is known. */
    public String why() {
        if (!trouble.isEmpty()) {
            return "the store " + trouble;
        }
        if (scanMs < 0) {
            return "no scan is over yet";
        }
        if (bytes < 0) {
            return "what is at risk is not known, since something is not scanned or cannot be read";
        }
        if (beyond == Beyond.KAFKA) {
            return "nothing measures how fast Kafka takes what is in the spool";
        }
        if (commitMs < 0) {
            return "no commit was acknowledged yet";
        }
        if (shippingMs() < 0) {
            return "more is at risk than one commit held so far, and nothing large was shipped within the last hour";
        }
        return comparingMs() < 0 ? "there is something to compare, and nothing was compared within the last hour" : "";
    }

    /** Returns why the later risk is unknown, in words; empty when it is known. */
    public String whyLeft() {
        return beyond == Beyond.INPUT && why().isEmpty() ? "standard input has not ended" : why();
    }

    private long shippingMs() {
        return bytes <= commitBytes ? 0 : rate <= 0 ? -1 : time(bytes, rate);
    }

    private long comparingMs() {
        return unverifiedBytes == 0 ? 0 : compareRate <= 0 ? -1 : time(unverifiedBytes, compareRate);
    }

    private static long of(long bytesPerSecond, long ms) {
        return (long) (bytesPerSecond * (double) Math.max(0, ms) / 1000);
    }

    private static long time(long bytes, long bytesPerSecond) {
        return (long) Math.ceil(bytes * 1000.0 / bytesPerSecond);
    }

    /** Returns it as one line. */
    String text() {
        return bytes + " " + stuckBytes + " " + unverifiedBytes + " " + scanMs + " " + commitMs + " " + commitBytes
                + " " + rate + " " + compareRate + " " + writeRate + " " + heardMs + " " + beyond + " "
                + trouble.replace('\n', ' ');
    }

    /** Takes such a line; any other text means that nothing is known. */
    static DrainForecast parse(String line) {
        String[] words = line.split(" ", NUMBERS + 2);
        if (words.length != NUMBERS + 2
                || !Arrays.stream(words).limit(NUMBERS).allMatch(w -> w.matches("-?\\d{1,18}"))
                || Arrays.stream(Beyond.values()).noneMatch(each -> each.name().equals(words[NUMBERS]))) {
            return UNKNOWN;
        }
        long[] numbers =
                Arrays.stream(words).limit(NUMBERS).mapToLong(Long::parseLong).toArray();
        return new DrainForecast(
                numbers[0],
                numbers[1],
                numbers[2],
                numbers[3],
                numbers[4],
                numbers[5],
                numbers[6],
                numbers[7],
                numbers[8],
                numbers[9],
                Beyond.valueOf(words[NUMBERS]),
                words[NUMBERS + 1]);
    }
}
