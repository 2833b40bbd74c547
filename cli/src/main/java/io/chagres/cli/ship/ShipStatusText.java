package io.chagres.cli.ship;

import io.chagres.cli.command.ProgressLine;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Durations;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Words;
import io.chagres.ship.ShipStatus;

/** Puts a shipper's status into words, a progress bar or JSON. */
final class ShipStatusText {
    private ShipStatusText() {}

    /**
     * Returns the live line: files, bytes, what is at risk; the rate only while something is to be done, and troubles
     * only when there are any.
     *
     * @param rate bytes a second
     */
    static String line(ShipStatus status, long rate) {
        StringBuilder line = new StringBuilder("  ");
        line.append(Words.plural(status.files(), "file"));
        line.append(", ").append(ByteSize.format(status.shippedBytes())).append(" shipped, at risk ");
        line.append(risk(status));
        if (rate > 0 && status.riskBytes() != 0) {
            line.append(", ").append(ByteSize.format(rate)).append("/s");
        }
        return line.append(troubles(status)).toString();
    }

    /** Returns what is at risk: {@code 0 B (0.0 s)}, or {@code unknown} while a directory is not yet scanned or
     * cannot be read. */
    static String risk(ShipStatus status) {
        if (status.riskBytes() < 0) {
            return status.scanning() ? "unknown (scanning)" : "unknown";
        }
        return ByteSize.format(status.riskBytes()) + " (" + Durations.format(status.riskMs()) + ")";
    }

    /**
     * Returns the progress bar of {@code --once}.
     *
     * @param rate bytes a second since the start
     */
    static String progress(ShipStatus status, long rate) {
        long total = Math.max(status.totalBytes(), status.archivedBytes());
        if (status.scanning() && total == 0) {
            return "  scanning" + troubles(status);
        }
        String scanning = status.scanning() ? " (scanning)" : "";
        return ProgressLine.bar(status.archivedBytes(), total, rate) + scanning + troubles(status);
    }

    /**
     * Returns the status as one JSON object.
     *
     * @param timeMs wall clock
     * @param last whether the shipper has ended
     */
    static JsonWriter json(ShipStatus status, long timeMs, boolean last) {
        JsonWriter json = new JsonWriter().beginObject();
        json.timeMember("time", timeMs);
        members(json, status);
        return json.member("ended", last).endObject();
    }

    /** Writes the numbers of a status into the open object. */
    static void members(JsonWriter json, ShipStatus status) {
        json.member("files", status.files()).member("shippedBytes", status.shippedBytes());
        json.member("totalBytes", status.totalBytes()).member("archivedBytes", status.archivedBytes());
        json.knownMember("riskBytes", status.riskBytes());
        json.member("riskMs", status.riskMs()).member("heldBackBytes", status.heldBackBytes());
        json.knownMember("unverifiedBytes", status.unverifiedBytes());
        json.knownMember("oldestLookMs", status.looks().oldestMs());
        json.member("overdueFiles", status.looks().overdueFiles());
        json.member("unreadableFiles", status.unreadableFiles());
        json.member("unreadableDirectories", status.unreadableDirectories());
        json.member("missingFiles", status.missingFiles()).member("unfollowedLinks", status.unfollowedLinks());
        json.member("leftOutFiles", status.leftOutFiles());
        json.member("lostBytes", status.lost().bytes())
                .member("lostFiles", status.lost().files());
        json.name("lostPaths").beginArray();
        status.lost().latest().forEach(json::value);
        json.endArray();
        json.member("commits", status.commits()).member("errors", status.errors());
        json.member("scanning", status.scanning()).member("storeTrouble", status.storeTrouble());
    }

    /** Returns what was lost, with a comma before; empty when nothing was. */
    static String lost(ShipStatus status) {
        return status.lost().files() == 0
                ? ""
                : ", " + ByteSize.format(status.lost().bytes()) + " of "
                        + Words.plural(status.lost().files(), "file") + " lost";
    }

    /** Returns what cannot be read or found, with a comma before each; empty when everything can. */
    static String unreadable(ShipStatus status) {
        long files = status.unreadableFiles();
        long directories = status.unreadableDirectories();
        return (files > 0 ? ", " + Words.plural(files, "file") + " unreadable" : "")
                + (directories > 0 ? ", " + Words.plural(directories, "directory", "directories") + " unreadable" : "")
                + (status.missingFiles() > 0
                        ? ", " + Words.plural(status.missingFiles(), "file") + " missing since no ship ran"
                        : "")
                + (status.unfollowedLinks() > 0
                        ? ", " + Words.plural(status.unfollowedLinks(), "link") + " not followed"
                        : "")
                + (status.leftOutFiles() > 0
                        ? ", " + Words.plural(status.leftOutFiles(), "file") + " left out for their age"
                        : "");
    }

    /** Returns what to say when nothing is at risk; missing files make that unknown. */
    static String safe(ShipStatus status) {
        return status.missingFiles() == 0
                ? "everything is acknowledged"
                : "everything that was found is acknowledged, " + Words.plural(status.missingFiles(), "file")
                        + " not found";
    }

    /** Returns since when and why the store refuses, and what that means: nothing is lost while the machine lives. */
    static String refusal(ShipStatus status) {
        String risk = status.riskBytes() < 0 ? "an unknown number of bytes" : ByteSize.format(status.riskBytes());
        String lost = status.lost().files() == 0 ? "nothing lost" : lost(status).substring(2);
        return "store " + status.storeTrouble() + "; " + lost + ", " + risk + " at risk";
    }

    private static String troubles(ShipStatus status) {
        StringBuilder troubles = new StringBuilder();
        troubles.append(lost(status)).append(unreadable(status));
        if (status.looks().overdueFiles() > 0) {
            troubles.append(", ")
                    .append(Words.plural(status.looks().overdueFiles(), "file"))
                    .append(" not looked at for up to ")
                    .append(Durations.format(status.looks().oldestMs()));
        }
        if (status.errors() > 0) {
            troubles.append(", ").append(Words.plural(status.errors(), "error"));
        }
        if (status.storeTrouble() != null) {
            troubles.append(", ").append(refusal(status));
        }
        return troubles.toString();
    }
}
