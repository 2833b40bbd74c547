package io.chagres.ship;

/**
 * A running shipper's last answer to the question how long a drain would take. Immutable.
 *
 * @param count how many times it was asked; another number than before a question answers that
 * @param forecast the answer
 */
public record DrillAnswer(long count, DrainForecast forecast) {
    String text() {
        return count + " " + forecast.text() + "\n";
    }

    /** Takes the first line. */
    static DrillAnswer parse(String text) {
        String line = text.lines().findFirst().orElse("");
        int end = line.indexOf(' ');
        boolean counts = end > 0 && line.substring(0, end).matches("\\d{1,18}");
        return counts
                ? new DrillAnswer(Long.parseLong(line.substring(0, end)), DrainForecast.parse(line.substring(end + 1)))
                : new DrillAnswer(0, DrainForecast.UNKNOWN);
    }
}
