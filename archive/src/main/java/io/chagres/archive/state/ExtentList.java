package io.chagres.archive.state;

import io.chagres.archive.LogRecord;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * Holds where the bytes of one version are: extents in order, without gaps, packed into longs: 40 bytes for
 * each. As a list it cannot be changed and makes its elements when asked. Changed only by {@link HostState}, by one
 * thread at a time; others may look at what it held when they asked for its size.
 */
public final class ExtentList extends AbstractList<LogRecord.Extent> implements RandomAccess {
    private static final int WORDS = 5;
    private static final int START = 0;
    private static final int KIND_AND_CRC = 1;
    private static final int FIRST = 2;
    private static final int SECOND = 3;
    private static final int MTIME = 4;

    private static final int RUN = 0;
    private static final int OBJECT = 1;
    private static final int ZERO = 2;
    private static final int COPY = 3;
    private static final int PACKED = 4;

    private static final LogRecord.ObjectRun[] NO_OBJECTS = {};

    private final long versionId;
    private volatile LogRecord.ObjectRun[] objects = NO_OBJECTS;
    private int objectCount;
    /** The words of each extent, and after the last the position where it ends. */
    private volatile long[] words = new long[1];

    /** How many bytes lie in holes; written before the size, read after it. */
    private long zeroBytes;

    /** Written after what it counts, read before it. */
    private volatile int size;

    ExtentList(long versionId, long startPosition) {
        this.versionId = versionId;
        words[START] = startPosition;
    }

    @Override
    public int size() {
        return size;
    }

    /** Returns the position after the last byte of all. */
    public long end() {
        return startOf(size);
    }

    /** Returns the position of the first byte of an extent. */
    public long start(int index) {
        return words[at(index, START)];
    }

    /** Returns the position after the last byte of an extent. */
    public long end(int index) {
        Objects.checkIndex(index, size);
        return startOf(index + 1);
    }

    private long startOf(int index) {
        return words[index * WORDS + START];
    }

    /** Returns the extent that holds a position, or -1 when none does. */
    public int indexOf(long position) {
        int count = size;
        if (count == 0 || position < words[START] || position >= startOf(count)) {
            return -1;
        }
        int low = 0;
        int high = count - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (startOf(middle) <= position) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Returns how many bytes are recorded as zeros, without being stored: holes. Those of copies are not counted. */
    public long zeroBytes() {
        return size == 0 ? 0 : zeroBytes;
    }

    /**
     * Finds the next byte that lies in a hole, or in none.
     *
     * @param zeros whether one in a hole is looked for
     * @param position where to begin, within the extents
     * @return the position of that byte, or {@link #end()} when there is none
     */
    public long next(boolean zeros, long position) {
        int count = size;
        if (zeros && zeroBytes == 0) {
            return startOf(count);
        }
        for (int index = indexOf(position); index >= 0 && index < count; index++) {
            boolean hole = words[at(index, KIND_AND_CRC)] >>> Integer.SIZE == ZERO;
            if (hole == zeros) {
                return Math.max(position, start(index));
            }
        }
        return startOf(count);
    }

    @Override
    public LogRecord.Extent get(int index) {
        long start = start(index);
        long length = end(index) - start;
        long first = words[at(index, FIRST)];
        long second = words[at(index, SECOND)];
        long mtimeNs = words[at(index, MTIME)];
        int crc = (int) words[at(index, KIND_AND_CRC)];
        return switch ((int) (words[at(index, KIND_AND_CRC)] >>> Integer.SIZE)) {
            case RUN -> new LogRecord.Run(versionId, start, length, first, second, crc, mtimeNs);
            case OBJECT -> objects[(int) first];
            case ZERO -> new LogRecord.ZeroRun(versionId, start, length, mtimeNs);
            case PACKED ->
                new LogRecord.PackedRun(
                        versionId, start, length, first, second >>> Integer.SIZE, (int) second, crc, mtimeNs);
            default -> new LogRecord.CopyRun(versionId, start, length, first, second, crc, mtimeNs);
        };
    }

    private int at(int index, int word) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException("extent " + index + " of " + size);
        }
        return index * WORDS + word;
    }

    /** Appends the extent that begins where the last one ended. */
    void append(LogRecord.Extent extent) {
        assert extent.start() == end() && extent.length() > 0;
        switch (extent) {
            case LogRecord.Run r -> append(r, RUN, r.crc(), r.seq(), r.dataOffset());
            case LogRecord.ObjectRun r -> {
                addObject(r);
                append(r, OBJECT, 0, objectCount - 1L, 0);
            }
            case LogRecord.PackedRun r ->
                append(r, PACKED, r.crc(), r.unique(), r.packLength() << Integer.SIZE | r.dataOffset());
            case LogRecord.ZeroRun r -> {
                zeroBytes += r.length();
                append(r, ZERO, 0, 0, 0);
            }
            case LogRecord.CopyRun r -> append(r, COPY, r.crc(), r.sourceVersion(), r.sourceStart());
        }
    }

    private void addObject(LogRecord.ObjectRun object) {
        if (objectCount == objects.length) {
            objects = Arrays.copyOf(objects, Math.max(1, objectCount * 2));
        }
        objects[objectCount++] = object;
    }

    private void append(LogRecord.Extent extent, int kind, int crc, long first, long second) {
        int count = size;
        int at = count * WORDS;
        if (at + WORDS >= words.length) {
            words = Arrays.copyOf(words, (count + 1 + (count >> 1)) * WORDS + 1);
        }
        words[at + KIND_AND_CRC] = (long) kind << Integer.SIZE | (crc & 0xffffffffL);
        words[at + FIRST] = first;
        words[at + SECOND] = second;
        words[at + MTIME] = extent.mtimeNs();
        words[at + WORDS + START] = extent.end();
        size = count + 1;
    }
}
