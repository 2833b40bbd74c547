package io.chagres.cli.status;

import io.chagres.archive.Heartbeat;
import io.chagres.archive.read.FleetStatus;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Durations;
import io.chagres.cli.text.JsonWriter;
import io.chagres.ship.metrics.Metrics;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * One line about a ship. Immutable.
 *
 * @param host its name in the archive; empty when it is not known
 * @param where what identifies it further
 * @param heardMs when it was heard last, milliseconds since 1970; 0 for never
 * @param word its last; null when it has said none
 * @param silence what to say when there is no word
 * @param fault what of it cannot be read, and why; null when nothing
 * @param acknowledgedMs when somebody said that this is known, milliseconds since 1970; 0 when nobody did
 */
record Row(
        String host,
        Where where,
        FleetStatus.State state,
        long heardMs,
        @Nullable Heartbeat word,
        String silence,
        @Nullable String fault,
        long acknowledgedMs) {
    /** One letter for each cell, see {@link io.chagres.cli.text.Table}. */
    static final String ALIGNMENT = "llrrrrll";

    /** The headings of the columns. */
    static final String[] HEADER = {
        "HOST", "STATE", "HEARD", "AT RISK", "UNVERIFIED", "RATE", "VERSION", "TROUBLE, OR WHAT IT FOLLOWS"
    };

    /** The column of the state. */
    static final int STATE = 1;

    /** Hosts that need a look come first, the worst at the top; then those in trouble, then the rest by name. */
    static final Comparator<Row> WORST_FIRST = Comparator.comparing((Row row) -> !row.isAlarming())
            .thenComparing(row -> !row.isTroubled())
            .thenComparing(row -> row.acknowledgedMs == 0)
            .thenComparing(Row::state)
            .thenComparing(Row::owed, Comparator.reverseOrder())
            .thenComparing(Row::host);

    private static final String UNKNOWN = "unknown";

    /** Where a ship was found. */
    sealed interface Where {}

    /** In an archive. */
    record Fleet(String hostId) implements Where {}

    /** On this machine. */
    record Here(String archive, long pid) implements Where {}

    /** Says whether somebody must look. */
    boolean isAlarming() {
        return acknowledgedMs == 0 && state.isAlarming();
    }

    /** Says whether it lives and says that something is wrong. */
    boolean isTroubled() {
        Heartbeat said = word;
        return state == FleetStatus.State.LIVE
                && said != null
                && !said.trouble().isEmpty();
    }

    /** Unknown is more than any number. */
    private long owed() {
        Heartbeat said = word;
        return !isAlarming() ? 0 : said == null || said.riskBytes() < 0 ? Long.MAX_VALUE : said.riskBytes();
    }

    String[] cells(long nowMs) {
        Heartbeat said = word;
        return new String[] {
            host.isEmpty() ? UNKNOWN : host,
            state.word(),
            heardMs == 0 ? "never heard" : Durations.format(Math.max(0, nowMs - heardMs)) + " ago",
            said == null ? UNKNOWN : risk(said),
            said == null ? UNKNOWN : size(said.unverifiedBytes()),
            said == null || said.bytesPerSecond() < 0 ? "-" : ByteSize.format(said.bytesPerSecond()) + "/s",
            said == null || said.version().isEmpty() ? "-" : said.version(),
            (acknowledgedMs == 0
                            ? ""
                            : "acknowledged " + Durations.format(Math.max(0, nowMs - acknowledgedMs)) + " ago: ")
                    + note(what())
        };
    }

    private String what() {
        Heartbeat said = word;
        if (fault != null) {
            return fault;
        }
        if (said == null) {
            return silence;
        }
        return said.trouble().isEmpty() ? said.follows() : said.trouble();
    }

    private String note(String what) {
        return switch (where) {
            case Fleet _ -> what;
            case Here here ->
                "pid " + here.pid() + (here.archive().isEmpty() ? "" : " to " + here.archive()) + ": " + what;
        };
    }

    private static String risk(Heartbeat word) {
        String age = word.riskMs() < 0 ? UNKNOWN : Durations.format(word.riskMs());
        return size(word.riskBytes()) + (word.riskBytes() < 0 ? "" : " (" + age + ")");
    }

    private static String size(long bytes) {
        return bytes < 0 ? UNKNOWN : ByteSize.format(bytes);
    }

    /** Returns what stays the same from look to look. */
    String identity() {
        return switch (where) {
            case Fleet fleet -> fleet.hostId() + (state == FleetStatus.State.FENCED ? " fenced " + heardMs : "");
            case Here here -> here.archive() + " " + here.pid();
        };
    }

    /** Returns what is known of it when the archive no longer has it. */
    Row vanished() {
        return new Row(
                host,
                where,
                state == FleetStatus.State.FENCED ? state : FleetStatus.State.UNKNOWN, // it stays the same line
                heardMs,
                word,
                silence,
                "it was in the archive, and is not there now",
                0);
    }

    /** Returns what identifies it among metrics. */
    String labels() {
        String id = where instanceof Fleet fleet ? fleet.hostId() : "";
        return Metrics.label("host", host) + "," + Metrics.label("id", id) + ","
                + Metrics.label("state", state.word()) + ","
                + Metrics.label("fenced", state == FleetStatus.State.FENCED ? Long.toString(heardMs) : "");
    }

    JsonWriter json() {
        JsonWriter line = new JsonWriter().beginObject();
        members(line);
        return line.endObject();
    }

    /** Writes the members of an object. */
    void members(JsonWriter line) {
        line.member("host", host);
        switch (where) {
            case Fleet fleet -> line.member("hostId", fleet.hostId());
            case Here here -> line.member("archive", here.archive()).member("pid", here.pid());
        }
        line.member("state", state.word()).member("alarming", isAlarming());
        if (acknowledgedMs > 0) {
            line.timeMember("acknowledged", acknowledgedMs);
        }
        if (heardMs > 0) {
            line.timeMember("heard", heardMs);
        }
        Heartbeat said = word;
        if (said != null) {
            line.knownMember("riskBytes", said.riskBytes()).knownMember("riskMs", said.riskMs());
            line.knownMember("unverifiedBytes", said.unverifiedBytes());
            line.knownMember("bytesPerSecond", said.bytesPerSecond());
            line.knownMember("oldestLookMs", said.oldestLookMs());
            line.knownMember("files", said.files()).member("drained", said.state() == Heartbeat.State.DRAINED);
            line.member("version", said.version()).member("follows", said.follows());
            line.member("trouble", said.trouble().isEmpty() ? null : said.trouble());
            line.knownMember("lostBytes", said.lostBytes());
        }
        if (fault != null) {
            line.member("fault", fault);
        }
    }
}
