package io.chagres.ship;

import java.util.stream.Stream;

/**
 * A running shipper's answer about the flushes it was asked for. Immutable.
 *
 * @param begun flushes begun since it started
 * @param done flushes done; a flush that was begun after a request answers it
 * @param leftBytes bytes that were known when the last flush was begun and are not acknowledged, or were lost
 *     before they could be read; -1 for unknown
 * @param riskBytes all bytes at risk, later ones included; -1 for unknown
 * @param riskMs age of the oldest of them, in milliseconds
 */
public record FlushAnswer(long begun, long done, long leftBytes, long riskBytes, long riskMs) {
    /** Before the first flush. */
    static final FlushAnswer NONE = new FlushAnswer(0, 0, -1, -1, 0);

    String text() {
        return begun + " " + done + " " + leftBytes + " " + riskBytes + " " + riskMs + "\n";
    }

    /** Takes the first line. */
    static FlushAnswer parse(String text) {
        String[] numbers = text.lines().findFirst().orElse("").split(" ");
        if (numbers.length != 5 || !Stream.of(numbers).allMatch(each -> each.matches("-?\\d{1,18}"))) {
            return NONE;
        }
        return new FlushAnswer(
                Long.parseLong(numbers[0]),
                Long.parseLong(numbers[1]),
                Long.parseLong(numbers[2]),
                Long.parseLong(numbers[3]),
                Long.parseLong(numbers[4]));
    }
}
