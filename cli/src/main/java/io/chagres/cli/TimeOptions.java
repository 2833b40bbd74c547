package io.chagres.cli;

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
}
