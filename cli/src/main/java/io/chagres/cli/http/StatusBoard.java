package io.chagres.cli.http;

import io.chagres.cli.text.JsonWriter;
import io.chagres.ship.FileRisk;
import io.chagres.ship.ShipStatus;
import io.chagres.ship.metrics.Metrics;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The knowledge about a running ship, for readers on other threads: the last status, an hour of samples, the last
 * messages. The shipper's thread fills it; safe for any.
 */
public final class StatusBoard implements Board {
    static final int SAMPLES = 360;
    static final long SAMPLE_MS = 10_000;
    private static final int MESSAGES = 30;

    /** A message to the operator, and its time in milliseconds since 1970. */
    private record Message(long timeMs, String text) {}

    /** The facts that do not change. */
    public record About(String version, String host, String archive, String follows) {}

    private final About about;
    private final InstantSource clock;
    private final BiConsumer<JsonWriter, ShipStatus> members;
    private final Deque<Message> messages = new ArrayDeque<>();
    private final long[] riskBytes = new long[SAMPLES];
    private final long[] riskMs = new long[SAMPLES];
    private final long[] shippedBytes = new long[SAMPLES];
    private int samples;
    private long sampledMs;
    private ShipStatus status = ShipStatus.unopened("", 0);
    private LongSupplier hangsForMs = () -> 0;
    private boolean scanned;
    private boolean accepted;
    private Predicate<ShipStatus> accepts = any -> false;
    private boolean ended;
    private @Nullable Supplier<Metrics> metrics;
    private Supplier<List<FileRisk>> files = List::of;

    /**
     * Begins with nothing known.
     *
     * @param members writes the members of a status as 'ship --json' has them
     */
    public StatusBoard(About about, InstantSource clock, BiConsumer<JsonWriter, ShipStatus> members) {
        this.about = about;
        this.clock = clock;
        this.members = members;
    }

    /**
     * Takes what only a shipper can tell, once the store has been opened; asked on other threads.
     *
     * @param hasAccepted whether something was accepted where the bytes go, by a status
     * @param hanging for how long the loop that ships hangs, in milliseconds; 0 while it works
     */
    public synchronized void opened(
            Supplier<Metrics> registry,
            Supplier<List<FileRisk>> filesAtRisk,
            Predicate<ShipStatus> hasAccepted,
            LongSupplier hanging) {
        accepts = hasAccepted;
        metrics = registry;
        files = filesAtRisk;
        hangsForMs = hanging;
    }

    /** Takes a status. */
    public synchronized void status(ShipStatus now) {
        status = now;
        long reportedMs = clock.millis();
        scanned |= !now.scanning();
        accepted |= metrics != null && accepts.test(now);
        if (samples == 0 || reportedMs - sampledMs >= SAMPLE_MS) {
            sampledMs = reportedMs;
            samples++;
            sample(now.riskBytes(), now.riskMs());
        } else { // the worst of each sample is shown
            int at = (samples - 1) % SAMPLES;
            sample(Math.max(riskBytes[at], now.riskBytes()), Math.max(riskMs[at], now.riskMs()));
        }
    }

    private void sample(long bytes, long ms) {
        int at = (samples - 1) % SAMPLES;
        riskBytes[at] = bytes;
        riskMs[at] = ms;
        shippedBytes[at] = status.shippedBytes();
    }

    /** Takes a message for people. */
    public synchronized void message(String text) {
        if (messages.size() == MESSAGES) {
            messages.removeFirst();
        }
        messages.addLast(new Message(clock.millis(), text));
    }

    /** Shipping is over: the shipper may be closed. */
    public synchronized void ended() {
        ended = true;
        metrics = null;
        files = List::of;
        hangsForMs = () -> 0;
    }

    /** Returns what is wrong with the loop that ships, or null while it works. */
    @Override
    public synchronized @Nullable String ailment() {
        long ms = hangsForMs.getAsLong();
        return ms > 0 ? "the loop that ships has hung in a call for " + ms / 1000 + " s" : null;
    }

    /** Returns what it is not ready for, or null once the store has accepted and everything was scanned once. */
    @Override
    public synchronized @Nullable String obstacle() {
        if (ended) {
            return "it has ended";
        }
        if (metrics == null) {
            return status.storeTrouble() == null || status.storeTrouble().isEmpty()
                    ? "the store has not answered yet"
                    : "the store " + status.storeTrouble();
        }
        if (!accepted) {
            return status.storeTrouble() == null
                    ? "nothing has been accepted yet where the bytes go"
                    : "the store " + status.storeTrouble();
        }
        return scanned ? null : "the first scan is not done";
    }

    /** Returns the registry of metrics, or null before the store has accepted. */
    @Override
    public synchronized @Nullable Metrics metrics() {
        return metrics == null ? null : metrics.get();
    }

    /** Returns everything as one JSON object. */
    @Override
    public synchronized String json() {
        JsonWriter json = new JsonWriter().beginObject();
        json.timeMember("time", clock.millis()).member("version", about.version());
        json.member("host", about.host()).member("archive", about.archive()).member("follows", about.follows());
        json.member("obstacle", obstacle()).member("ailment", ailment());
        json.name("status").beginObject();
        long ms = hangsForMs.getAsLong();
        members.accept(json, ms > 0 ? status.silent(ms) : status);
        json.endObject();
        json.name("history").beginObject().member("stepMs", SAMPLE_MS);
        array(json, "riskBytes", riskBytes);
        array(json, "riskMs", riskMs);
        array(json, "shippedBytes", shippedBytes);
        json.endObject().name("files").beginArray();
        for (FileRisk file : files.get()) {
            json.beginObject().member("path", file.path()).member("riskBytes", file.riskBytes());
            json.member("riskMs", file.riskMs()).member("bytes", file.bytes()).endObject();
        }
        json.endArray().name("messages").beginArray();
        for (Message message : messages.reversed()) {
            json.beginObject().timeMember("time", message.timeMs());
            json.member("text", message.text()).endObject();
        }
        return json.endArray().endObject().toString();
    }

    @Override
    public String page() throws IOException {
        return Board.page(StatusBoard.class, "status.html");
    }

    private void array(JsonWriter json, String name, long[] values) {
        json.name(name).beginArray();
        for (int i = Math.max(0, samples - SAMPLES); i < samples; i++) {
            json.value(values[i % SAMPLES]);
        }
        json.endArray();
    }
}
