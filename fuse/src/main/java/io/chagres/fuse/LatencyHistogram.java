package io.chagres.fuse;

import java.util.Arrays;
import java.util.List;

/**
 * How long requests took, from their arrival in this process to their answer. Immutable.
 *
 * @param counts how many took less than 2^i nanoseconds and not less than half of that, by i, as far as there
 *     are any; all that took longer are in the last, of 40
 */
public record LatencyHistogram(List<Long> counts) {
    /** Up to nine minutes. */
    static final int BUCKETS = 40;

    /** Copies the counts. */
    public LatencyHistogram {
        counts = List.copyOf(counts);
    }

    /** Returns where a duration is counted. */
    static int bucket(long durationNs) {
        return Math.min(Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, durationNs)), BUCKETS - 1);
    }

    /** Adds up what the exchanges counted. */
    static LatencyHistogram of(long[] sums) {
        int length = sums.length;
        while (length > 0 && sums[length - 1] == 0) {
            length--;
        }
        return new LatencyHistogram(Arrays.stream(sums, 0, length).boxed().toList());
    }

    /**
     * Returns how many requests were measured.
     *
     * @return 0 or more
     */
    public long total() {
        return counts.stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Returns how long a share of the requests took at most, such as 0.5 for the median.
     *
     * @param share above 0, to 1
     * @return nanoseconds, up to twice the real value; 0 if nothing was measured
     */
    public long withinNs(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("a share is above 0 and at most 1, not " + share);
        }
        long wanted = (long) Math.ceil(total() * share);
        long seen = 0;
        for (int i = 0; i < counts.size() && wanted > 0; i++) {
            seen += counts.get(i);
            if (seen >= wanted) {
                return 1L << i;
            }
        }
        return 0;
    }
}
