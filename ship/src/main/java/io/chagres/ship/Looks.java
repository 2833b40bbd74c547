package io.chagres.ship;

/**
 * The result of a shipper's patrol, which looks at every followed file again and again, with or without an event.
 * Immutable.
 *
 * @param oldestMs how long ago it looked at the file that it has not looked at for longest, in milliseconds; 0 without
 *     a file, -1 when unknown
 * @param overdueFiles files that it did not look at within their time
 */
public record Looks(long oldestMs, long overdueFiles) {
    /** There is nothing to look at. */
    public static final Looks NONE = new Looks(0, 0);

    /** Nothing was looked at yet. */
    static final Looks UNKNOWN = new Looks(-1, 0);
}
