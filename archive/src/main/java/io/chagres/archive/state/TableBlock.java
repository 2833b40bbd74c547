package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.RecordReader;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The records of one block, and where in it rows begin: versions, or names. It is filled again for another: what lives
 * as long as a cache keeps it is collected late. Confined to one thread at a time.
 */
final class TableBlock {
    private static final int FIRST_STARTS = 256;

    private String key = "";
    private byte[] bytes = {};
    private int length;
    private int[] starts = new int[FIRST_STARTS];
    private int count;

    /** The keys of rows that were looked at. */
    private byte[] @Nullable [] keys = new byte[FIRST_STARTS][];

    /**
     * Takes over records.
     *
     * @param of the key of their object
     * @param each whether each record is a row, as names and single extents are
     */
    void fill(String of, byte[] records, boolean each) throws CorruptArchiveException {
        key = of;
        if (bytes.length < records.length) {
            bytes = new byte[records.length + records.length / 8];
        }
        System.arraycopy(records, 0, bytes, 0, records.length);
        length = records.length;
        Arrays.fill(keys, 0, Math.min(count, keys.length), null);
        count = 0;
        RecordReader reader = from(0);
        while (reader.hasNext()) {
            int start = reader.position();
            if (reader.skip() || each) {
                if (count == starts.length) {
                    starts = Arrays.copyOf(starts, 2 * count);
                    keys = new byte[2 * count][];
                }
                starts[count++] = start;
            }
        }
    }

    private RecordReader from(int offset) {
        return new RecordReader(key, bytes, offset, length - offset);
    }

    /** Returns how many rows begin in it. */
    int count() {
        return count;
    }

    /** Returns the place of the first row that is not before a key. */
    int place(byte[] wanted) throws CorruptArchiveException {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(key(middle), wanted) < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Returns the record that a row begins with. */
    LogRecord row(int place) throws CorruptArchiveException {
        LogRecord first = from(starts[place]).next();
        if (TableIndex.keyOf(first) == null) {
            throw notOfRows();
        }
        return first;
    }

    private byte[] key(int place) throws CorruptArchiveException {
        byte[] known = keys[place];
        if (known == null) {
            known = TableIndex.keyOf(from(starts[place]).next());
            if (known == null) {
                throw notOfRows();
            }
            keys[place] = known;
        }
        return known;
    }

    private CorruptArchiveException notOfRows() {
        return new CorruptArchiveException(key, "a block of rows holds something else");
    }

    /** Returns the records from a row on, or null if it has none of this key; of use until it is filled again. */
    @Nullable
    RecordReader find(byte[] wanted) throws CorruptArchiveException {
        int at = place(wanted);
        return at < count && Arrays.equals(key(at), wanted) ? from(starts[at]) : null;
    }
}
