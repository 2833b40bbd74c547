package io.chagres.cli.text;

import java.util.ArrayList;
import java.util.List;

/** Lays out rows of text in aligned columns. Confined to one thread. */
public final class Table {
    private static final String GAP = "  ";

    private final boolean[] right;
    private final int[] widths;
    private final List<String[]> rows = new ArrayList<>();

    /**
     * Creates a table.
     *
     * @param alignment one letter per column: {@code l} or {@code r}
     */
    public Table(String alignment) {
        right = new boolean[alignment.length()];
        widths = new int[right.length];
        for (int i = 0; i < right.length; i++) {
            right[i] = alignment.charAt(i) == 'r';
        }
    }

    /** Adds a row with one cell per column. */
    public void row(String... cells) {
        fit(cells);
        rows.add(cells);
    }

    /** Makes the columns as wide as a row needs, which is not kept: {@link #line} lays it out later. */
    public void fit(String... cells) {
        if (cells.length != right.length) {
            throw new IllegalArgumentException(cells.length + " cells for " + right.length + " columns");
        }
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], width(cells[i]));
        }
    }

    /** Returns the rows as lines; a last column on the left is not padded. */
    public List<String> lines() {
        return rows.stream().map(this::line).toList();
    }

    /** Returns a row as a line, in columns as wide as all rows so far needed. */
    public String line(String... row) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.length; i++) {
            int padding = right[i] || i < row.length - 1 ? widths[i] - width(row[i]) : 0;
            line.append(i == 0 ? "" : GAP);
            line.append(right[i] ? " ".repeat(padding) + row[i] : row[i] + " ".repeat(padding));
        }
        return line.toString();
    }

    private static int width(String cell) {
        return cell.codePointCount(0, cell.length());
    }
}
