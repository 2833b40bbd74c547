package io.chagres.cli.status;

import io.chagres.archive.read.FleetStatus;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.Output;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Table;
import io.chagres.cli.text.Words;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The ships that were found: the worst first, and one line that sums them up. A terminal gets a header, colours and no
 * line that is too wide. Confined to one thread.
 */
final class StatusTable {
    private static final String RED = "\u001b[31m";
    private static final String YELLOW = "\u001b[33m";
    private static final String BOLD = "\u001b[1m";
    private static final String PLAIN = "\u001b[0m";

    private final Output out;
    private final boolean coloured;
    private final boolean problemsOnly;
    private final List<Row> rows = new ArrayList<>();
    private final Map<FleetStatus.State, Integer> counts = new EnumMap<>(FleetStatus.State.class);
    private int alarming;
    private int troubled;
    private int acknowledged;

    StatusTable(CommandContext context, boolean problemsOnly) {
        out = context.out();
        coloured = context.isColored();
        this.problemsOnly = problemsOnly;
    }

    void add(Row row) {
        counts.merge(row.state(), 1, Integer::sum);
        alarming += row.isAlarming() ? 1 : 0;
        troubled += row.isTroubled() ? 1 : 0;
        acknowledged += row.acknowledgedMs() > 0 ? 1 : 0;
        if (!problemsOnly || row.isAlarming() || row.isTroubled()) {
            rows.add(row);
        }
    }

    boolean isAlarming() {
        return alarming > 0;
    }

    /** Says whether there is a row to show. */
    boolean hasRows() {
        return !rows.isEmpty();
    }

    void json() throws IOException {
        rows.sort(Row.WORST_FIRST);
        for (Row row : rows) {
            out.line(row.json());
        }
        JsonWriter line = new JsonWriter().beginObject().name("summary").beginObject();
        for (FleetStatus.State state : FleetStatus.State.values()) {
            line.member(Row.name(state), counts.getOrDefault(state, 0));
        }
        line.endObject().member("alarming", alarming).member("troubled", troubled);
        out.line(line.member("acknowledged", acknowledged).endObject());
    }

    void text(long nowMs) throws IOException {
        rows.sort(Row.WORST_FIRST);
        Table table = new Table(Row.ALIGNMENT);
        boolean headed = out.columns() > 0 && !rows.isEmpty();
        if (headed) {
            table.fit(Row.HEADER);
        }
        rows.forEach(row -> table.fit(row.cells(nowMs)));
        if (headed) {
            show(table.line(Row.HEADER), BOLD);
        }
        for (Row row : rows) {
            show(table.line(row.cells(nowMs)), row.isAlarming() ? RED : row.isTroubled() ? YELLOW : "");
        }
        show(summary(), alarming > 0 ? RED : "");
    }

    private void show(String line, String colour) throws IOException {
        boolean tooWide = out.columns() > 0 && line.codePointCount(0, line.length()) > out.columns();
        String shown = tooWide ? line.substring(0, line.offsetByCodePoints(0, out.columns() - 1)) + "\u2026" : line;
        out.line(coloured && !colour.isEmpty() ? colour + shown + PLAIN : shown);
    }

    /** Says how many there are of each state, the good first, and how many somebody must look at. */
    private String summary() {
        String all = List.of(FleetStatus.State.values()).reversed().stream()
                .filter(counts::containsKey)
                .map(state -> counts.get(state) + " " + Row.name(state)
                        + (state == FleetStatus.State.LIVE && troubled > 0 ? " (" + troubled + " in trouble)" : ""))
                .collect(Collectors.joining(", "));
        String look = alarming == 0 ? "nothing to look at" : "look at " + Words.plural(alarming, "ship");
        return all + ": " + look + (acknowledged == 0 ? "" : "; " + acknowledged + " acknowledged");
    }
}
