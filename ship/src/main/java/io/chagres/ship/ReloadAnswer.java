package io.chagres.ship;

import org.jspecify.annotations.Nullable;

/**
 * A running shipper's answer to those who asked it to read its configuration again. Immutable.
 *
 * @param handled how many it has answered since it started; another number than before a request answers that
 * @param fault why the configuration was not taken the last time; null when it was, or nothing was asked
 */
public record ReloadAnswer(long handled, @Nullable String fault) {
    String text() {
        return handled + "\n" + (fault == null ? "" : fault);
    }

    /** Returns the answer in a text; null when there is none, because the shipper reads nothing again. */
    static @Nullable ReloadAnswer parse(String text) {
        int end = text.indexOf('\n');
        String number = end < 0 ? "" : text.substring(0, end);
        if (!number.matches("\\d{1,18}")) {
            return null;
        }
        String fault = text.substring(end + 1);
        return new ReloadAnswer(Long.parseLong(number), fault.isEmpty() ? null : fault);
    }
}
