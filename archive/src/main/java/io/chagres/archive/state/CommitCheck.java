package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordPlace;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Applies the commits of a writer, before they are put, to what it knows of its own log. It follows the rules of a
 * reader, because a commit that {@link HostState} would refuse would take the whole host with it. It keeps a number for
 * a version, and as a rule its id with those of others. Confined to one thread at a time.
 */
public final class CommitCheck {
    private static final String OBJECT = "the next commit";

    private static final int FEWEST = 16;
    private static final int PART_BITS = 12;

    /** The first id of each row of ids that follow each other by one, as those that one shipper gives do. */
    private long[] firstIds = new long[FEWEST];

    /** Where the version with that id is. */
    private int[] firstPlaces = new int[FEWEST];

    private int rows;
    private long lastId = Long.MIN_VALUE;

    /** The positions of the first bytes of versions, in parts; null for one in which all begin at 0. */
    private final List<long @Nullable []> starts = new ArrayList<>();

    /** The positions behind their last bytes: one array would be copied again and again as it grows. */
    private final List<long[]> ends = new ArrayList<>();

    private int count;

    /** Begins without any version. */
    public CommitCheck() {}

    /**
     * Takes a version of the log before.
     *
     * @param versionId greater than those before
     * @param start the position of its first byte
     * @param end the position behind its last byte
     */
    public void add(long versionId, long start, long end) {
        if (count == 0 || versionId != lastId + 1) {
            if (rows == firstIds.length) {
                firstIds = Arrays.copyOf(firstIds, rows + rows / 2);
                firstPlaces = Arrays.copyOf(firstPlaces, firstIds.length);
            }
            firstIds[rows] = versionId;
            firstPlaces[rows++] = count;
        }
        lastId = versionId;
        int place = count++;
        if (inPart(place) == 0) {
            starts.add(null);
            ends.add(new long[1 << PART_BITS]);
        }
        if (start != 0) {
            long[] part = starts.get(place >> PART_BITS);
            if (part == null) {
                part = new long[1 << PART_BITS];
                starts.set(place >> PART_BITS, part);
            }
            part[inPart(place)] = start;
        }
        end(place, end);
    }

    private static int inPart(int place) {
        return place & ((1 << PART_BITS) - 1);
    }

    private long start(int place) {
        long[] part = starts.get(place >> PART_BITS);
        return part == null ? 0 : part[inPart(place)];
    }

    private long end(int place) {
        return ends.get(place >> PART_BITS)[inPart(place)];
    }

    private void end(int place, long end) {
        ends.get(place >> PART_BITS)[inPart(place)] = end;
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
                if (count > 0 && r.versionId() <= lastId) {
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
        if (extent.start() != end(at)) {
            refuse("version " + extent.versionId() + " continues at byte " + extent.start() + " and ends at "
                    + end(at));
        }
        if (extent instanceof LogRecord.Run run && run.dataOffset() + run.length() > dataLength) {
            refuse("a run lies behind the bytes of the commit");
        }
        if (extent instanceof LogRecord.CopyRun copy) {
            int source = known(copy.sourceVersion());
            if (copy.sourceStart() < start(source) || copy.sourceStart() > end(source) - copy.length()) {
                refuse("version " + copy.versionId() + " copies bytes that are not in the log before it");
            }
        }
        end(at, extent.end());
    }

    private int known(long versionId) throws CorruptArchiveException {
        int found = Arrays.binarySearch(firstIds, 0, rows, versionId);
        int row = found < 0 ? -found - 2 : found;
        long place = row < 0 ? -1 : firstPlaces[row] + (versionId - firstIds[row]);
        if (row < 0 || place >= (row + 1 < rows ? firstPlaces[row + 1] : count)) {
            refuse("it names version " + versionId + ", which was never opened");
        }
        return (int) place;
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
