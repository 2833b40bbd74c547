package io.chagres.spark;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.find.LineRange;
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
record Split(String hostId, String host, long createdMs, List<LineRange> ranges, List<FileRow> files)
        implements InputPartition {
    /** What a row of another table than that of lines takes, about. */
    private static final long ROW_BYTES = 100;

    /** Returns how many bytes it is about; those of lines before they are unpacked into rows. */
    long bytes() {
        return ranges.isEmpty()
                ? ROW_BYTES * Math.max(1, files.size())
                : ranges.stream().mapToLong(each -> each.end() - each.start()).sum();
    }

    /** Returns the host. */
    HostRegistry.Owner owner() {
        return new HostRegistry.Owner(hostId, host, createdMs);
    }

    /** A row of the table of files. */
    record FileRow(byte[] path, boolean named, long versionId, String state, long length, long openedMs, long changedMs)
            implements java.io.Serializable {}
}
