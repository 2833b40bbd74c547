package io.chagres.archive.log;

import io.chagres.archive.Record;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;

/**
 * Holds where the bytes of one version are: extents in order, without gaps, packed into longs: 40 bytes for
 * each. As a list it cannot be changed and makes its elements when asked. Changed only by {@link HostState}; confined
 * to
 * one thread.
 */
public final class ExtentList extends AbstractList<Record.Extent> implements RandomAccess {
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

    private final long versionId;
    private final List<Record.ObjectRun> objects = new ArrayList<>(0);
    private long[] words = new long[WORDS];
    private int size;
    private long end;

    ExtentList(long versionId, long startPosition) {
        this.versionId = versionId;
        end = startPosition;
    }

    @Override
    public int size() {
        return size;
    }

    /** Returns the position after the last byte of all. */
    public long end() {
        return end;
    }

    /** Returns the position of the first byte of an extent. */
    public long start(int index) {
        return words[at(index, START)];
    }

    /** Returns the position after the last byte of an extent. */
    public long end(int index) {
        return index == size - 1 ? end : start(index + 1);
    }

    /** Returns the extent that holds a position, or -1 when none does. */
    public int indexOf(long position) {
        if (size == 0 || position < words[START] || position >= end) {
            return -1;
        }
        int low = 0;
        int high = size - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (words[middle * WORDS + START] <= position) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    @Override
    public Record.Extent get(int index) {
        long start = start(index);
        long length = end(index) - start;
        long first = words[at(index, FIRST)];
        long second = words[at(index, SECOND)];
        long mtimeNs = words[at(index, MTIME)];
        int crc = (int) words[at(index, KIND_AND_CRC)];
        return switch ((int) (words[at(index, KIND_AND_CRC)] >>> Integer.SIZE)) {
            case RUN -> new Record.Run(versionId, start, length, first, second, crc, mtimeNs);
            case OBJECT -> objects.get((int) first);
            case ZERO -> new Record.ZeroRun(versionId, start, length, mtimeNs);
            default -> new Record.CopyRun(versionId, start, length, first, second, crc, mtimeNs);
        };
    }

    private int at(int index, int word) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException("extent " + index + " of " + size);
        }
        return index * WORDS + word;
    }

    /** Appends the extent that begins where the last one ended. */
    void append(Record.Extent extent) {
        assert extent.start() == end && extent.length() > 0;
        switch (extent) {
            case Record.Run r -> append(r, RUN, r.crc(), r.seq(), r.dataOffset());
            case Record.ObjectRun r -> {
                append(r, OBJECT, 0, objects.size(), 0);
                objects.add(r);
            }
            case Record.ZeroRun r -> append(r, ZERO, 0, 0, 0);
            case Record.CopyRun r -> append(r, COPY, r.crc(), r.sourceVersion(), r.sourceStart());
        }
        end = extent.end();
    }

    private void append(Record.Extent extent, int kind, int crc, long first, long second) {
        int at = size * WORDS;
        if (at == words.length) {
            words = Arrays.copyOf(words, Math.max(4, size + (size >> 1)) * WORDS);
        }
        words[at + START] = extent.start();
        words[at + KIND_AND_CRC] = (long) kind << Integer.SIZE | crc & 0xffffffffL;
        words[at + FIRST] = first;
        words[at + SECOND] = second;
        words[at + MTIME] = extent.mtimeNs();
        size++;
    }
}
