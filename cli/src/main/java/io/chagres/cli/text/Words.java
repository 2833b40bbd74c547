package io.chagres.cli.text;

/** Puts numbers into sentences. */
public final class Words {
    private Words() {}

    /** Returns the number with its noun: {@code 1 file}, {@code 3 files}. */
    public static String plural(long number, String noun) {
        return plural(number, noun, noun + "s");
    }

    /** Returns the number with its noun in the right form. */
    public static String plural(long number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }
}
