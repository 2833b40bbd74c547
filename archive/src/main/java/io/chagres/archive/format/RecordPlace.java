package io.chagres.archive.format;

import io.chagres.archive.LogRecord;

/**
 * Says which record may stand in which object, and is the only place that does: the code that applies records counts on
 * what cannot be there. Stateless.
 */
public final class RecordPlace {
    private static final int COMMIT = 1 << FixedHeader.COMMIT;
    private static final int CHECKPOINT = 1 << FixedHeader.CHECKPOINT;
    private static final int HISTORY = 1 << FixedHeader.HISTORY;
    private static final int TABLE = 1 << FixedHeader.TABLE;
    private static final int EVERYWHERE = COMMIT | CHECKPOINT | HISTORY | TABLE;

    private RecordPlace() {}

    /**
     * Says whether a record may stand in an object.
     *
     * @param objectKind as in its fixed header
     */
    public static boolean holds(int objectKind, LogRecord record) {
        return (places(record) & 1 << objectKind) != 0;
    }

    private static int places(LogRecord record) {
        return switch (record) {
            case LogRecord.IncarnationOpened r -> EVERYWHERE;
            case LogRecord.IncarnationClosed r -> EVERYWHERE;
            case LogRecord.NameAdded r -> EVERYWHERE;
            case LogRecord.NameRemoved r -> COMMIT | TABLE | HISTORY;
            case LogRecord.NameMoved r -> COMMIT | HISTORY;
            case LogRecord.VersionOpened r -> EVERYWHERE;
            case LogRecord.VersionClosed r -> EVERYWHERE;
            case LogRecord.AttributesChanged r -> EVERYWHERE;
            case LogRecord.Derived r -> EVERYWHERE;
            case LogRecord.Recipients r -> EVERYWHERE;
            case LogRecord.VersionTimes r -> CHECKPOINT | TABLE | HISTORY;
            case LogRecord.Retention r -> CHECKPOINT | TABLE;
            case LogRecord.VersionRetention r -> CHECKPOINT | TABLE;
            case LogRecord.VersionNames r -> CHECKPOINT | TABLE;
            case LogRecord.PackedRun r -> CHECKPOINT;
            case LogRecord.Extent r -> COMMIT | CHECKPOINT | TABLE;
            case LogRecord.VersionLength r -> TABLE | HISTORY;
            case LogRecord.Moment r -> HISTORY;
            case LogRecord.Repeated r -> COMMIT;
            case LogRecord.ObjectDigest r -> COMMIT;
        };
    }
}
