package io.chagres.fuse;

import io.chagres.fuse.wire.Opcode;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts since the mount. Immutable.
 *
 * @param transport how they came, {@link FuseTransport#CLASSIC} or {@link FuseTransport#IO_URING}
 * @param requests answered or taken note of, by operation, such as {@code getattr}
 * @param errors how many of those were answered with an error, by operation
 * @param latencies how long one in sixteen of them took, by operation; the others are not measured, for speed
 * @param failures handlers that threw, or returned without an answer
 * @param refused answers that the kernel refused
 */
public record FuseStatistics(
        FuseTransport transport,
        Map<String, Long> requests,
        Map<String, Long> errors,
        Map<String, LatencyHistogram> latencies,
        long failures,
        long refused) {
    /** Adds up what the exchanges counted. */
    static FuseStatistics of(
            FuseTransport transport, Iterable<? extends Exchange> exchanges, long failures, long refused) {
        Map<String, Long> requests = new TreeMap<>();
        Map<String, Long> errors = new TreeMap<>();
        long[][] latencies = new long[Opcode.COUNT][LatencyHistogram.BUCKETS];
        for (Exchange exchange : exchanges) {
            add(exchange.requests, requests);
            add(exchange.errors, errors);
            addAll(exchange.latencies, latencies);
        }
        return new FuseStatistics(
                transport, Map.copyOf(requests), Map.copyOf(errors), histograms(latencies), failures, refused);
    }

    private static void addAll(long[] @Nullable [] counts, long[][] sums) {
        for (int opcode = 0; opcode < counts.length; opcode++) {
            long[] some = counts[opcode];
            for (int i = 0; some != null && i < some.length; i++) {
                sums[opcode][i] += some[i];
            }
        }
    }

    private static Map<String, LatencyHistogram> histograms(long[][] sums) {
        Map<String, LatencyHistogram> histograms = new TreeMap<>();
        for (int opcode = 0; opcode < sums.length; opcode++) {
            LatencyHistogram histogram = LatencyHistogram.of(sums[opcode]);
            if (histogram.total() > 0) {
                histograms.put(Opcode.name(opcode), histogram);
            }
        }
        return Map.copyOf(histograms);
    }

    private static void add(long[] counts, Map<String, Long> sums) {
        for (int opcode = 0; opcode < counts.length; opcode++) {
            if (counts[opcode] != 0) {
                sums.merge(Opcode.name(opcode), counts[opcode], Long::sum);
            }
        }
    }

    /**
     * Returns how many requests there were of all operations.
     *
     * @return 0 or more
     */
    public long total() {
        return requests.values().stream().mapToLong(Long::longValue).sum();
    }
}
