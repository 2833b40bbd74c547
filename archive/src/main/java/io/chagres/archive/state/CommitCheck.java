package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordPlace;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.linux.Pathname;
import java.util.Arrays;

/**
 * Applies the commits of a writer, before they are put, to what it knows of its own log. It follows the rules of a
 * reader, because a commit that {@link HostState} would refuse would take the whole host with it. It keeps two numbers
 * for a version. Confined to one thread at a time.
 */
public final class CommitCheck {
    private static final String OBJECT = "the next commit";

    private long[] ids;
    private long[] starts;
    private long[] ends;
    private int count;

    /**
     * Continues a log.
     *
     * @param from the state after the last commit; only looked at
     */
    public CommitCheck(HostState from) {
        int versions = from.versions().size();
        ids = new long[versions + 16];
        starts = new long[ids.length];
        ends = new long[ids.length];
        for (FileVersion version : from.versions()) {
            add(version.id(), version.startPosition(), version.length());
        }
    }

    /**
     * Continues a log.
     *
     * @param ids of the versions after the last commit, ascending; kept
     * @param starts the positions of their first bytes; kept
     * @param ends the positions behind their last bytes; kept
     */
    public CommitCheck(long[] ids, long[] starts, long[] ends) {
        this.ids = ids;
        this.starts = starts;
        this.ends = ends;
        count = ids.length;
    }

    /**
     * Applies what a builder holds, as the commit after those applied before. After an exception nothing more can be
     * applied.
     *
     * @throws CorruptArchiveException when a reader would refuse it: it must not be put
     */
    public void apply(CommitBuilder commit) throws CorruptArchiveException {
        RecordWriter written = commit.records();
        RecordReader records = new RecordReader(OBJECT, written.array(), 0, written.length());
        int read = 0;
        if (written.count() > FixedHeader.MAX_RECORDS || written.length() > FixedHeader.MAX_RECORDS_BYTES) {
            refuse("it has " + written.count() + " records of " + written.length() + " bytes");
        }
        while (records.hasNext()) {
            apply(records.next(), commit.dataLength());
            read++;
        }
        if (read != written.count()) {
            refuse("it holds " + read + " records, not " + written.count());
        }
    }

    private void apply(LogRecord record, int dataLength) throws CorruptArchiveException {
        if (!RecordPlace.holds(FixedHeader.COMMIT, record)) {
            refuse("it holds a record that belongs into a checkpoint");
        }
        switch (record) {
            case LogRecord.IncarnationOpened r -> {}
            case LogRecord.IncarnationClosed r -> {}
            case LogRecord.Recipients r -> {}
            case LogRecord.ObjectDigest r -> {}
            case LogRecord.NameAdded r -> {
                name(r.path());
                if (r.kind() == LogRecord.Kind.FILE) {
                    known(r.versionId());
                }
            }
            case LogRecord.NameRemoved r -> name(r.path());
            case LogRecord.NameMoved r -> {
                name(r.from());
                name(r.to());
            }
            case LogRecord.VersionOpened r -> {
                if (count > 0 && r.versionId() <= ids[count - 1]) {
                    refuse("version " + r.versionId() + " is not new");
                }
                add(r.versionId(), r.startPosition(), r.startPosition());
            }
            case LogRecord.VersionClosed r -> known(r.versionId());
            case LogRecord.AttributesChanged r -> {
                if (r.versionId() == 0) {
                    name(r.path());
                } else {
                    known(r.versionId());
                }
            }
            case LogRecord.Derived r -> known(r.fromVersion());
            case LogRecord.Extent r -> extend(r, dataLength);
            case LogRecord.Repeated r -> refuse("it repeats a commit before it was cut");
            default -> throw new IllegalStateException("unknown record of a commit");
        }
    }

    private void extend(LogRecord.Extent extent, int dataLength) throws CorruptArchiveException {
        int at = known(extent.versionId());
        if (extent.start() != ends[at]) {
            refuse("version " + extent.versionId() + " continues at byte " + extent.start() + " and ends at "
                    + ends[at]);
        }
        if (extent instanceof LogRecord.Run run && run.dataOffset() + run.length() > dataLength) {
            refuse("a run lies behind the bytes of the commit");
        }
        if (extent instanceof LogRecord.CopyRun copy) {
            int source = known(copy.sourceVersion());
            if (copy.sourceStart() < starts[source] || copy.sourceStart() > ends[source] - copy.length()) {
                refuse("version " + copy.versionId() + " copies bytes that are not in the log before it");
            }
        }
        ends[at] = extent.end();
    }

    private int known(long versionId) throws CorruptArchiveException {
        int at = Arrays.binarySearch(ids, 0, count, versionId);
        if (at < 0) {
            refuse("it names version " + versionId + ", which was never opened");
        }
        return at;
    }

    private void add(long versionId, long start, long end) {
        if (count == ids.length) {
            ids = Arrays.copyOf(ids, count + count / 2 + 16);
            starts = Arrays.copyOf(starts, ids.length);
            ends = Arrays.copyOf(ends, ids.length);
        }
        ids[count] = versionId;
        starts[count] = start;
        ends[count++] = end;
    }

    private static void name(Pathname path) throws CorruptArchiveException {
        if (!LogRecord.isName(path)) {
            refuse("the path " + path + " cannot be a name on a host");
        }
    }

    private static void refuse(String fault) throws CorruptArchiveException {
        throw new CorruptArchiveException(OBJECT, fault);
    }
}
