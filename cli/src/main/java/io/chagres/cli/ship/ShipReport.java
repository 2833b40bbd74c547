package io.chagres.cli.ship;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.Output;
import io.chagres.cli.command.StatusLine;
import io.chagres.cli.http.StatusBoard;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Words;
import io.chagres.ship.ShipStatus;
import java.io.IOException;
import java.time.InstantSource;

/** Tells the user how shipping goes, in the form that fits where the output goes. Confined to one thread. */
sealed interface ShipReport {
    /** Returns how often the status is wanted, in milliseconds. */
    default long intervalMs() {
        return 1000;
    }

    /**
     * Returns how often the status is wanted while nothing is at risk and nothing changes, in milliseconds: each time
     * wakes a process that rests.
     */
    default long restIntervalMs() {
        return 16_000;
    }

    /** Takes the status, about once in the interval. */
    void status(ShipStatus status, long elapsedMs);

    /** Shows one line about a trouble. */
    void message(String message);

    /** Takes that the store has accepted: what is shipped where. */
    default void started(String what) {}

    /** Takes the last status; what is at risk is said in every form. */
    void ended(ShipStatus status, boolean safe);

    /** Takes how to look at what was shipped, once everything is acknowledged. */
    default void shipped(String how) {}

    /** Returns the form for programs: a JSON object in each interval, and lines for people on standard error. */
    static ShipReport json(CommandContext context, LogLines.Format format, long intervalMs) {
        return new Json(context.out(), new Troubles(LogLines.of(context, format)), context.clock(), intervalMs);
    }

    /** Returns the form for people that fits these outputs. */
    static ShipReport of(CommandContext context, boolean quiet, boolean once, LogLines.Format format) {
        LogLines lines = LogLines.of(context, format);
        if (quiet) {
            return new Troubles(lines);
        }
        boolean live = context.canRedraw() && StatusLine.isForeground() && format == LogLines.Format.TEXT;
        return live ? new Live(new StatusLine(context.err()), once) : new Lines(lines);
    }

    /** The sentence for an end without bytes at risk. */
    static String safe(ShipStatus status) {
        return "ended: " + ShipStatusText.safe(status) + "; shipped " + ByteSize.format(status.shippedBytes()) + " in "
                + Words.plural(status.commits(), "commit");
    }

    /** The sentence for a stop with bytes at risk. */
    static String atRisk(ShipStatus status) {
        String held =
                status.heldBackBytes() > 0 ? ", of them " + ByteSize.format(status.heldBackBytes()) + " held back" : "";
        String cause = status.storeTrouble() == null ? "" : "; the store " + status.storeTrouble();
        if (status.riskBytes() == 0) {
            return "stopped before all names, attributes and ends of files were acknowledged"
                    + ShipStatusText.unreadable(status) + cause
                    + ". Every byte that was seen is: start chagres ship again to ship the rest.";
        }
        String safe = " and " + ByteSize.format(status.shippedBytes())
                + (status.storeTrouble() == null ? " are safe" : " were acknowledged before");
        return "stopped with bytes at risk: " + ShipStatusText.risk(status) + held + ShipStatusText.lost(status)
                + ShipStatusText.unreadable(status) + cause
                + (status.lost().files() > 0 ? ". What is not lost is" : ". They are")
                + " still in the local files"
                + (status.shippedBytes() == 0 ? "" : safe) // a ship that began again has not counted what was before
                + ": start chagres ship again to ship the rest.";
    }

    /** {@code --quiet}: lines about nothing but troubles; while a store refuses, one each minute. */
    sealed class Troubles implements ShipReport permits Lines {
        private static final long EVERY_MS = 60_000;

        final LogLines err;
        private long remindedMs;

        Troubles(LogLines err) {
            this.err = err;
        }

        @Override
        public void status(ShipStatus status, long elapsedMs) {
            if (status.storeTrouble() == null) {
                remindedMs = elapsedMs; // the first refusal is a message of its own
            } else if (elapsedMs - remindedMs >= EVERY_MS) {
                message(ShipStatusText.refusal(status));
                remindedMs = elapsedMs;
            }
        }

        @Override
        public void message(String message) {
            err.line(LogLines.Level.WARNING, message);
        }

        @Override
        public void ended(ShipStatus status, boolean safe) {
            if (!safe) {
                err.line(LogLines.Level.ERROR, atRisk(status));
            }
        }
    }

    /** A log: a line at the start, when everything was scanned and was first safe, at the end, and for troubles. */
    final class Lines extends Troubles {
        private boolean scanned;
        private boolean caughtUp;

        Lines(LogLines err) {
            super(err);
        }

