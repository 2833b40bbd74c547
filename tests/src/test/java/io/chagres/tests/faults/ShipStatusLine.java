package io.chagres.tests.faults;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One JSON line of {@code chagres ship --json}, read as text so that the suite shares no code with its subject. */
record ShipStatusLine(String json) {
    private static final Pattern NUMBER = Pattern.compile("-?\\d+");

    long number(String member) {
        String name = "\"" + member + "\":";
        int at = json.indexOf(name);
        if (at < 0) {
            return -1;
        }
        Matcher found = NUMBER.matcher(json).region(at + name.length(), json.length());
        return found.lookingAt() ? Long.parseLong(found.group()) : -1; // null: unknown
    }

    long riskBytes() {
        return number("riskBytes");
    }

    long shippedBytes() {
        return number("shippedBytes");
    }

    boolean scanning() {
        return json.contains("\"scanning\":true");
    }

    /** Whether everything known is acknowledged, and everything is known. */
    boolean settled() {
        return riskBytes() == 0 && !scanning();
    }

    boolean troubled() {
        return json.contains("\"storeTrouble\":\"");
    }
}
