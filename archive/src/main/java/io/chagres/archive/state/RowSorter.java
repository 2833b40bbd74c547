package io.chagres.archive.state;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Sorts rows of bytes by their unsigned bytes, with a few MiB of them in memory. More rows are sorted part by part into
 * a file without a name, and the parts are merged. Equal rows are all kept. Confined to one thread while rows are
 * added; then each iterator is confined to one at a time.
 */
public final class RowSorter implements Iterable<byte[]>, AutoCloseable {
    /** The most bytes of rows that are sorted at once. */
    private static final int MAX_BYTES = 2 << 20;

    private static final int FIRST_BYTES = 4096;
    private static final int FIRST_ROWS = 64;
    private static final int BUFFER_BYTES = 32 * 1024;

    /** What all parts are read through together: a host of millions of names has hundreds of them. */
    private static final int MERGE_BYTES = 1 << 20;

    private static final int MIN_BUFFER_BYTES = 512;

    /** Sorted rows in the file, each behind its length. */
    private record Part(long start, long end) {}

    private final SpillFile file;
    private final List<Part> parts = new ArrayList<>();
    private byte[] bytes = new byte[FIRST_BYTES];
    /** Where the rows in memory end; sorted once all are added. */
    private int[] ends = new int[FIRST_ROWS];

    private int count;
    private long all;
    private Integer @Nullable [] order;

    /** Begins without rows; an empty directory means that all stay in memory. */
    RowSorter(Pathname directory) {
        file = new SpillFile(directory);
    }

    /** Makes one whose rows stay in memory. */
    public static RowSorter inMemory() {
        return new RowSorter(Pathname.of(""));
    }

    /** Adds a row. No iterator was asked for yet. */
    public void add(byte[] row) throws IOException {
        if (order != null) {
            throw new IllegalStateException("rows were asked for already");
        }
        int end = end(count);
        if (end > 0 && end + row.length > MAX_BYTES) {
            spill();
            end = 0;
        }
        if (end + row.length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end + row.length, Math.min(MAX_BYTES, 2 * bytes.length)));
        }
        if (count == ends.length) {
            ends = Arrays.copyOf(ends, 2 * count);
        }
        System.arraycopy(row, 0, bytes, end, row.length);
        ends[count++] = end + row.length;
        all++;
    }

    /** Returns how many rows were added. */
    public long size() {
        return all;
    }

    private int end(int rows) {
        return rows == 0 ? 0 : ends[rows - 1];
    }

    private Integer[] sorted() {
        Integer[] sorted = new Integer[count];
        Arrays.setAll(sorted, i -> i);
        Arrays.sort(
                sorted,
                (one, other) -> Arrays.compareUnsigned(bytes, end(one), ends[one], bytes, end(other), ends[other]));
        return sorted;
    }

    private void spill() {
        byte[] buffer = new byte[BUFFER_BYTES];
        int used = 0;
        long start = -1;
        long end = 0;
        for (int row : sorted()) {
            int rowBytes = ends[row] - end(row);
            if (used > 0 && used + Integer.BYTES + rowBytes > buffer.length) {
                end = file.add(buffer, used) + used;
                start = start < 0 ? end - used : start;
                used = 0;
            }
            if (Integer.BYTES + rowBytes > buffer.length) {
                buffer = new byte[Integer.BYTES + rowBytes];
            }
            ByteBuffer.wrap(buffer).putInt(used, rowBytes);
            System.arraycopy(bytes, end(row), buffer, used + Integer.BYTES, rowBytes);
            used += Integer.BYTES + rowBytes;
        }
        end = file.add(buffer, used) + used;
        parts.add(new Part(start < 0 ? end - used : start, end));
        count = 0;
    }

    /**
     * Returns all rows in their order, as what they stand for.
     *
     * @param made makes it of a row
     */
    public <T> Iterable<T> as(Function<byte[], T> made) {
        return () -> StreamSupport.stream(spliterator(), false).map(made).iterator();
    }

    /** Returns all rows in their order; none may be added from then on. Errors of reading are thrown unchecked. */
    @Override
    public Iterator<byte[]> iterator() {
        if (order == null) {
            if (!parts.isEmpty() && count > 0) {
                spill();
            }
            order = sorted();
            if (!parts.isEmpty()) {
                bytes = new byte[0];
                ends = new int[0];
            }
        }
        return parts.isEmpty() ? ofMemory(order) : new Merged(parts);
    }

    private Iterator<byte[]> ofMemory(Integer[] rows) {
        return Arrays.stream(rows)
                .map(row -> Arrays.copyOfRange(bytes, end(row), ends[row]))
                .iterator();
    }

    /** Goes through all parts at once. */
    private final class Merged extends LazyIterator<byte[]> {
        private final PriorityQueue<Reader> readers = new PriorityQueue<>();

        Merged(List<Part> parts) {
            int bufferBytes = Math.clamp(MERGE_BYTES / parts.size(), MIN_BUFFER_BYTES, BUFFER_BYTES);
            for (Part part : parts) {
                Reader reader = new Reader(part, bufferBytes);
                if (reader.advance()) {
                    readers.add(reader);
                }
            }
        }

        @Override
        protected byte @Nullable [] following() {
            Reader first = readers.poll();
            if (first == null) {
                return null;
            }
            byte[] row = first.row;
            if (first.advance()) {
                readers.add(first);
            }
            return row;
        }
    }

    /** Reads a part. */
    private final class Reader implements Comparable<Reader> {
        private final long end;
        private long next;
        private final byte[] buffer;
        private int filled;
        private int at;
        private byte[] row = {};

        Reader(Part part, int bufferBytes) {
            next = part.start;
            end = part.end;
            buffer = new byte[bufferBytes];
        }

        /** Goes to the next row; returns whether there is one. */
        boolean advance() {
            if (at == filled && next == end) {
                return false;
            }
            row = take(ByteBuffer.wrap(take(Integer.BYTES)).getInt());
            return true;
        }

        private byte[] take(int wanted) {
            byte[] taken = new byte[wanted];
            for (int done = 0; done < wanted; ) {
                if (at == filled) {
                    fill();
                }
                int part = Math.min(wanted - done, filled - at);
                System.arraycopy(buffer, at, taken, done, part);
                at += part;
                done += part;
            }
            return taken;
        }

        private void fill() {
            filled = (int) Math.min(end - next, buffer.length);
            at = 0;
            try {
                file.read(next, buffer, filled);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            next += filled;
        }

        @Override
        public int compareTo(Reader other) {
            return Arrays.compareUnsigned(row, other.row);
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
