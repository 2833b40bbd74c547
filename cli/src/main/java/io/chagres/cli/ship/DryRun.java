package io.chagres.cli.ship;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Durations;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Words;
import io.chagres.linux.MonotonicClock;
import io.chagres.ship.ShipPreview;
import java.io.IOException;
import java.util.List;

/** {@code ship --dry-run}: what would be followed and what that would cost a day; nothing is opened or written. */
final class DryRun {
    /** How long growth is looked at. */
    private static final long OBSERVE_MS = 3_000;

    private static final long PATIENCE_MS = 60_000;

    private DryRun() {}

    /** Looks, and says what it found; returns the exit code. */
    static int run(ShipPlan plan, CommandContext context, boolean json) throws IOException {
        try (ShipPreview preview = plan.preview(PATIENCE_MS)) {
            ShipPreview.FileCounts before = preview.look();
            long startMs = MonotonicClock.nowMs();
            for (long now = startMs; now < startMs + OBSERVE_MS; now = MonotonicClock.nowMs()) {
                preview.step((int) (startMs + OBSERVE_MS - now));
            }
            long elapsedMs = MonotonicClock.nowMs() - startMs;
            ShipPreview.FileCounts found = preview.look();
            double bytesPerSecond = Math.max(0, all(found) - all(before)) * 1000.0 / elapsedMs;
            DailyCost cost = DailyCost.of(plan.lagMs(), plan.options().pace().heartbeatMs(), bytesPerSecond);
            if (json) {
                context.out().line(json(plan, preview, found, cost));
            } else {
                problems(preview, context);
                print(plan, preview, found, cost, bytesPerSecond, context);
            }
        }
        return ExitCode.DONE;
    }

    /** Returns the bytes of all files: one that is left out and written again has not grown by all that it holds. */
    private static long all(ShipPreview.FileCounts found) {
        return found.bytes() + found.oldBytes();
    }

    private static void problems(ShipPreview preview, CommandContext context) {
        for (String problem : preview.problems()) {
            context.err().println("chagres ship: " + problem);
        }
    }

    private static void print(
            ShipPlan plan,
            ShipPreview preview,
            ShipPreview.FileCounts found,
            DailyCost cost,
            double bytesPerSecond,
            CommandContext context)
            throws IOException {
        String least = preview.isWhole() ? "" : "at least ";
        if (found.oldFiles() > 0) {
            context.out()
                    .line("would leave out " + least + Words.plural(found.oldFiles(), "file") + ", "
                            + ByteSize.format(found.oldBytes()) + ", not written for longer than --ignore-older, unless"
                            + " the archive knows them");
        }
        for (String line : List.of(
                "would follow " + least + Words.plural(found.files(), "file") + ", " + ByteSize.format(found.bytes())
                        + ", with " + Words.plural(preview.watches(), "watch", "watches") + ", in "
                        + Words.plural(plan.options().sources().size(), "source"),
                "would ship to " + plan.to() + (plan.isSpool() ? ", through " + plan.store() + "," : "") + " as host "
                        + plan.options().identity().hostName() + ", commits " + Durations.format(plan.lagMs())
                        + " apart at least",
                "grew by " + ByteSize.format(Math.round(bytesPerSecond)) + "/s, which is "
                        + ByteSize.format(cost.bytes()) + " a day before compression",
                cost.text(plan.isPaid()),
                "nothing was written")) {
            context.out().line(line);
        }
    }

    private static JsonWriter json(ShipPlan plan, ShipPreview preview, ShipPreview.FileCounts found, DailyCost cost) {
        JsonWriter json = new JsonWriter().beginObject();
        json.member("files", found.files()).member("bytes", found.bytes());
        json.member("leftOutFiles", found.oldFiles()).member("leftOutBytes", found.oldBytes());
        json.member("scanned", preview.isWhole());
        json.member("watches", preview.watches()).member("to", plan.to());
        json.member("host", plan.options().identity().hostName()).member("lagMs", plan.lagMs());
        json.member("bytesPerDay", cost.bytes()).member("requestsPerDay", cost.puts());
        json.member("objectsPerDay", cost.objects());
        json.member("microdollarsPerDay", plan.isPaid() ? Math.round(cost.dollars() * 1e6) : 0);
        json.name("problems").beginArray();
        preview.problems().forEach(json::value);
        return json.endArray().endObject();
    }
}
