package io.chagres.cli.command;

import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Durations;
import io.chagres.linux.MonotonicClock;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Shows on a terminal how far a long work has come; a pipe gets only messages. For one thread at a time. */
public final class ProgressLine {
    private static final int BAR_WIDTH = 24;
    private static final long REDRAW_MS = 200;

    private final PrintStream err;
    private final StatusLine line;
    private final boolean terminal;
    private final LongSupplier clockMs;
    private final long startMs;
    private long drawnMs;

    /** Makes a line that is shown on terminals only, and not when it is to be quiet. */
    public ProgressLine(CommandContext context, boolean quiet) {
        err = context.err();
        line = new StatusLine(err);
        terminal = context.canRedraw() && !quiet;
        clockMs = MonotonicClock::nowMs;
        startMs = clockMs.getAsLong();
        drawnMs = startMs;
    }

    /** Takes how much is done; draws a few times a second. */
    public void update(long done, long total) {
        long now = clockMs.getAsLong();
        if (terminal && now - drawnMs >= REDRAW_MS) {
            line.show(bar(done, total, done * 1000 / Math.max(1, now - startMs)));
            drawnMs = now;
        }
    }

    /** Shows a message on a line of its own. */
    public void message(String message) {
        if (terminal) {
            line.message(message);
        } else {
            err.println(message);
        }
    }

    /** Removes the bar. */
    public void end() {
        line.clear();
    }

    /**
     * Returns a progress bar with bytes, rate and the time that is left.
     *
     * @param rate bytes a second
     */
    public static String bar(long done, long total, long rate) {
        double part = total == 0 ? 1 : Math.min(1, (double) done / total);
        int full = (int) (part * BAR_WIDTH);
        StringBuilder text = new StringBuilder("  [");
        text.append("#".repeat(full)).append(".".repeat(BAR_WIDTH - full));
        text.append(String.format(Locale.ROOT, "] %3d%%  ", (int) (part * 100)));
        text.append(ByteSize.format(done)).append(" of ").append(ByteSize.format(total));
        if (rate > 0) {
            text.append(", ").append(ByteSize.format(rate)).append("/s, ETA ");
            text.append(Durations.format(Math.max(0, total - done) * 1000 / rate));
        }
        return text.toString();
    }
}
