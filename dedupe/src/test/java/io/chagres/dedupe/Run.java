package io.chagres.dedupe;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Function;

/** A whole run on one thread, and what it reported. */
final class Run {
    /** Files are not young in it. */
    static final InstantSource LATER = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(1));

    final Heard heard = new Heard();
    private final DedupeTotals totals;

    Run(DedupeOptions options, Path... paths) throws IOException {
        this(options, () -> {}, paths);
    }

    Run(DedupeOptions options, Runnable beforeWork, Path... paths) throws IOException {
        this(options, beforeWork, Dedupe::worker, paths);
    }

    Run(DedupeOptions options, Runnable beforeWork, Function<Dedupe, DedupeWorker> maker, Path... paths)
            throws IOException {
        try (Dedupe dedupe = new Dedupe(options, LATER, heard)) {
            for (Path path : paths) {
                dedupe.add(Pathname.of(path.toString()));
            }
            toTheEnd(dedupe.scanWorker());
            dedupe.plan();
            beforeWork.run();
            toTheEnd(maker.apply(dedupe));
            dedupe.save();
            totals = dedupe.totals();
        }
    }

    /** Lets a worker do all there is. */
    static void toTheEnd(DedupeWorker worker) {
        try (worker) {
            while (worker.step()) {}
        }
    }

    long count(Count count) {
        return totals.get(count);
    }
}
