package io.chagres.cli.ship;

import io.chagres.cli.text.Words;
import io.chagres.ship.ReloadAnswer;
import io.chagres.ship.ShipOptions;
import io.chagres.ship.Shipper;
import io.chagres.ship.metrics.Metrics;
import java.io.IOException;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Lets a running shipper continue with what its configuration says now. The file is read on the thread of the signal;
 * what follows from it happens in the steps of the session. Safe for any thread.
 */
final class Reload {
    private static final double MS_PER_SECOND = 1000.0;

    private final ShipReport report;
    private final Supervisor supervisor;
    private final InstantSource clock;
    private final boolean answers;
    private ShipSettings settings;
    private @Nullable ShipOptions latest;
    private @Nullable ShipOptions pending;
    private @Nullable String unchanged;
    private boolean underWay;
    private @Nullable String fault;
    private long takenMs;
    private long refusedMs;
    private long handled;
    private boolean tells;
    private Runnable wakesShipper = () -> {};

    /**
     * Begins with what is in force.
     *
     * @param managed whether a service manager started this, so that a signal to read again never ends it
     */
    Reload(ShipSettings settings, ShipReport report, Supervisor supervisor, InstantSource clock, boolean managed) {
        this.settings = settings;
        this.report = report;
        this.supervisor = supervisor;
        this.clock = clock;
        answers = managed || settings.hasFile();
        takenMs = clock.millis();
    }

    /** Reads the file again; a bad one changes nothing, and the next step says so. */
    synchronized void request() {
        read();
        wakesShipper.run();
    }

    private void read() {
        if (!settings.hasFile()) {
            unchanged = "nothing to read again: there is no configuration";
            return;
        }
        try {
            ShipSettings next = settings.reread();
            ShipOptions options = next.command().complete().options();
            settings = next;
            latest = options;
            pending = options;
            unchanged = null;
        } catch (IOException | RuntimeException e) {
            refusedMs = fault == null ? clock.millis() : refusedMs;
            fault = e.getMessage() == null ? e.toString() : e.getMessage();
            unchanged = "the configuration is not taken, continuing with the one before: " + fault;
        }
    }

    /**
     * A shipper was opened by the options of the start: it gets the newest, if there are any.
     *
     * @param wakesShipper ends the wait of its step
     */
    synchronized void opened(Runnable wakesShipper) {
        this.wakesShipper = wakesShipper;
        pending = latest;
        tells = answers;
    }

    /** Hands over what was read and says what came of it. */
    synchronized void step(Shipper shipper) {
        if (unchanged != null) {
            report.message(unchanged);
            unchanged = null;
            supervisor.reloads();
            supervisor.reloaded();
            handled++;
            tells = answers;
        }
        ShipOptions options = pending;
        if (options != null) {
            pending = null;
            underWay = true;
            supervisor.reloads();
            shipper.requestReload(options);
        } else if (underWay && !shipper.reloading()) {
            underWay = false;
            supervisor.reloaded();
            int sources = latest == null ? 0 : latest.sources().size();
            report.message("the configuration " + settings.path() + " is in force: " + Words.plural(sources, "source"));
            fault = null;
            takenMs = clock.millis();
            handled++;
            tells = answers;
        }
        if (tells) {
            tells = false;
            shipper.tellReloads(new ReloadAnswer(handled, fault), refusedMs);
        }
    }

    /** Adds whether the configuration is in force that the file holds, if there is a file. */
    synchronized Metrics addTo(Metrics metrics) {
        if (!settings.hasFile()) {
            return metrics;
        }
        return metrics.gauge(
                        "chagres_config_last_reload_successful",
                        "0 while the configuration that was read last is refused and the one before is in force.",
                        () -> isRefused() ? 0 : 1)
                .gauge(
                        "chagres_config_last_reload_success_timestamp_seconds",
                        "When the configuration in force was read, since 1970.",
                        () -> since(false))
                .gauge(
                        "chagres_config_refused_timestamp_seconds",
                        "Since when the configuration is refused, since 1970; 0 while it is not.",
                        () -> since(true));
    }

    private synchronized boolean isRefused() {
        return fault != null;
    }

    private synchronized double since(boolean refused) {
        return (refused ? fault == null ? 0 : refusedMs : takenMs) / MS_PER_SECOND;
    }
}
