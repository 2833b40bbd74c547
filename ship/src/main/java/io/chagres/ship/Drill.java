package io.chagres.ship;

import io.chagres.foreign.ErrnoException;
import io.chagres.ship.commit.CommitPipeline;
import io.chagres.ship.commit.StoreHealth;
import io.chagres.ship.follow.LogPresence;
import org.jspecify.annotations.Nullable;

/**
 * Measures while files are shipped how long a drain would take, and answers anybody who asks: nothing is scanned, read
 * or committed for that. Confined to the shipper's thread but for {@link #forecast}.
 */
final class Drill {
    private static final int COMMITS = 32;
    private static final long MUCH_BYTES = 1 << 20;
    private static final long LOOK_MS = 1000;

    private static final int MOMENTS = 12;
    private static final long MOMENT_MS = 5_000;

    private final CommitPipeline pipeline;
    private final LogPresence presence;
    private final StoreHealth health;
    private final @Nullable StateDirectory state;
    /** The files that are shipped; null where an input is that is none, such as standard input. */
    private final @Nullable ShipParts files;

    private final BusyRate shipping = new BusyRate(MUCH_BYTES);
    private final BusyRate comparing = new BusyRate(1);

    private final long[] commitMs = new long[COMMITS];
    private final int[] commitBytes = new int[COMMITS];
    private int commits;

    /** How many bytes were ever seen at some moments of the last minute. */
    private final long[] seen = new long[MOMENTS];

    private final long[] seenMs = new long[MOMENTS];
    private int moments;

    private long scanSinceMs = -1;
    private long scanMs;
    private long nextMs;
    private long heardMs;
    private boolean unheard;
    private volatile DrainForecast forecast = DrainForecast.UNKNOWN;

    /** Measures a ship of files. */
    Drill(ShipParts parts) {
        this(parts.pipeline, parts.presence, parts.health, parts.state, parts);
        scanMs = -1;
        heardMs = parts.clock.getAsLong();
        committed(0, parts.openedInMs);
    }

    /**
     * Measures a ship of an input that is no file: nothing is to scan or to compare.
     *
     * @param opening the ship's own, whose log is open
     */
    Drill(CommitPipeline pipeline, LogPresence presence, StoreHealth health, IncarnationOpening opening, long nowMs) {
        this(pipeline, presence, health, opening.state, null);
        heardMs = nowMs;
        committed(0, opening.tookMs);
    }

    private Drill(
            CommitPipeline pipeline,
            LogPresence presence,
            StoreHealth health,
            @Nullable StateDirectory state,
            @Nullable ShipParts files) {
        this.pipeline = pipeline;
        this.presence = presence;
        this.health = health;
        this.state = state;
        this.files = files;
    }

    /** Takes that a commit was acknowledged. */
    void committed(long nowMs) {
        heardMs = nowMs;
        committed(pipeline.lastDataBytes(), pipeline.lastMs());
    }

    /** Takes a commit that was acknowledged: the bytes of files in it, and the time from its cut on. */
    private void committed(int bytes, long ms) {
        commitBytes[commits % COMMITS] = bytes;
        commitMs[commits % COMMITS] = ms;
        commits++;
    }

    /** Takes one step; answers anybody who asked, within about a second. */
    void step(long nowMs, ShipStatus status) {
        boolean uploads = files != null && !files.uploads.isIdle();
        shipping.step(nowMs, uploads || pipeline.isUnderWay(), pipeline.acknowledgedBytes());
        if (files != null) {
            comparing.step(nowMs, files.verifier.isComparing(), files.verifier.comparedBytes());
            watchScan(nowMs, files.watcher.scanning());
        }
        if (nowMs < nextMs) {
            return;
        }
        nextMs = nowMs + LOOK_MS;
        see(nowMs, status);
        forecast = forecast(nowMs, status);
        if (isAsked()) {
            answer();
        }
    }

    /** Looks with the next step whether somebody asks. */
    void lookNow() {
        nextMs = 0;
    }

    private void watchScan(long nowMs, boolean scans) {
        if (scans && scanSinceMs < 0) {
            scanSinceMs = nowMs;
        } else if (!scans && scanSinceMs >= 0) {
            scanMs = nowMs - scanSinceMs;
            scanSinceMs = -1;
        }
    }

    private void see(long nowMs, ShipStatus status) {
        boolean due = moments == 0 || nowMs - seenMs[(moments - 1) % MOMENTS] >= MOMENT_MS;
        if (status.riskBytes() >= 0 && due) {
            seen[moments % MOMENTS] = status.shippedBytes() + status.riskBytes();
            seenMs[moments % MOMENTS] = nowMs;
            moments++;
        }
    }

    private long writeRate(long nowMs, ShipStatus status) {
        int oldest = moments <= MOMENTS ? 0 : moments % MOMENTS;
        long tookMs = moments == 0 ? 0 : nowMs - seenMs[oldest];
        long grown = status.shippedBytes() + status.riskBytes() - seen[oldest];
        return status.riskBytes() < 0 || tookMs < MOMENT_MS ? -1 : Math.max(0, (long) (grown * 1000.0 / tookMs));
    }

    private DrainForecast forecast(long nowMs, ShipStatus status) {
        long slowest = -1;
        long largest = 0;
        for (int i = 0; i < Math.min(commits, COMMITS); i++) {
            slowest = Math.max(slowest, commitMs[i]);
            largest = Math.max(largest, commitBytes[i]);
        }
        long stuck = files == null ? 0 : files.outsideBytes();
        return new DrainForecast(
                status.riskBytes() < 0 ? -1 : Math.max(0, status.riskBytes() - stuck),
                stuck,
                Math.max(0, status.unverifiedBytes()), // unknown where the risk is
                scanMs,
                slowest,
                largest,
                shipping.perSecond(nowMs),
                comparing.perSecond(nowMs),
                writeRate(nowMs, status),
                nowMs - Math.max(heardMs, presence.heardMs()),
                beyond(files),
                status.storeTrouble() == null ? "" : status.storeTrouble());
    }

    private static DrainForecast.Beyond beyond(@Nullable ShipParts files) {
        if (files == null) {
            return DrainForecast.Beyond.INPUT;
        }
        return files.undelivered.isExpected() ? DrainForecast.Beyond.KAFKA : DrainForecast.Beyond.NOTHING;
    }

    private boolean isAsked() {
        try {
            return state != null && state.takeDrill();
        } catch (ErrnoException e) {
            return false; // the one who waits learns that no answer came
        }
    }

    private void answer() {
        if (state == null) {
            return;
        }
        try {
            state.answer(forecast);
            unheard = false;
        } catch (ErrnoException e) {
            if (!unheard) {
                unheard = true;
                health.problem("the state directory cannot be written (" + e.getMessage()
                        + "); 'chagres drain --drill' hears nothing");
            }
        }
    }

    /** Returns the last forecast. Safe for any thread. */
    DrainForecast forecast() {
        return forecast;
    }
}
