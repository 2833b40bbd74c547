package io.chagres.cli.command;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * One line on a terminal that is rewritten in place. Messages printed through it go above the line. Confined to one
 * thread.
 */
public final class StatusLine {
    private static final String ERASE = "\r\u001b[K";
    private static final String NO_WRAP = "\u001b[?7l";
    private static final String WRAP = "\u001b[?7h";

    private static final Path STAT = Path.of("/proc/self/stat");
    private static final int GROUP = 2; // of the words behind the name of the program, see proc_pid_stat(5)
    private static final int TERMINALS_GROUP = 5;

    private final PrintStream terminal;
    private final BooleanSupplier foreground;
    private String shown = "";

    /** Makes a line on a terminal, which is not drawn while this process is in the background. */
    public StatusLine(PrintStream terminal) {
        this(terminal, StatusLine::isForeground);
    }

    /** Makes a line on a terminal that is drawn while the terminal is this process's. */
    public StatusLine(PrintStream terminal, BooleanSupplier foreground) {
        this.terminal = terminal;
        this.foreground = foreground;
    }

    /** Says whether the terminal is this process's: in the background it belongs to the shell and its prompt. */
    public static boolean isForeground() {
        try {
            String stat = Files.readString(STAT);
            String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return words[TERMINALS_GROUP].equals("-1") || words[TERMINALS_GROUP].equals(words[GROUP]);
        } catch (IOException e) {
            return true;
        }
    }

    /** Replaces the line; a terminal narrower than the line cuts it off. */
    public void show(String line) {
        if (!foreground.getAsBoolean()) {
            shown = "";
        } else if (!line.equals(shown)) {
            terminal.print(ERASE + NO_WRAP + line + WRAP);
            terminal.flush();
            shown = line;
        }
    }

    /** Prints a message on a line of its own above the status. */
    public void message(String message) {
        shown = foreground.getAsBoolean() ? shown : "";
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
}
