package io.chagres.faultfs;

import io.chagres.foreign.Errno;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A fault in words: {@code op=read,open path=/logs/** error=EIO after=2 times=3 probability=0.5}. Its meaning is in
 * docs/FAULTFS.md.
 */
final class FaultRule {
    /** The name that users have for an operation, and its requests. */
    private static final Map<String, List<String>> SEVERAL = Map.of(
            "fsync", List.of("fsync", "fsyncdir"),
            "readdir", List.of("readdir", "readdirplus"),
            "getattr", List.of("getattr", "statx"));

    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(us|ms|s|m)");

    private final String text;
    private List<String> operations = List.of("*");
    private String path = "";
    private int errno;
    private int bytes = Integer.MAX_VALUE;
    private Duration delay = Duration.ZERO;
    private long after;
    private long times = Long.MAX_VALUE;
    private double probability = 1;

    private FaultRule(String text) {
        this.text = text;
    }

    /**
     * Understands a rule.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    static FaultRule parse(String text) {
        FaultRule rule = new FaultRule(text.strip());
        for (String word : rule.text.split("\\s+")) {
            int equals = word.indexOf('=');
            if (equals < 1 || equals == word.length() - 1) {
                throw new IllegalArgumentException("'" + word + "' is not KEY=VALUE");
            }
            rule.set(word.substring(0, equals), word.substring(equals + 1));
        }
        if (rule.errno == 0 && rule.bytes == Integer.MAX_VALUE && rule.delay.isZero()) {
            throw new IllegalArgumentException("a rule needs error=, bytes= or delay=");
        }
        return rule;
    }

    private void set(String key, String value) {
        switch (key) {
            case "op" -> operations = operations(value);
            case "path" -> path = value;
            case "error" -> errno = errno(value);
            case "bytes" -> bytes = (int) number(key, value, 1, Integer.MAX_VALUE - 1);
            case "delay" -> delay = duration(value);
            case "after" -> after = number(key, value, 0, Long.MAX_VALUE);
            case "times" -> times = number(key, value, 1, Long.MAX_VALUE);
            case "probability" -> probability = probability(value);
            default ->
                throw new IllegalArgumentException(
                        "'" + key + "' is none of op, path, error, bytes, delay, after, times, probability");
        }
    }

    private static List<String> operations(String value) {
        if (value.equals("*")) {
            return List.of("*");
        }
        List<String> all = new ArrayList<>();
        for (String name : value.split(",", -1)) {
            all.addAll(SEVERAL.getOrDefault(name, List.of(name)));
        }
        for (String name : all) {
            if (!FaultFs.OPERATIONS.contains(name)) {
                throw new IllegalArgumentException("'" + name + "' is no operation");
            }
        }
        return all.stream().distinct().toList();
    }

    private static int errno(String name) {
        for (int errno = 1; errno <= Errno.EHWPOISON; errno++) {
            if (Errno.name(errno).equals(name)) {
                return errno;
            }
        }
        throw new IllegalArgumentException("'" + name + "' is the name of no error, such as EIO or ENOSPC");
    }

    private static long number(String key, String value, long least, long most) {
        try {
            long number = Long.parseLong(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException(key + "=" + value + " is not a number from " + least + " on");
    }

    private static Duration duration(String value) {
        Matcher matcher = DURATION.matcher(value);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("delay=" + value + " is not a time such as 500ms or 2s");
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "us" -> Duration.ofNanos(number * 1000);
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            default -> Duration.ofMinutes(number);
        };
    }

    private static double probability(String value) {
        try {
            double part = Double.parseDouble(value);
            if (part >= 0 && part <= 1) {
                return part;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException("probability=" + value + " is not between 0 and 1");
    }

    /** Lets it hold. */
    FileFault begin(FaultFs faults, RandomGenerator random) {
        FileFault fault =
                faults.on(operations.toArray(String[]::new)).after(after).next(times);
        if (!path.isEmpty()) {
            fault.path(path);
        }
        if (probability < 1) {
            fault.share(probability, random);
        }
        return fault.begin(errno, bytes, delay);
    }

    /** Returns the rule as it was given. */
    @Override
    public String toString() {
        return text;
    }
}
