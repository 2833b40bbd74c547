package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.RecordReader;
import io.chagres.linux.Pathname;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The records of one block, and where in it versions, or names, begin. It is filled again for another: what lives as
 * long as a cache keeps it is collected late. Confined to one thread at a time.
 */
final class TableBlock {
    private static final int FIRST_STARTS = 256;

    private final String key;
    private byte[] bytes = {};
    private int length;
    private int[] starts = new int[FIRST_STARTS];
    private int count;

    /** Makes an empty one of an object. */
    TableBlock(String key) {
        this.key = key;
    }

    /** Takes over records, of names or of versions. */
    void fill(byte[] records, boolean ofNames) throws CorruptArchiveException {
        if (bytes.length < records.length) {
            bytes = new byte[records.length + records.length / 8];
        }
        System.arraycopy(records, 0, bytes, 0, records.length);
        length = records.length;
        count = 0;
        RecordReader reader = reader(0);
        while (reader.hasNext()) {
            int start = reader.position();
            if (reader.skip() || ofNames) {
                if (count == starts.length) {
                    starts = Arrays.copyOf(starts, 2 * count);
                }
                starts[count++] = start;
            }
        }
    }

    private RecordReader reader(int offset) {
        return new RecordReader(key, bytes, offset, length - offset);
    }

    /** Returns how many versions or names begin in it. */
    int count() {
        return count;
    }

    /** Returns the records from the opening of a version on, or null; of use until it is filled again. */
    @Nullable
    RecordReader version(long id) throws CorruptArchiveException {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (!(reader(starts[middle]).next() instanceof LogRecord.VersionOpened there)) {
                throw new CorruptArchiveException(key, "a block of versions holds something else");
            }
            int order = Long.compare(there.versionId(), id);
            if (order == 0) {
                return reader(starts[middle]);
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return null;
    }

    /** Returns the place of the first name that is not before a path, see {@link TableIndex#order}. */
    int place(Pathname path) throws CorruptArchiveException {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (TableIndex.order(name(middle).path(), path) < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Returns the name in a place. */
    LogRecord.NameAdded name(int place) throws CorruptArchiveException {
        if (reader(starts[place]).next() instanceof LogRecord.NameAdded name) {
            return name;
        }
        throw new CorruptArchiveException(key, "a block of names holds something else");
    }
}
