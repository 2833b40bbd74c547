package io.chagres.archive.read;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.FileVersion;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Finds the version a run copies from, with its extents; null when there is none. */
@FunctionalInterface
interface CopySourceFinder {
    @Nullable
    FileVersion of(LogRecord.CopyRun copy) throws IOException;
}
