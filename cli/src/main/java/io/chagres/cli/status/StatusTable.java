package io.chagres.cli.status;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.Output;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Table;
import io.chagres.cli.text.Wrapping;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The ships that were found: the worst first, and one line that sums them up. A terminal gets a header, colours and no
 * line that is too wide. Confined to one thread.
 */
final class StatusTable {
    private static final String RED = "\u001b[31m";
    private static final String YELLOW = "\u001b[33m";
    private static final String BOLD = "\u001b[1m";
    private static final String PLAIN = "\u001b[0m";

    /** Lines that a terminal shows at once: in a longer table the worst scroll away. */
    private static final int SCREEN = 24;

    private final Output out;
    private final boolean coloured;
    private final boolean problemsOnly;
    private final List<Row> rows = new ArrayList<>();
    private final FleetSum sum = new FleetSum();

    StatusTable(CommandContext context, boolean problemsOnly) {
        out = context.out();
        coloured = context.isColored();
        this.problemsOnly = problemsOnly;
    }

    void add(Row row) {
        sum.add(row);
        if (!problemsOnly || row.isAlarming() || row.isTroubled()) {
            rows.add(row);
        }
    }

    boolean isAlarming() {
        return sum.alarming() > 0;
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
        JsonWriter line = new JsonWriter().beginObject();
        sum.members(line);
        out.line(line.endObject());
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
        boolean isAway = headed && !problemsOnly && rows.size() > SCREEN && isAlarming();
        String last = sum.text() + (isAway ? " (alone with --problems)" : "");
        for (String line : out.columns() > 0 ? Wrapping.lines(last, out.columns(), 0) : List.of(last)) {
            show(line, isAlarming() ? RED : "");
        }
    }

    private void show(String line, String colour) throws IOException {
        boolean tooWide = out.columns() > 0 && line.codePointCount(0, line.length()) > out.columns();
        String shown = tooWide ? line.substring(0, line.offsetByCodePoints(0, out.columns() - 1)) + "\u2026" : line;
        out.line(coloured && !colour.isEmpty() ? colour + shown + PLAIN : shown);
    }
}
