package io.chagres.testkit;

import java.util.stream.IntStream;

/**
 * The share of a long search that this run takes. {@code -Dshare=K/N} takes of its numbered cases each N-th, from
 * case K on; N runs with K = 0 to N - 1 take all of them, and so does one with {@code 0/1}. {@code check.sh} chooses K
 * by the commit. A search with fewer than N cases takes one of them. Stateless.
 */
public final class Share {
    private static final int[] GIVEN = parse(System.getProperty("share", "0/10"));

    private Share() {}

    /** Returns the numbers of the cases to try, of 0 to {@code all} - 1. */
    public static int[] of(int all) {
        return of(all, GIVEN[0], GIVEN[1]);
    }

    /** Returns how many of all cases to try, where one is like the other: random ones, or seconds of them. */
    public static int count(int all) {
        Spent.searches();
        return Math.max(1, all / GIVEN[1]);
    }

    /** Says whether it is the turn of one of several that are alike, see {@link Turn}. */
    static boolean takes(int turn, int of) {
        return takes(turn, of, GIVEN[0], GIVEN[1]);
    }

    static boolean takes(int turn, int of, int share, int shares) {
        return shares < of || share % of == turn;
    }

    static int[] of(int all, int share, int shares) {
        Spent.searches();
        return all < shares
                ? new int[] {share % all}
                : IntStream.range(0, all).filter(i -> i % shares == share).toArray();
    }

    /** Returns K and N. */
    static int[] parse(String share) {
        String[] parts = share.split("/", -1);
        try {
            int[] parsed = {Integer.parseInt(parts[0]), Integer.parseInt(parts[1])};
            if (parts.length == 2 && parsed[0] >= 0 && parsed[0] < parsed[1]) {
                return parsed;
            }
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            // said below
        }
        throw new IllegalArgumentException("-Dshare=K/N takes 0 <= K < N, and not " + share);
    }
}
