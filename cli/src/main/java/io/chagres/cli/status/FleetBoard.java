package io.chagres.cli.status;

import io.chagres.archive.Heartbeat;
import io.chagres.archive.read.FleetStatus;
import io.chagres.cli.http.Board;
import io.chagres.cli.text.JsonWriter;
import io.chagres.ship.metrics.Metrics;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Holds the last look at the archive of a fleet, for readers on other threads. A host that was there
 * once stays, also when the archive no longer has it. Safe for any thread.
 */
final class FleetBoard implements Board {
    /** This many missed looks in a row are no accident. */
    private static final int MISSED_LOOKS = 3;

    private static final double MS_PER_SECOND = 1000.0;

    /** How many looks are shown of what was at risk: an hour, where one is made each minute. */
    private static final int SHOWN_LOOKS = 60;

    private final String archive;
    private final InstantSource clock;
    private final long everyMs;
    private final int mostHosts;
    private final Map<String, Row> known = new LinkedHashMap<>();
    private List<Row> rows = List.of();

    /** What each of the last looks found at risk, of the hosts that are told, but for nothing at risk. */
    private final Deque<Map<String, Long>> risks = new ArrayDeque<>();

    private long lookedMs;
    private long beganMs;
    private @Nullable String refusal;

    /**
     * Begins with nothing known.
     *
     * @param everyMs how often the archive is looked at, in milliseconds
     * @param mostHosts how many hosts have metrics of their own, the worst first
     */
    FleetBoard(String archive, InstantSource clock, long everyMs, int mostHosts) {
        this.archive = archive;
        this.clock = clock;
        this.everyMs = everyMs;
        this.mostHosts = mostHosts;
        beganMs = clock.millis();
    }

    /** Takes what a look found. */
    synchronized void looked(List<Row> found) {
        Map<String, Row> now = new LinkedHashMap<>();
        Set<Row.Where> present = new HashSet<>();
        for (Row row : found) {
            now.put(row.identity(), row);
            present.add(row.where());
        }
        known.forEach((identity, row) -> {
            boolean isOver = row.state() == FleetStatus.State.FENCED && present.contains(row.where()); // it ships again
            if (!isOver) {
                now.computeIfAbsent(identity, any -> row.vanished());
            }
        });
        known.clear();
        known.putAll(now);
        List<Row> sorted = new ArrayList<>(now.values());
        sorted.sort(Row.WORST_FIRST);
        rows = sorted;
        lookedMs = clock.millis();
        refusal = null;
        note();
    }

    private void note() {
        Map<String, Long> risk = new HashMap<>();
        for (Row row : told()) {
            long bytes = row.word() == null ? -1 : row.word().riskBytes();
            if (bytes != 0) {
                risk.put(row.identity(), bytes);
            }
        }
        risks.addLast(risk);
        if (risks.size() > SHOWN_LOOKS) {
            risks.removeFirst();
        }
    }

    private List<Row> told() {
        return rows.subList(0, Math.min(rows.size(), mostHosts));
    }

    /** The archive did not answer: what was found before stands, and gets old. */
    synchronized void refused(String why) {
        refusal = why;
    }

    @Override
    public synchronized @Nullable String ailment() {
        long silentMs = clock.millis() - Math.max(lookedMs, beganMs);
        if (silentMs <= MISSED_LOOKS * everyMs) {
            return null;
        }
        return "the archive was not read for " + silentMs / 1000 + " s" + (refusal == null ? "" : ": " + refusal);
    }

    @Override
    public synchronized @Nullable String obstacle() {
        return lookedMs > 0 ? null : refusal == null ? "the archive has not answered yet" : refusal;
    }

    @Override
    public synchronized @Nullable Metrics metrics() {
        if (lookedMs == 0) {
            return null;
        }
        long at = lookedMs;
        boolean up = refusal == null;
        Metrics metrics = new Metrics()
                .gauge("chagres_fleet_up", "0 while the archive does not answer.", () -> up ? 1 : 0)
                .gauge(
                        "chagres_fleet_looked_timestamp_seconds",
                        "When the archive was read last, since 1970.",
                        () -> at / MS_PER_SECOND);
        FleetSum sum = FleetSum.of(rows);
        for (FleetStatus.State state : FleetStatus.State.values()) {
            long count = sum.count(state);
            metrics.gauge(
                    "chagres_fleet_hosts",
                    "Hosts of each state; a fenced ship counts beside the one that fenced it.",
                    Metrics.label("state", state.word()),
                    () -> count);
        }
        metrics.gauge("chagres_fleet_alarming", "Hosts that somebody must look at.", sum::alarming);
        List<Row> told = told();
        int untold = rows.size() - told.size();
        metrics.gauge("chagres_fleet_untold", "Hosts without metrics of their own, which are no worse.", () -> untold);
        addHosts(metrics, told);
        return metrics;
    }

    private static void addHosts(Metrics metrics, List<Row> told) {
        each(
                metrics,
                told,
                "chagres_host_alarming",
                "1 if somebody must look at the host.",
                row -> row.isAlarming() ? 1 : 0);
        each(
                metrics,
                told,
                "chagres_host_heard_timestamp_seconds",
                "When the host was heard last, since 1970; 0 for never.",
                row -> row.heardMs() / MS_PER_SECOND);
        each(
                metrics,
                told,
                "chagres_host_at_risk_bytes",
                "Bytes at risk at the last word of the host; NaN for unknown.",
                row -> known(row.word(), Heartbeat::riskBytes));
        each(
                metrics,
                told,
                "chagres_host_at_risk_seconds",
                "Age of the oldest of them then; NaN for unknown.",
                row -> known(row.word(), Heartbeat::riskMs) / MS_PER_SECOND);
        each(
                metrics,
                told,
                "chagres_host_unverified_bytes",
                "Acknowledged bytes then, in files that may hold others since; NaN for unknown.",
                row -> known(row.word(), Heartbeat::unverifiedBytes));
    }

    private static double known(@Nullable Heartbeat word, ToLongFunction<Heartbeat> number) {
        return word == null || number.applyAsLong(word) < 0 ? Double.NaN : number.applyAsLong(word);
    }

    private static void each(Metrics metrics, List<Row> told, String name, String help, ToDoubleFunction<Row> value) {
        for (Row row : told) {
            double of = value.applyAsDouble(row);
            metrics.gauge(name, help, row.labels(), () -> of);
        }
    }

    @Override
    public synchronized String json() {
        JsonWriter json = new JsonWriter().beginObject().timeMember("time", clock.millis());
        json.member("archive", archive).member("ailment", ailment()).member("obstacle", obstacle());
        if (lookedMs > 0) {
            json.timeMember("looked", lookedMs);
        }
        FleetSum sum = FleetSum.of(rows);
        sum.members(json);
        json.member("sum", sum.text());
        json.name("hosts").beginArray();
        for (Row row : told()) {
            json.beginObject();
            row.members(json);
            String identity = row.identity();
            if (risks.stream().anyMatch(each -> each.containsKey(identity))) {
                json.name("history").beginArray();
                risks.forEach(each -> json.value(each.getOrDefault(identity, 0L)));
                json.endArray();
            }
            json.endObject();
        }
        return json.endArray()
                .member("untold", Math.max(0, rows.size() - mostHosts))
                .endObject()
                .toString();
    }

    @Override
    public String page() throws IOException {
        return Board.page(FleetBoard.class, "fleet.html");
    }
}
