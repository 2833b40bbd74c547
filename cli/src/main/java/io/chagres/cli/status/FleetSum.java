package io.chagres.cli.status;

import io.chagres.archive.read.FleetStatus;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Words;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** How many ships there are of each state, as the table, the page and the metrics say it. Confined to one thread. */
final class FleetSum {
    private final Map<FleetStatus.State, Integer> counts = new EnumMap<>(FleetStatus.State.class);
    private int alarming;
    private int troubled;
    private int acknowledged;

    /** Sums up. */
    static FleetSum of(List<Row> rows) {
        FleetSum sum = new FleetSum();
        rows.forEach(sum::add);
        return sum;
    }

    void add(Row row) {
        counts.merge(row.state(), 1, Integer::sum);
        alarming += row.isAlarming() ? 1 : 0;
        troubled += row.isTroubled() ? 1 : 0;
        acknowledged += row.acknowledgedMs() > 0 ? 1 : 0;
    }

    int count(FleetStatus.State state) {
        return counts.getOrDefault(state, 0);
    }

    /** Returns how many somebody must look at. */
    int alarming() {
        return alarming;
    }

    /** Writes the members of an object. */
    void members(JsonWriter json) {
        json.name("summary").beginObject();
        for (FleetStatus.State state : FleetStatus.State.values()) {
            json.member(state.word(), count(state));
        }
        json.endObject().member("alarming", alarming).member("troubled", troubled);
        json.member("acknowledged", acknowledged);
    }

    /** Says it in one line, the good first. */
    String text() {
        String all = List.of(FleetStatus.State.values()).reversed().stream()
                .filter(counts::containsKey)
                .map(state -> counts.get(state) + " " + state.word()
                        + (state == FleetStatus.State.LIVE && troubled > 0 ? " (" + troubled + " in trouble)" : ""))
                .collect(Collectors.joining(", "));
        String look = alarming == 0 ? "nothing to look at" : "look at " + Words.plural(alarming, "ship");
        return all + ": " + look + (acknowledged == 0 ? "" : "; " + acknowledged + " acknowledged");
    }
}
