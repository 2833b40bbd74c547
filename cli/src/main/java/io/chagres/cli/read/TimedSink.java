package io.chagres.cli.read;

import io.chagres.archive.find.FileSearch;
import io.chagres.archive.query.FleetSearch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Hands what another sink prints to a sorter, line by line, each with its time. Confined to one thread. */
final class TimedSink extends GrepSink {
    private final GrepSink sink;
    private final ByteArrayOutputStream printed;
    private final LineSorter sorter;
    private final long file;
    private final FleetSearch.Clock clock;
    private long timeMs = Long.MIN_VALUE;

    /**
     * Stands before a sink.
     *
     * @param printed what the sink prints into
     * @param file its place among all files
     */
    TimedSink(
            GrepSink sink,
            FileSearch search,
            ByteArrayOutputStream printed,
            LineSorter sorter,
            long file,
            FleetSearch.Clock clock) {
        super(sink.origin, printed, search);
        this.sink = sink;
        this.printed = printed;
        this.sorter = sorter;
        this.file = file;
        this.clock = clock;
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
            sorter.add(timeMs, file, printed.toByteArray());
            printed.reset();
        }
    }
}
