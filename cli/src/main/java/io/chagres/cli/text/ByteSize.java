package io.chagres.cli.text;

import java.math.BigDecimal;
import java.math.RoundingMode;
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
            try {
                return new ByteSize(bytes(form.group(1), unit(form.group(3), form.group(4))));
            } catch (NumberFormatException | ArithmeticException e) { // more than a long holds
                throw refused(text);
            }
        }
        throw refused(text);
    }

    private static IllegalArgumentException refused(String text) {
        return new IllegalArgumentException("'" + text + "' is not a size; write for example 4096, 64MiB or 10MB");
    }

    /** A default is a whole number, and each command has some: the first BigDecimal of a process takes 25 ms. */
    private static long bytes(String number, long unit) {
        if (number.indexOf('.') < 0) {
            return Math.multiplyExact(Long.parseLong(number), unit);
        }
        return new BigDecimal(number)
                .multiply(BigDecimal.valueOf(unit))
                .setScale(0, RoundingMode.DOWN)
                .longValueExact();
    }

    /** Returns the size in IEC units with one digit: {@code 0 B}, {@code 12.4 MiB}. */
    public static String format(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        int shift = 10;
        while (tenths(bytes, shift) >= 10 * 1024) { // would print as 1024.0
            shift += 10;
        }
        long tenths = tenths(bytes, shift);
        return tenths / 10 + "." + tenths % 10 + ' ' + PREFIXES.charAt(shift / 10 - 1) + "iB";
    }

    /** Returns how many tenths of a power of two there are, rounded; a formatter of the JDK takes microseconds. */
    private static long tenths(long bytes, int shift) {
        long whole = bytes >> shift;
        long rest = bytes - (whole << shift);
        return whole * 10 + ((rest * 10 + (1L << (shift - 1))) >>> shift);
    }

    private static long unit(String prefix, String suffix) {
        long unit = 1;
        int power = prefix == null ? 0 : PREFIXES.indexOf(Character.toUpperCase(prefix.charAt(0))) + 1;
        for (int i = 0; i < power; i++) {
            unit *= "B".equalsIgnoreCase(suffix) ? 1000 : 1024;
        }
        return unit;
    }
}
