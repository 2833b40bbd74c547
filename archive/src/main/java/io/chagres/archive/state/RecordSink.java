package io.chagres.archive.state;

import io.chagres.archive.LogRecord;
import java.io.IOException;

/** Takes records one after the other. */
@FunctionalInterface
public interface RecordSink {
    /** Takes the next one. */
    void write(LogRecord record) throws IOException;
}
