package io.chagres.cli.command;

import io.chagres.archive.read.CommitWindow;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.PointInTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The times that every reading command takes. */
public final class TimeOptions {
    /** {@code --at}, or null. */
    @Option(
            names = "--at",
            paramLabel = "TIME",
            description = "Read the archive as it was at TIME: 2026-11-21T09:30, 09:30, 10m (ago) or @epoch."
                    + " In the time zone of this user ($TZ), unless it names one: 2026-11-21T09:30Z, 09:30+01:00,"
                    + " '2026-11-21 09:30 Europe/Berlin'.")
    @Nullable
    public Instant at;

    /** {@code --since}, or null. */
    @Option(names = "--since", paramLabel = "TIME", description = "Only what was committed after TIME.")
    @Nullable
    public Instant since;

    /** {@code --until}, or null. */
    @Option(names = "--until", paramLabel = "TIME", description = "Only what was committed up to TIME.")
    @Nullable
    public Instant until;

    /** Returns the moment to read. */
    public PointInTime at() {
        return at == null ? PointInTime.NOW : PointInTime.time(at.toEpochMilli());
    }

    /** Says whether something of a version was committed in the window of {@code --since} and {@code --until}. */
    public boolean covers(FileVersion version) {
        return CommitWindow.mayHold(version, since, until);
    }

    /** Returns the window in words, empty when there is none. */
    public String window() {
        return (since == null ? "" : " since " + since) + (until == null ? "" : " until " + until);
    }
}
