package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;

/**
 * Takes the names and versions of a host while its log is loaded, in the place of a {@link HostState}, which keeps none
 * of them then. Records come in the order of the log. Confined to one thread.
 */
public interface HostRows {
    /**
     * Takes the next record of a name or a version.
     *
     * @param object the key of what holds it, for messages
     * @param timeMs when that was written, in milliseconds since 1970
     * @throws CorruptArchiveException when it does not follow those before
     */
    void take(String object, LogRecord record, long timeMs) throws CorruptArchiveException;

    /**
     * Sees to it that all rows so far are taken; what is asked is asked behind it.
     *
     * @throws CorruptArchiveException when one does not follow those before
     */
    default void settle() throws CorruptArchiveException {}

    /** Returns how many bytes a version has; -1 when it was never opened. */
    long lengthBytes(long versionId);

    /** Returns the greatest id of a version; 0 where there is none. */
    long lastVersionId();

    /** Returns how many versions begin within their file, but for those whose first bytes were expired. */
    long cutVersions();

    /** Nothing given so far counts: it begins again, since what was read turned out to be damaged. */
    void restart();

    /** Says whether a record is of a name or a version. */
    static boolean holds(LogRecord record) {
        return switch (record) {
            case LogRecord.IncarnationOpened r -> false;
            case LogRecord.IncarnationClosed r -> false;
            case LogRecord.Recipients r -> false;
            case LogRecord.Retention r -> false;
            case LogRecord.Moment r -> false;
            case LogRecord.ObjectDigest r -> false;
            case LogRecord.Repeated r -> false;
            default -> true;
        };
    }
}
