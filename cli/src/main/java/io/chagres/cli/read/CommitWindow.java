package io.chagres.cli.read;

import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import org.jspecify.annotations.Nullable;

/**
 * What was committed between two moments.
 *
 * @param since the state at the first moment; null for the beginning
 * @param until the state at the last moment; null for the end
 */
record CommitWindow(@Nullable HostState since, @Nullable HostState until) {
    /** Returns the position of a version's first byte in the window. */
    long start(FileVersion version) {
        return since == null ? version.startPosition() : Math.max(version.startPosition(), length(since, version));
    }

    /** Returns the position after a version's last byte in the window. */
    long end(FileVersion version) {
        return until == null ? version.length() : Math.min(version.length(), length(until, version));
    }

    private static long length(HostState state, FileVersion version) {
        FileVersion then = state.version(version.id());
        return then == null ? 0 : then.length();
    }
}
