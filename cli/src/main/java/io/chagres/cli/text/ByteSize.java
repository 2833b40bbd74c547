package io.chagres.cli.text;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and prints numbers of bytes: {@code 64MiB} and {@code 64M} are powers of 1024, {@code 10MB} powers of 1000.
 * A value of this type is an option's argument. Immutable.
 *
 * @param bytes number of bytes, 0 to 2^63-1
 */
public record ByteSize(long bytes) {
    private static final Pattern FORM =
            Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*(?:(B)|([kKMGT])(iB|B)?)?", Pattern.CASE_INSENSITIVE);
    private static final String PREFIXES = "KMGTPE";

    /**
     * Parses a size.
     *
     * @throws IllegalArgumentException naming the accepted forms
     */
    public static ByteSize parse(String text) {
        Matcher form = FORM.matcher(text);
        if (form.matches()) {
            BigDecimal value = new BigDecimal(form.group(1)).multiply(unit(form.group(3), form.group(4)));
            if (value.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0) {
                return new ByteSize(value.longValue());
            }
        }
        throw new IllegalArgumentException("'" + text + "' is not a size; write for example 4096, 64MiB or 10MB");
    }

    /** Returns the size in IEC units with one digit: {@code 0 B}, {@code 12.4 MiB}. */
    public static String format(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        double value = bytes / 1024.0;
        int prefix = 0;
        while (value >= 1023.95) { // would print as 1024.0
            value /= 1024;
            prefix++;
        }
        return String.format(Locale.ROOT, "%.1f %ciB", value, PREFIXES.charAt(prefix));
    }

    private static BigDecimal unit(String prefix, String suffix) {
        if (prefix == null) {
            return BigDecimal.ONE;
        }
        int power = PREFIXES.indexOf(Character.toUpperCase(prefix.charAt(0))) + 1;
        boolean decimal = "B".equalsIgnoreCase(suffix);
        return BigDecimal.valueOf(decimal ? 1000 : 1024).pow(power);
    }
}
