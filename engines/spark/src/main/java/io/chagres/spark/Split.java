package io.chagres.spark;

import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * A task's share of a table: some lines of a host, or another table's rows of it.
 *
 * @param hostId of the host
 * @param host its name
 * @param createdMs when it was first seen, milliseconds since 1970
 * @param ranges the lines; empty for other tables
 */
record Split(String hostId, String host, long createdMs, List<Range> ranges, List<FileRow> files)
        implements InputPartition {
    /**
     * Lines of a version.
     *
     * @param path the name to show, as its bytes
     * @param added whether only what is new counts: no line that the version begins with as the copy of another's
     * @param over whether a line that goes over the start counts as well; otherwise it is another range's
     * @param start lines that begin here or behind it
     * @param end and before this
     * @param limit bytes from here on do not belong to the question
     * @param rest whether what the limit cuts off counts as a line
     */
    record Range(
            byte[] path, long versionId, boolean added, boolean over, long start, long end, long limit, boolean rest)
            implements java.io.Serializable {
        /** Lines that begin in a range, to their ends or to a limit. */
        Range(byte[] path, long versionId, long start, long end, long limit) {
            this(path, versionId, false, false, start, end, limit, true);
        }
    }

    /** A row of the table of files. */
    record FileRow(byte[] path, boolean named, long versionId, String state, long length, long openedMs, long changedMs)
            implements java.io.Serializable {}
}
