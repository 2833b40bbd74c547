package io.chagres.archive.state;

import io.chagres.archive.Attributes;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The changes of one version in a span of commits, without the place of its bytes: a row of a table. It is made of the
 * records of commits, or of those of a table, and takes what a later span changed. Confined to one thread.
 */
final class VersionChange {
    private final long id;
    private LogRecord.@Nullable VersionOpened opened;
    private long openedMs = LogRecord.VersionTimes.AS_BEFORE;
    private long changedMs;

    /** The position behind its last byte; -1 where none was added. */
    private long length = -1;

    private long mtimeNs;
    private LogRecord.@Nullable Reason closed;
    /** Whether bytes were added behind that. */
    private boolean grewSince;

    private @Nullable Attributes attributes;
    private long firstSeq;
    private long lastSeq;

    /** Nothing was changed yet. */
    VersionChange(long id) {
        this.id = id;
    }

    /** Returns the version that a record of a table is of; 0 for one that is of no version. */
    static long versionOf(LogRecord record) {
        return switch (record) {
            case LogRecord.VersionOpened r -> r.versionId();
            case LogRecord.Extent r -> r.versionId();
            case LogRecord.VersionLength r -> r.versionId();
            case LogRecord.VersionClosed r -> r.versionId();
            case LogRecord.AttributesChanged r -> r.versionId();
            case LogRecord.VersionTimes r -> r.versionId();
            case LogRecord.VersionCommits r -> r.versionId();
            default -> 0;
        };
    }

    /**
     * Takes the next record that a commit has of the version.
     *
     * @throws CorruptArchiveException when it does not follow the ones before
     */
    void apply(String object, LogRecord record, long seq, long timeMs) throws CorruptArchiveException {
        switch (record) {
            case LogRecord.VersionOpened r -> {
                requireNew(object);
                openedMs = timeMs;
                opened = r;
            }
            case LogRecord.VersionClosed r -> close(r.reason());
            case LogRecord.AttributesChanged r -> attributes = r.attributes();
            case LogRecord.Extent r -> {
                long expected = length >= 0 || opened == null ? length : opened.startPosition();
                if (expected >= 0 && r.start() != expected) {
                    throw new CorruptArchiveException(
                            object,
                            "it continues version " + id + " at byte " + r.start() + ", but that version ends at byte "
                                    + expected);
                }
                grow(r.end(), r.mtimeNs());
                firstSeq = firstSeq == 0 ? seq : firstSeq;
                lastSeq = seq;
            }
            default -> throw new IllegalArgumentException("no record of a version: " + record);
        }
        changedMs = timeMs;
    }

    /** Takes the next record that a table has of the version. */
    void take(String object, LogRecord record) throws CorruptArchiveException {
        switch (record) {
            case LogRecord.VersionOpened r -> {
                requireNew(object);
                opened = r;
            }
            case LogRecord.VersionLength r -> grow(r.length(), r.mtimeNs());
            case LogRecord.VersionClosed r -> close(r.reason());
            case LogRecord.AttributesChanged r -> attributes = r.attributes();
            case LogRecord.VersionTimes r -> {
                openedMs = r.openedMs();
                changedMs = r.changedMs();
            }
            case LogRecord.VersionCommits r -> {
                firstSeq = r.firstSeq();
                lastSeq = r.lastSeq();
            }
            default -> throw new CorruptArchiveException(object, "a version holds a record of something else");
        }
    }

    /** Takes what a later span changed of the same version. */
    void add(String object, VersionChange later) throws CorruptArchiveException {
        if (later.opened != null) {
            throw new CorruptArchiveException(object, "it opens version " + id + " a second time");
        }
        if (later.closed != null) {
            close(later.closed);
        }
        grewSince |= later.grewSince;
        if (later.length >= 0) {
            boolean grewFirst = later.closed != null && !later.grewSince;
            grow(later.length, later.mtimeNs);
            grewSince &= !grewFirst;
            firstSeq = firstSeq == 0 ? later.firstSeq : firstSeq;
            lastSeq = later.lastSeq;
        }
        attributes = later.attributes == null ? attributes : later.attributes;
        changedMs = later.changedMs;
    }

    /** Writes its records: applied to the state before the span they make the version what it is after it. */
    void write(Checkpoint.Sink out) throws IOException {
        if (opened != null) {
            out.write(opened);
        }
        if (!grewSince) {
            writeLength(out);
        }
        if (closed != null) {
            out.write(new LogRecord.VersionClosed(id, closed));
        }
        if (grewSince) {
            writeLength(out);
        }
        if (attributes != null) {
            out.write(new LogRecord.AttributesChanged(id, Pathname.of(""), attributes));
        }
        out.write(new LogRecord.VersionTimes(id, openedMs, changedMs, Pathname.of("")));
        if (firstSeq > 0) {
            out.write(new LogRecord.VersionCommits(id, firstSeq, lastSeq));
        }
    }

    private void writeLength(Checkpoint.Sink out) throws IOException {
        if (length >= 0) {
            out.write(new LogRecord.VersionLength(id, length, mtimeNs));
        }
    }

    private void requireNew(String object) throws CorruptArchiveException {
        if (opened != null || length >= 0 || closed != null || attributes != null) {
            throw new CorruptArchiveException(object, "it opens version " + id + " a second time");
        }
    }

    private void close(LogRecord.Reason reason) {
        closed = reason;
        grewSince = false;
    }

    private void grow(long end, long mtime) {
        length = end;
        mtimeNs = mtime;
        grewSince = closed != null;
        attributes = attributes == null ? null : attributes.withMtimeNs(mtime);
    }
}
