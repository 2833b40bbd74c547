package io.chagres.cli.ship;

import io.chagres.cli.text.Words;
import io.chagres.ship.ShipOptions;
import io.chagres.ship.Shipper;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Lets a running shipper go on by what its configuration says now. The file is read on the thread of the signal; what
 * follows from it happens in the steps of the session. Safe for any thread.
 */
final class Reload {
    private final ShipReport report;
    private final Supervisor supervisor;
    private ShipSettings settings;
    private @Nullable ShipOptions latest;
    private @Nullable ShipOptions pending;
    private @Nullable String unchanged;
    private boolean underWay;

    Reload(ShipSettings settings, ShipReport report, Supervisor supervisor) {
        this.settings = settings;
        this.report = report;
        this.supervisor = supervisor;
    }

    /** Reads the file again; a bad one changes nothing, and the next step says so. */
    synchronized void request() {
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
            String fault = e.getMessage() == null ? e.toString() : e.getMessage();
            unchanged = "the configuration is not taken, going on with the one before: " + fault;
        }
    }

    /** A shipper was opened by the options of the start: it gets the newest, if there are any. */
    synchronized void opened() {
        pending = latest;
    }

    /** Hands over what was read and says what came of it. */
    synchronized void step(Shipper shipper) {
        if (unchanged != null) {
            report.message(unchanged);
            unchanged = null;
            supervisor.reloads();
            supervisor.reloaded();
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
        }
    }
}
