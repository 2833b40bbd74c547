package io.chagres.archive.read;

/**
 * One of several equal parts of all hosts, so that as many processes do what one would: {@code 0/8} to {@code 7/8}.
 * Each host is in one part, whatever other hosts there are. Immutable.
 *
 * @param index which part, from 0
 * @param count how many parts there are
 */
public record Shard(int index, int count) {
    /** All hosts. */
    public static final Shard ALL = new Shard(0, 1);

    /**
     * Parses a part.
     *
     * @throws IllegalArgumentException naming the accepted form
     */
    public static Shard parse(String text) {
        int slash = text.indexOf('/');
        try {
            int index = Integer.parseInt(text.substring(0, Math.max(slash, 0)));
            int count = Integer.parseInt(text.substring(slash + 1));
            if (index >= 0 && index < count) {
                return new Shard(index, count);
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException(
                "'" + text + "' is no part; write 0/8 for the first of eight, 7/8 for the last");
    }

    /** Says whether a host is in this part. */
    public boolean holds(String hostId) {
        return Long.remainderUnsigned(Long.parseUnsignedLong(hostId, 16), count) == index;
    }
}
