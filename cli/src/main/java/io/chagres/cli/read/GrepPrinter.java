package io.chagres.cli.read;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.find.FileSearch;
import io.chagres.archive.find.LineSink;
import io.chagres.archive.find.TimedLines;
import io.chagres.archive.query.FleetSearch;
import io.chagres.archive.query.OrderedOutput;
import io.chagres.archive.query.QueriedFile;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.RowSorter;
import io.chagres.cli.command.Output;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Prints what {@code grep} finds, and counts it. Safe for any thread. */
final class GrepPrinter implements FleetSearch.Results {
    private final GrepOptions options;
    private final boolean colored;
    private final boolean json;
    private final @Nullable RowSorter sorter;
    private final Consumer<String> notes;
    private final SearchCount count = new SearchCount();

    /**
     * Makes it.
     *
     * @param sorter takes lines in place of the output; or null
     * @param notes takes what costs time but no result
     */
    GrepPrinter(
            GrepOptions options, boolean colored, boolean json, @Nullable RowSorter sorter, Consumer<String> notes) {
        this.options = options;
        this.colored = colored;
        this.json = json;
        this.sorter = sorter;
        this.notes = notes;
    }

    /** Returns what was searched so far. */
    SearchCount count() {
        return count;
    }

    @Override
    public FleetSearch.FileSink open(
            QueriedFile file, long number, FileSearch search, FleetSearch.Clock clock, OrderedOutput printed) {
        GrepSink sink = sink(file, number, search, clock, printed);
        return options.stats ? counted(sink, search) : sink;
    }

    private GrepSink sink(
            QueriedFile file, long number, FileSearch search, FleetSearch.Clock clock, OrderedOutput printed) {
        if (sorter == null) {
            boolean isText = !json && !options.namesFiles() && !options.count;
            if (isText && options.heading) {
                printed.separate(GrepSink.HEADING_GAP);
            } else if (isText && options.hasContext()) {
                printed.separate(GrepSink.GAP);
            }
            return GrepSink.of(file, printed, search, options, colored, json);
        }
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        GrepSink sink = GrepSink.of(file, text, search, options, colored, json);
        return new TimedSink(sink, search, text, sorter, number, clock);
    }

    /** Returns a sink that counts what of lines matches, and hands them on. */
    private FleetSearch.FileSink counted(GrepSink sink, FileSearch search) {
        return new FleetSearch.FileSink() {
            @Override
            public void line(LineSink.Line line) throws IOException {
                if (line.matches()) {
                    int[] spans = {0};
                    if (!options.inverted) {
                        search.spans(line, (from, to) -> spans[0]++);
                    }
                    count.line(Math.max(1, spans[0]));
                }
                sink.line(line);
            }

            @Override
            public void gap() throws IOException {
                sink.gap();
            }

            @Override
            public void binary(long position) throws IOException {
                count.line(1);
                sink.binary(position);
            }

            @Override
            public void end(long matches) throws IOException {
                sink.end(matches);
            }
        };
    }

    @Override
    public @Nullable TimedLines times(FileVersion version) {
        return options.lineTimes.of(version);
    }

    @Override
    public void searched(
            QueriedFile file, @Nullable TimedLines times, long matches, long searchedBytes, long ruledOutBytes) {
        options.lineTimes.note(file, times);
        count.file(matches, searchedBytes, ruledOutBytes);
    }

    @Override
    public void ruledOut(HostRegistry.Owner host) {
        count.hostRuledOut();
    }

    @Override
    public void damaged(CorruptArchiveException filter) {
        notes.accept(filter.getMessage() + "; all that it covers is read");
    }

    @Override
    public boolean isOwn(IOException failure) {
        return failure instanceof Output.ClosedException;
    }
}
