package io.chagres.archive.find;

import io.chagres.archive.state.RowSorter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Ranges of very many versions, in few bytes each: as numbers of seven bits to a byte, each the difference to the one
 * before it, in blocks that are found by their first version. Ranges that meet are one. Immutable.
 */
final class VersionRanges {
    private static final int ROW_BYTES = 3 * Long.BYTES;
    private static final int BLOCK_RANGES = 64;
    private static final int MAX_RANGE_BYTES = 3 * 10;

    /** Which version each block begins with, in the order of their unsigned bits, and where it begins. */
    private long[] versions = new long[1];

    private int[] starts = new int[1];
    private int blocks;
    private byte[] bytes = new byte[MAX_RANGE_BYTES];
    private int length;
    private int count;

    /** The range that was added last. */
    private long version;

    private long end;

    private VersionRanges() {}

    /** Lays a range out for a sorter. */
    static byte[] row(long versionId, long start, long end) {
        return ByteBuffer.allocate(ROW_BYTES)
                .putLong(versionId)
                .putLong(start)
                .putLong(end)
                .array();
    }

    /** Takes all rows of a sorter. Errors of reading are thrown unchecked. */
    static VersionRanges of(RowSorter rows) throws IOException {
        VersionRanges all = new VersionRanges();
        long versionId = 0;
        long start = -1;
        long end = -1;
        for (byte[] row : rows) {
            ByteBuffer next = ByteBuffer.wrap(row);
            long nextId = next.getLong();
            long nextStart = next.getLong();
            if (end >= 0 && (nextId != versionId || nextStart > end)) {
                all.add(versionId, start, end);
                end = -1;
            }
            start = end < 0 ? nextStart : start;
            versionId = nextId;
            end = Math.max(end, next.getLong());
        }
        if (end >= 0) {
            all.add(versionId, start, end);
        }
        return all;
    }

    private void add(long versionId, long start, long rangeEnd) throws IOException {
        if (count % BLOCK_RANGES == 0) {
            if (blocks == versions.length) {
                versions = Arrays.copyOf(versions, 2 * blocks);
                starts = Arrays.copyOf(starts, 2 * blocks);
            }
            versions[blocks] = versionId;
            starts[blocks++] = length;
            version = versionId;
            end = 0;
        }
        if (length + MAX_RANGE_BYTES > bytes.length) {
            if (length > Integer.MAX_VALUE / 2 - MAX_RANGE_BYTES) {
                throw new IOException("the filters of a host have more ranges than fit into memory");
            }
            bytes = Arrays.copyOf(bytes, 2 * bytes.length);
        }
        put(versionId - version);
        put(start - (versionId == version ? end : 0));
        put(rangeEnd - start);
        version = versionId;
        end = rangeEnd;
        count++;
    }

    private void put(long number) {
        long left = number;
        for (; (left & ~0x7FL) != 0; left >>>= 7) {
            bytes[length++] = (byte) (left | 0x80);
        }
        bytes[length++] = (byte) left;
    }

    /** Returns how many bytes the ranges have. */
    int lengthBytes() {
        return length;
    }

    /** Goes through ranges from the start of a block on. */
    private final class Walk {
        private final int block;
        private int index;
        private int at;
        private long walked;
        private long rangeStart;
        private long rangeEnd;

        Walk(int block) {
            this.block = block;
            at = starts[block];
        }

        /** Goes to the next range; says whether there is one. */
        boolean next() {
            if (at == length) {
                return false;
            }
            boolean isFirst = index % BLOCK_RANGES == 0;
            long before = isFirst ? versions[block + index / BLOCK_RANGES] : walked;
            index++;
            walked = before + take();
            rangeStart = take() + (walked == before && !isFirst ? rangeEnd : 0);
            rangeEnd = rangeStart + take();
            return true;
        }

        private long take() {
            long number = 0;
            for (int shift = 0; ; shift += 7) {
                byte part = bytes[at++];
                number |= (part & 0x7FL) << shift;
                if (part >= 0) {
                    return number;
                }
            }
        }
    }

    /** Returns what they leave of a range of a version, in order. */
    List<Unmatched.Range> rest(long versionId, long start, long rangeEnd) {
        List<Unmatched.Range> rest = new ArrayList<>();
        long at = start;
        for (Walk walk = new Walk(blockBefore(versionId)); walk.next(); ) {
            int order = Long.compareUnsigned(walk.walked, versionId);
            if (order > 0) {
                break;
            }
            if (order == 0) {
                if (walk.rangeStart > at && at < rangeEnd) {
                    rest.add(new Unmatched.Range(at, Math.min(walk.rangeStart, rangeEnd)));
                }
                at = Math.max(at, walk.rangeEnd);
            }
        }
        if (at < rangeEnd) {
            rest.add(new Unmatched.Range(at, rangeEnd));
        }
        return rest;
    }

    /** Returns the last block that begins before a version; the first one when none does. */
    private int blockBefore(long versionId) {
        int low = 0;
        int high = blocks;
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            boolean isBefore = Long.compareUnsigned(versions[middle], versionId) < 0;
            low = isBefore ? middle : low;
            high = isBefore ? high : middle;
        }
        return low;
    }
}
