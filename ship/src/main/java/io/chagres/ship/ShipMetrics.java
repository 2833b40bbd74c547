package io.chagres.ship;

import io.chagres.ship.commit.StoreHealth;
import io.chagres.ship.metrics.Metrics;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** The metrics of a shipper: one for each promise, and some that explain them. Stateless. */
final class ShipMetrics {
    private static final double MS_PER_SECOND = 1000.0;

    /** The time that the shortest notice of a cloud leaves. */
    private static final long NOTICE_MS = 30_000;

    private ShipMetrics() {}

    /**
     * Makes the registry of a shipper.
     *
     * @param status the last one that was published
     * @param drain the forecast of a drain
     */
    static Metrics of(ShipParts parts, Supplier<ShipStatus> status, Supplier<DrainForecast> drain) {
        Metrics metrics =
                new Metrics().info("chagres_build_info", "The version.", "version=\"" + BuildVersion.text() + "\"");
        addRisk(metrics, status);
        addDrain(metrics, drain);
        addWork(metrics, parts, status);
        addStore(metrics, parts.health, status);
        metrics.gauge("chagres_watches", "Watches of inotify.", () -> parts.watcher.watches());
        metrics.gauge(
                "chagres_open_files", "Followed files whose descriptors are open.", () -> parts.descriptors.open());
        return metrics;
    }

    private static void addRisk(Metrics metrics, Supplier<ShipStatus> status) {
        metrics.gauge(
                        "chagres_at_risk_bytes",
                        "Bytes that would be lost if the machine died now; NaN for unknown.",
                        () -> known(status.get().riskBytes()))
                .gauge(
                        "chagres_at_risk_seconds",
                        "Age of the oldest byte at risk, or name not acknowledged; unreadable, held back and unseen"
                                + " bytes count.",
                        () -> status.get().riskMs() / MS_PER_SECOND)
                .gauge(
                        "chagres_held_back_bytes",
                        "The part of the bytes at risk that waits, being zeros at the end of a file.",
                        of(status, ShipStatus::heldBackBytes))
                .gauge(
                        "chagres_unverified_bytes",
                        "Bytes that are acknowledged, in files that nobody has compared since they changed; NaN for"
                                + " unknown.",
                        () -> known(status.get().unverifiedBytes()))
                .gauge(
                        "chagres_oldest_look_seconds",
                        "How long ago the file was looked at that was not looked at for longest; NaN for unknown.",
                        () -> known(status.get().looks().oldestMs()) / MS_PER_SECOND)
                .gauge("chagres_overdue_files", "Files that were not looked at within their time.", () -> status.get()
                        .looks()
                        .overdueFiles())
                .gauge(
                        "chagres_scanning",
                        "1 while a directory is not scanned yet.",
                        () -> status.get().scanning() ? 1 : 0)
                .gauge("chagres_files", "Files followed.", of(status, ShipStatus::files))
                .gauge(
                        "chagres_unreadable_files",
                        "Files that cannot be read.",
                        of(status, ShipStatus::unreadableFiles))
                .gauge(
                        "chagres_unreadable_directories",
                        "Directories that cannot be read; what is in them is not known.",
                        of(status, ShipStatus::unreadableDirectories))
                .gauge(
                        "chagres_missing_files",
                        "Files that grew when a shipper ran last and were not found at the start: what was written to"
                                + " them in between is in no archive.",
                        of(status, ShipStatus::missingFiles))
                .counter(
                        "chagres_lost_bytes",
                        "Bytes that were seen and went before they could be read; each file was named.",
                        () -> status.get().lost().bytes())
                .gauge(
                        "chagres_unfollowed_links",
                        "Links that lead out of what is followed: what they lead to is not shipped.",
                        of(status, ShipStatus::unfollowedLinks))
                .counter(
                        "chagres_left_out_files",
                        "Files left out for their age (ignore-older) when they were seen; a renamed one counts again.",
                        of(status, ShipStatus::leftOutFiles))
                .gauge("chagres_followed_bytes", "Size of all files followed.", of(status, ShipStatus::totalBytes));
    }

    private static double known(long number) {
        return number < 0 ? Double.NaN : number;
    }

    private static void addDrain(Metrics metrics, Supplier<DrainForecast> drain) {
        metrics.gauge(
                        "chagres_drain_seconds",
                        "How long a drain that begins now would take by what was measured; NaN for unknown.",
                        () -> {
                            long ms = drain.get().durationMs();
                            return ms < 0 ? Double.NaN : ms / MS_PER_SECOND;
                        })
                .gauge(
                        "chagres_drain_left_bytes",
                        "Bytes that would be at risk if the machine died this much from now; NaN for" + " unknown.",
                        Metrics.label("within", "30s"),
                        () -> {
                            long bytes = drain.get().leftBytes(NOTICE_MS);
                            return bytes < 0 ? Double.NaN : bytes;
                        });
    }

    private static DoubleSupplier of(Supplier<ShipStatus> status, ToLongFunction<ShipStatus> value) {
        return () -> value.applyAsLong(status.get());
    }

    private static void addWork(Metrics metrics, ShipParts parts, Supplier<ShipStatus> status) {
        metrics.durations(
                        "chagres_lag_seconds",
                        "From when the oldest byte of a file was noticed until the commit that holds it was"
                                + " acknowledged; one for each file of a commit.",
                        parts.pipeline.lags())
                .durations(
                        "chagres_commit_seconds",
                        "From the cut of a commit until the store has acknowledged it.",
                        parts.pipeline.durations())
                .counter("chagres_commits", "Commits acknowledged.", of(status, ShipStatus::commits))
                .counter("chagres_shipped_bytes", "Bytes acknowledged.", of(status, ShipStatus::shippedBytes))
                .counter("chagres_read_bytes", "Bytes read to be shipped.", read(parts.tailer::readBytes))
                .counter(
                        "chagres_compared_bytes",
                        "Bytes read again to prove what was shipped.",
                        read(parts.verifier::comparedBytes));
    }

    private static DoubleSupplier read(LongSupplier value) {
        return value::getAsLong;
    }

    private static void addStore(Metrics metrics, StoreHealth health, Supplier<ShipStatus> status) {
        metrics.gauge(
                "chagres_store_up",
                "0 while the store refuses, or does not answer.",
                () -> status.get().storeTrouble() == null ? 1 : 0);
        for (StoreHealth.Cause cause : StoreHealth.Cause.values()) {
            metrics.counter(
                    "chagres_retries",
                    "What the store refused and was tried again; lasting causes need somebody to change something.",
                    "cause=\"" + cause.label() + "\"",
                    () -> health.errors(cause));
        }
    }
}
