package io.chagres.spark;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.read.streaming.Offset;

/** How far each host was read: the number of its last commit. Immutable. */
final class FleetOffset extends Offset {
    private static final Pattern HOST = Pattern.compile("\"([0-9a-f]{16})\":([0-9]{1,16})");
    private static final Pattern ALL = Pattern.compile("\\{(" + HOST + "(,(?=\"))?)*}");

    private final Map<String, Long> seqs;

    FleetOffset(Map<String, Long> seqs) {
        this.seqs = new TreeMap<>(seqs);
    }

    /**
     * Reads what {@link #json} wrote.
     *
     * @throws IllegalArgumentException when it is anything else
     */
    static FleetOffset of(String json) {
        if (!ALL.matcher(json).matches()) {
            throw new IllegalArgumentException("no position in a fleet: " + json);
        }
        Map<String, Long> seqs = new TreeMap<>();
        for (Matcher each = HOST.matcher(json); each.find(); ) {
            seqs.put(each.group(1), Long.parseLong(each.group(2)));
        }
        return new FleetOffset(seqs);
    }

    /** Returns the last commit that was read of a host; 0 for none. */
    long seq(String hostId) {
        return seqs.getOrDefault(hostId, 0L);
    }

    @Override
    public String json() {
        return seqs.entrySet().stream()
                .map(each -> "\"" + each.getKey() + "\":" + each.getValue())
                .collect(Collectors.joining(",", "{", "}"));
    }
}
