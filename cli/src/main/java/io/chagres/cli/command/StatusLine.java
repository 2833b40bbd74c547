package io.chagres.cli.command;

import java.io.PrintStream;

/**
 * One line on a terminal that is rewritten in place. Messages printed through it go above the line. Confined to one
 * thread.
 */
public final class StatusLine {
    private static final String ERASE = "\r\u001b[K";
    private static final String NO_WRAP = "\u001b[?7l";
    private static final String WRAP = "\u001b[?7h";

    private final PrintStream terminal;
    private String shown = "";

    /** Makes a line on a terminal. */
    public StatusLine(PrintStream terminal) {
        this.terminal = terminal;
    }

    /** Replaces the line; a terminal narrower than the line cuts it off. */
    public void show(String line) {
        if (!line.equals(shown)) {
            terminal.print(ERASE + NO_WRAP + line + WRAP);
            terminal.flush();
            shown = line;
        }
    }

    /** Prints a message on a line of its own above the status. */
    public void message(String message) {
        terminal.print((shown.isEmpty() ? "" : ERASE) + message + '\n' + shown);
        terminal.flush();
    }

    /** Removes the line. */
    public void clear() {
        if (!shown.isEmpty()) {
            terminal.print(ERASE);
            terminal.flush();
            shown = "";
        }
    }

    /** Leaves the last line standing and moves below it. */
    public void end() {
        if (!shown.isEmpty()) {
            terminal.println();
            shown = "";
        }
    }
}
