package io.chagres.tests.faults;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One JSON line of {@code chagres ship --json}, read by pattern so that the suite shares no code with its subject. */
record ShipStatusLine(String json) {
    private static final String NUMBER = "\"%s\":(-?\\d+)";

    long number(String member) {
        Matcher found = Pattern.compile(NUMBER.formatted(member)).matcher(json);
        return found.find() ? Long.parseLong(found.group(1)) : -1; // null: unknown
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
        return Pattern.compile("\"storeTrouble\":\"").matcher(json).find();
    }
}
