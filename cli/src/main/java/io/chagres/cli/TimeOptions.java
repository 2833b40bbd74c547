package io.chagres.cli;

import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.PointInTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The times that every reading command takes. */
final class TimeOptions {
    @Option(
            names = "--at",
            paramLabel = "TIME",
            description = "Read the archive as it was at TIME: 2026-11-21T09:30, 09:30, 10m (ago) or @epoch.")
    @Nullable
    Instant at;

    @Option(names = "--since", paramLabel = "TIME", description = "Only what was committed after TIME.")
    @Nullable
    Instant since;

    @Option(names = "--until", paramLabel = "TIME", description = "Only what was committed up to TIME.")
    @Nullable
    Instant until;

    /** Returns the moment to read. */
    PointInTime at() {
        return at == null ? PointInTime.NOW : PointInTime.time(at.toEpochMilli());
    }

    /** Says whether something of a version was committed in the window of {@code --since} and {@code --until}. */
    boolean covers(FileVersion version) {
        return (since == null || version.changedMs() > since.toEpochMilli())
                && (until == null || version.openedMs() <= until.toEpochMilli());
    }

    /** Returns the window in words, empty when there is none. */
    String window() {
        return (since == null ? "" : " since " + since) + (until == null ? "" : " until " + until);
    }
}
