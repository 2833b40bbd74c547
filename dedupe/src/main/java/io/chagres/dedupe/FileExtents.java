package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.Fiemap;
import java.util.Arrays;

/**
 * Where the data of one file lies: its extents in the order of the file. Space that is only reserved reads as a hole
 * does, and is kept apart: it is never shared. Used again for other files.
 */
final class FileExtents {
    /** The hash of a file whose place is not known, or that nobody can share: like no other. */
    static final long UNKNOWN = 0;
    /** The hash of a file whose data lies within its inode. */
    static final long INLINE = 1;
    /** The hash of a file that is all hole. */
    static final long HOLE = 2;

    private static final int PLACELESS = Fiemap.FIEMAP_EXTENT_UNKNOWN | Fiemap.FIEMAP_EXTENT_DELALLOC;
    private static final int IRREGULAR = Fiemap.FIEMAP_EXTENT_DATA_INLINE | Fiemap.FIEMAP_EXTENT_NOT_ALIGNED;

    /** A position behind all extents. */
    private static final long NONE = Long.MAX_VALUE;

    private long[] logical = new long[4];
    private long[] physical = new long[4];
    private long[] length = new long[4];
    private int[] flags = new int[4];
    private int count;
    private boolean known;
    /** Where space is reserved: the beginning and the end of each range, in the order of the file. */
    private long[] reserved = new long[4];

    private int reservedCount;

    /**
     * Reads the extents of a file. Data without a place, or that may be on its way to a reserved one, is written out
     * first, for it will be compared anyway.
     *
     * @return 0, or {@code -errno}; then nothing is known, and all may be reserved
     */
    int read(Fd fd, Fiemap map) {
        int result = readOnce(fd, map, 0);
        if (result == 0 && (has(PLACELESS) || reservedCount > 0)) {
            result = readOnce(fd, map, Fiemap.FIEMAP_FLAG_SYNC);
        }
        if (result == 0) {
            end();
        } else {
            reservedCount = 0;
            reserve(0, NONE);
        }
        return result;
    }

    /** Begins a file whose places are not known yet. */
    void begin() {
        count = 0;
        known = false;
        reservedCount = 0;
    }

    /** Adds the next extent of the file, as the kernel describes it. */
    void add(long logicalByte, long physicalByte, long lengthBytes, int extentFlags) {
        if ((extentFlags & Fiemap.FIEMAP_EXTENT_UNWRITTEN) == 0) {
            append(logicalByte, physicalByte, lengthBytes, extentFlags);
        } else {
            reserve(logicalByte, logicalByte + lengthBytes);
        }
    }

    /** Ends a file: all its extents were added. */
    void end() {
        known = !has(PLACELESS);
    }

    private int readOnce(Fd fd, Fiemap map, int flag) {
        begin();
        long from = 0;
        for (; ; ) {
            int n = map.read(fd, from, Long.MAX_VALUE - from, flag);
            if (n == -Errno.EINTR) {
                continue;
            }
            if (n <= 0) {
                return n;
            }
            for (int i = 0; i < n; i++) {
                add(map.logical(i), map.physical(i), map.length(i), map.flags(i));
            }
            if ((map.flags(n - 1) & Fiemap.FIEMAP_EXTENT_LAST) != 0) {
                return 0;
            }
            from = map.logical(n - 1) + map.length(n - 1);
        }
    }

    private void append(long logicalByte, long physicalByte, long lengthBytes, int extentFlags) {
        if (count == logical.length) {
            logical = Arrays.copyOf(logical, count * 2);
            physical = Arrays.copyOf(physical, count * 2);
            length = Arrays.copyOf(length, count * 2);
            flags = Arrays.copyOf(flags, count * 2);
        }
        logical[count] = logicalByte;
        physical[count] = physicalByte;
        length[count] = lengthBytes;
        flags[count++] = extentFlags;
    }

    private void reserve(long from, long to) {
        if (reservedCount > 0 && reserved[2 * reservedCount - 1] == from) {
            reserved[2 * reservedCount - 1] = to;
            return;
        }
        if (2 * reservedCount == reserved.length) {
            reserved = Arrays.copyOf(reserved, reserved.length * 2);
        }
        reserved[2 * reservedCount] = from;
        reserved[2 * reservedCount++ + 1] = to;
    }

    /** Says whether space within the first bytes of the file is only reserved, or may be. */
    boolean reserves(long sizeBytes) {
        return reservedCount > 0 && reserved[0] < sizeBytes;
    }

    private boolean isReserved(long position) {
        int i = reservedAt(position);
        return i < reservedCount && reserved[2 * i] <= position;
    }

