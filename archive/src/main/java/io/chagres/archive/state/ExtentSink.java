package io.chagres.archive.state;

import io.chagres.archive.LogRecord;
import java.io.IOException;

/** Takes extents one after the other. */
@FunctionalInterface
public interface ExtentSink {
    /** Takes the next. */
    void take(LogRecord.Extent extent) throws IOException;
}