        @Override
        public void started(String what) {
            err.line(LogLines.Level.NOTICE, what);
        }

        @Override
        public void status(ShipStatus status, long elapsedMs) {
            boolean safe = !status.scanning() && status.owesNothing();
            if (!caughtUp && (safe || (!scanned && !status.scanning()))) {
                String what = safe ? ShipStatusText.safe(status) + ": " : "everything is scanned: ";
                err.line(
                        LogLines.Level.INFO,
                        what + ShipStatusText.line(status, 0).strip());
            }
            scanned |= !status.scanning();
            caughtUp |= safe;
            super.status(status, elapsedMs);
        }

        @Override
        public void ended(ShipStatus status, boolean safe) {
            if (safe) {
                err.line(LogLines.Level.NOTICE, ShipReport.safe(status));
            }
            super.ended(status, safe);
        }

        @Override
        public void shipped(String how) {
            err.line(LogLines.Level.NOTICE, how);
        }
    }

    /** Passes everything on, and lets a board see it. */
    record Observed(ShipReport to, StatusBoard board) implements ShipReport {
        @Override
        public long intervalMs() {
            return to.intervalMs();
        }

        @Override
        public long restIntervalMs() {
            return to.restIntervalMs();
        }

        @Override
        public void status(ShipStatus status, long elapsedMs) {
            board.status(status);
            to.status(status, elapsedMs);
        }

        @Override
        public void started(String what) {
            to.started(what);
        }

        @Override
        public void message(String message) {
            board.message(message);
            to.message(message);
        }

        @Override
        public void shipped(String how) {
            to.shipped(how);
        }

        @Override
        public void ended(ShipStatus status, boolean safe) {
            board.status(status);
            board.ended();
            to.ended(status, safe);
        }
    }

    /** One JSON object per status on standard output, as long as that can be written: shipping goes first. */
    final class Json implements ShipReport {
        private final Output out;
        private final Troubles err;
        private final InstantSource clock;
        private final long intervalMs;
        private boolean unwritten;

        Json(Output out, Troubles err, InstantSource clock, long intervalMs) {
            this.out = out;
            this.err = err;
            this.clock = clock;
            this.intervalMs = intervalMs;
        }

        @Override
        public long intervalMs() {
            return intervalMs;
        }

        @Override
        public long restIntervalMs() {
            return intervalMs;
        }

        @Override
        public void status(ShipStatus status, long elapsedMs) {
            write(status, false);
            err.status(status, elapsedMs);
        }

        private void write(ShipStatus status, boolean last) {
            if (unwritten) {
                return;
            }
            try {
                out.line(ShipStatusText.json(status, clock.millis(), last));
                out.flush();
            } catch (IOException e) {
                unwritten = true;
                err.message(e.getMessage() + "; shipping continues, and its status is no longer written there");
            }
        }

        @Override
        public void message(String message) {
            err.message(message);
        }

        @Override
        public void ended(ShipStatus status, boolean safe) {
            write(status, true);
            err.ended(status, safe);
        }
    }

    /** A terminal: one line that is rewritten in place. */
    final class Live implements ShipReport {
        private static final long REDRAW_MS = 250;
        private static final long RATE_MS = 1000;

        private final StatusLine line;
        private final boolean once;
        private long rate;
        private long measuredBytes;
        private long measuredMs;

        Live(StatusLine line, boolean once) {
            this.line = line;
            this.once = once;
        }

        @Override
        public long intervalMs() {
            return REDRAW_MS;
        }

        @Override
        public long restIntervalMs() {
            return REDRAW_MS;
        }

        @Override
        public void status(ShipStatus status, long elapsedMs) {
            if (once) {
                line.show(ShipStatusText.progress(status, rate(status.shippedBytes(), elapsedMs)));
                return;
            }
            if (elapsedMs - measuredMs >= RATE_MS) {
                rate = rate(status.shippedBytes() - measuredBytes, elapsedMs - measuredMs);
                measuredBytes = status.shippedBytes();
                measuredMs = elapsedMs;
            }
            line.show(ShipStatusText.line(status, rate));
        }

        @Override
        public void message(String message) {
            line.message("chagres ship: " + message);
        }

        @Override
        public void started(String what) {
            message(what);
        }

        @Override
        public void ended(ShipStatus status, boolean safe) {
            line.clear();
            message(safe ? ShipReport.safe(status) : atRisk(status));
        }

        @Override
        public void shipped(String how) {
            line.message("chagres ship: " + how);
        }

        private static long rate(long bytes, long ms) {
            return ms <= 0 ? 0 : Math.max(0, bytes) * 1000 / ms;
        }
    }
}
