package io.chagres.ship;

/**
 * Holds what a running shipper says about the cuts it was asked for. Immutable.
 *
 * @param begun cuts begun since it started
 * @param done cuts done; a cut that was begun after a request answers it
 * @param leftBytes bytes that were known when the last cut was begun and are not acknowledged; -1 for unknown
 * @param riskBytes all bytes at risk, later ones included; -1 for unknown
 * @param riskMs age of the oldest of them, in milliseconds
 */
public record CutAnswer(long begun, long done, long leftBytes, long riskBytes, long riskMs) {
    /** Before the first cut. */
    static final CutAnswer NONE = new CutAnswer(0, 0, -1, -1, 0);

    String text() {
        return begun + " " + done + " " + leftBytes + " " + riskBytes + " " + riskMs + "\n";
    }

    static CutAnswer parse(String text) {
        String[] numbers = text.strip().split(" ");
        if (numbers.length != 5) {
            return NONE;
        }
        return new CutAnswer(
                Long.parseLong(numbers[0]),
                Long.parseLong(numbers[1]),
                Long.parseLong(numbers[2]),
                Long.parseLong(numbers[3]),
                Long.parseLong(numbers[4]));
    }
}