    /** The first reserved range that ends behind a place in the file. */
    private int reservedAt(long position) {
        int low = 0;
        int high = reservedCount;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (reserved[2 * middle + 1] <= position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean has(int anyFlag) {
        for (int i = 0; i < count; i++) {
            if ((flags[i] & anyFlag) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of extents. */
    int count() {
        return count;
    }

    long logical(int index) {
        return logical[index];
    }

    long physical(int index) {
        return physical[index];
    }

    long length(int index) {
        return length[index];
    }

    boolean isShared(int index) {
        return (flags[index] & Fiemap.FIEMAP_EXTENT_SHARED) != 0;
    }

    /**
     * Returns a number that two files have in common only if they share all their blocks, or one of {@link #UNKNOWN},
     * {@link #INLINE} and {@link #HOLE}. Where neighbours are cut does not matter.
     */
    long signature() {
        if (!known) {
            return UNKNOWN;
        }
        if (count == 0) {
            return HOLE;
        }
        if (has(IRREGULAR)) {
            return INLINE;
        }
        long hash = 0;
        int i = 0;
        while (i < count) {
            int end = i + 1;
            while (end < count && continues(end)) {
                end++;
            }
            hash = BitMixer.of(BitMixer.of(hash, logical[i]), physical[i]);
            hash = BitMixer.of(hash, logical[end - 1] + length[end - 1]);
            i = end;
        }
        return hash >= 0 && hash <= HOLE ? hash + HOLE + 1 : hash;
    }

    /** Whether an extent begins where the one before ends. Compressed ones end within the extent they were cut from. */
    private boolean continues(int index) {
        int before = index - 1;
        boolean encoded = ((flags[before] | flags[index]) & Fiemap.FIEMAP_EXTENT_ENCODED) != 0;
        return !encoded
                && logical[before] + length[before] == logical[index]
                && physical[before] + length[before] == physical[index];
    }

    /** Says whether two files share all blocks of a range, which begins and ends at the same place in both. */
    boolean sharesWith(FileExtents other, long otherFrom, long from, long lengthBytes) {
        if (!known || !other.known) {
            return false;
        }
        long done = 0;
        int i = indexAt(from);
        int j = other.indexAt(otherFrom);
        while (done < lengthBytes) {
            boolean hole = i == count || logical[i] > from + done;
            boolean otherHole = j == other.count || other.logical[j] > otherFrom + done;
            if (hole != otherHole) {
                return false;
            }
            long end;
            if (hole) {
                end = Math.min(
                        i == count ? lengthBytes : logical[i] - from,
                        j == other.count ? lengthBytes : other.logical[j] - otherFrom);
            } else if (isSamePlace(i, from + done, other, j, otherFrom + done)) {
                end = Math.min(logical[i] + length[i] - from, other.logical[j] + other.length[j] - otherFrom);
            } else {
                return false;
            }
            done = end;
            i += i < count && logical[i] + length[i] <= from + done ? 1 : 0;
            j += j < other.count && other.logical[j] + other.length[j] <= otherFrom + done ? 1 : 0;
        }
        return true;
    }

    /**
     * Finds data that lies elsewhere than another file has it. Where this one has a hole is nothing to be gained, and
     * what either only reserves stays with it.
     *
     * @param from where to begin; the other file's place is {@code otherShift} further on
     * @param to where to end
     * @return where such data begins, or {@code to}
     */
    long apartFrom(FileExtents other, long otherShift, long from, long to) {
        long at = from;
        while (at < to && !isApart(other, otherShift, at)) {
            at = border(other, otherShift, at);
        }
        return Math.min(at, to);
    }

    /** Returns where data that {@link #apartFrom} found ends. */
    long apartUntil(FileExtents other, long otherShift, long from, long to) {
        long at = from;
        while (at < to && isApart(other, otherShift, at)) {
            at = border(other, otherShift, at);
        }
        return Math.min(at, to);
    }

    private boolean isApart(FileExtents other, long otherShift, long position) {
        if (isReserved(position) || other.isReserved(position + otherShift)) {
            return false;
        }
        if (!known || !other.known) {
            return true;
        }
        int i = indexAt(position);
        if (i == count || logical[i] > position) {
            return false;
        }
        int j = other.indexAt(position + otherShift);
        boolean isOtherHole = j == other.count || other.logical[j] > position + otherShift;
        return isOtherHole || !isSamePlace(i, position, other, j, position + otherShift);
    }

    /** Returns where the next extent of either file begins or ends. */
    private long border(FileExtents other, long otherShift, long position) {
        long otherBorder = other.border(position + otherShift);
        return Math.min(border(position), otherBorder == NONE ? NONE : otherBorder - otherShift);
    }

    private long border(long position) {
        int i = indexAt(position);
        int j = reservedAt(position);
        long data = i == count ? NONE : nextOf(logical[i], logical[i] + length[i], position);
        long space = j == reservedCount ? NONE : nextOf(reserved[2 * j], reserved[2 * j + 1], position);
        return Math.min(data, space);
    }

    private static long nextOf(long begin, long end, long position) {
        return begin > position ? begin : end;
    }

    /** Returns how many bytes of a range lie in blocks that nobody else uses, or in any. */
    long bytes(long from, long to, boolean inAny) {
        long own = 0;
        for (int i = indexAt(from); i < count && logical[i] < to; i++) {
            if (inAny || !isShared(i)) {
                own += Math.min(to, logical[i] + length[i]) - Math.max(from, logical[i]);
            }
        }
        return own;
    }

    /** The first extent that ends behind a place in the file. */
    int indexAt(long position) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (logical[middle] + length[middle] <= position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean isSamePlace(int i, long position, FileExtents other, int j, long otherPosition) {
        return isRegular(i) && other.isRegular(j) && place(i, position) == other.place(j, otherPosition);
    }

    private boolean isRegular(int index) {
        return (flags[index] & IRREGULAR) == 0;
    }

    /** Where a byte lies; of compressed data that cannot be said, so all of an extent is one place. */
    private long place(int index, long position) {
        boolean encoded = (flags[index] & Fiemap.FIEMAP_EXTENT_ENCODED) != 0;
        return encoded ? ~physical[index] : physical[index] + (position - logical[index]);
    }
}
