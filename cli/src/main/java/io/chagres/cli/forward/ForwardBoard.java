package io.chagres.cli.forward;

import io.chagres.cli.http.Board;
import io.chagres.cli.text.JsonWriter;
import io.chagres.ship.metrics.Metrics;
import java.io.IOException;
import java.time.InstantSource;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The knowledge about a running {@code forward}, for readers on other threads. Safe for any thread. */
final class ForwardBoard implements Board {
    private static final double MS_PER_SECOND = 1000.0;

    private final String archive;
    private final InstantSource clock;
    private final ForwardReport report;
    private volatile @Nullable LongSupplier owedMs;
    private volatile IntSupplier unreadable = () -> 0;

    ForwardBoard(String archive, InstantSource clock, ForwardReport report) {
        this.archive = archive;
        this.clock = clock;
        this.report = report;
    }

    /**
     * Takes what only a forwarder can tell.
     *
     * @param age of the oldest line that is not forwarded, in milliseconds
     * @param unreadableHosts how many hosts are no longer forwarded
     */
    void opened(LongSupplier age, IntSupplier unreadableHosts) {
        unreadable = unreadableHosts;
        owedMs = age;
    }

    /** A sink that does not answer is no reason to start this again. */
    @Override
    public @Nullable String ailment() {
        return null;
    }

    @Override
    public @Nullable String obstacle() {
        return owedMs == null ? "the archive has not answered yet" : trouble();
    }

    private @Nullable String trouble() {
        return report.troubles().isEmpty() ? null : String.join("; ", report.troubles());
    }

    @Override
    public @Nullable Metrics metrics() {
        LongSupplier age = owedMs;
        if (age == null) {
            return null;
        }
        return new Metrics()
                .gauge(
                        "chagres_forward_owed_seconds",
                        "Age of the oldest line that is not forwarded, since this forward could know of it.",
                        () -> age.getAsLong() / MS_PER_SECOND)
                .gauge(
                        "chagres_forward_refused_hosts",
                        "Hosts whose lines the sink did not take when it was asked last.",
                        () -> report.troubles().size())
                .gauge(
                        "chagres_forward_unreadable_hosts",
                        "Hosts that could not be read, and are not forwarded until a start.",
                        unreadable::getAsInt)
                .counter("chagres_forward_records", "Records that the sink has taken.", report::records)
                .counter("chagres_forward_bytes", "Bytes of their values.", report::bytes);
    }

    @Override
    public String json() {
        LongSupplier age = owedMs;
        return new JsonWriter()
                .beginObject()
                .timeMember("time", clock.millis())
                .member("archive", archive)
                .member("obstacle", obstacle())
                .knownMember("owedMs", age == null ? -1 : age.getAsLong())
                .member("trouble", trouble())
                .member("unreadableHosts", unreadable.getAsInt())
                .member("records", report.records())
                .member("bytes", report.bytes())
                .endObject()
                .toString();
    }

    @Override
    public String page() throws IOException {
        return Board.page(ForwardBoard.class, "forward.html");
    }
}
