package io.chagres.cli.read;

import io.chagres.archive.find.FileSearch;
import io.chagres.archive.query.FleetSearch;
import io.chagres.archive.state.RowSorter;
import io.chagres.cli.command.Output;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/**
 * Hands what another sink prints to a sorter, line by line: by time, then by file; what is found in one file stays in
 * its order. Confined to one thread; several share a sorter.
 */
final class TimedSink extends GrepSink {
    /** Time, file, and place among all that were added. */
    private static final int KEY_BYTES = 3 * Long.BYTES;

    private final GrepSink sink;
    private final ByteArrayOutputStream printed;
    private final RowSorter rows;
    private final long number;
    private final FleetSearch.Clock clock;
    private long timeMs = Long.MIN_VALUE;

    /**
     * Stands before a sink.
     *
     * @param printed what the sink prints into
     * @param rows gets it, each line behind its key
     * @param number its place among all files
     */
    TimedSink(
            GrepSink sink,
            FileSearch search,
            ByteArrayOutputStream printed,
            RowSorter rows,
            long number,
            FleetSearch.Clock clock) {
        super(sink.file, printed, search);
        this.sink = sink;
        this.printed = printed;
        this.rows = rows;
        this.number = number;
        this.clock = clock;
    }

    /** Prints all that was handed to a sorter. */
    static void print(RowSorter rows, Output out) throws IOException {
        try {
            for (byte[] row : rows) {
                out.write(row, KEY_BYTES, row.length - KEY_BYTES);
            }
        } catch (UncheckedIOException e) { // of the temporary file
            throw e.getCause();
        }
    }

    /** A line has the time at which it was whole. */
    @Override
    public void line(Line line) throws IOException {
        at(line.position() + line.bytes().length);
        sink.line(line);
        add();
    }

    @Override
    public void binary(long position) throws IOException {
        at(position);
        sink.binary(position);
        add();
    }

    @Override
    public void end(long matches) throws IOException {
        sink.end(matches);
        add(); // with the time of what was found last
    }

    private void at(long position) throws IOException {
        timeMs = Math.max(timeMs, clock.timeMs(position));
        sink.committed(timeMs);
    }

    private void add() throws IOException {
        if (printed.size() > 0) {
            synchronized (rows) {
                rows.add(ByteBuffer.allocate(KEY_BYTES + printed.size())
                        .putLong(timeMs ^ Long.MIN_VALUE) // rows are compared without signs
                        .putLong(number)
                        .putLong(rows.size())
                        .put(printed.toByteArray())
                        .array());
            }
            printed.reset();
        }
    }
}
