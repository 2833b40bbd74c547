package io.chagres.ship;

import java.util.List;

/**
 * The bytes that a shipper saw and that nobody can ship: they went before they were read. Immutable.
 *
 * @param files how many files lost bytes
 * @param bytes how many bytes, as far as it is known; at least one for each file
 * @param latest the paths of the files that lost some last, the newest at the end
 */
public record Lost(long files, long bytes, List<String> latest) {
    /** Nothing is lost. */
    public static final Lost NOTHING = new Lost(0, 0, List.of());
}
