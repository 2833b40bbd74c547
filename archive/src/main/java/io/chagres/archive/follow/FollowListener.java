package io.chagres.archive.follow;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.state.FileVersion;
import io.chagres.linux.Pathname;
import java.io.IOException;

/** Hears what was committed to followed files. */
@FunctionalInterface
public interface FollowListener {
    /**
     * A file has more bytes.
     *
     * @param path the name by which it is followed
     * @param start where the new bytes begin
     * @param end behind them
     * @param content reads them, until return
     */
    void appended(
            HostRegistry.Owner host, Pathname path, FileVersion version, long start, long end, VersionContent content)
            throws IOException;
}
