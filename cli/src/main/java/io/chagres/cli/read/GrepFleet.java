package io.chagres.cli.read;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.find.FileSearch;
import io.chagres.archive.find.LinePattern;
import io.chagres.archive.find.LineSink;
import io.chagres.archive.find.TimedLines;
import io.chagres.archive.find.Unmatched;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.CommitWindow;
import io.chagres.archive.read.Lookahead;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.Output;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Searches the files of many hosts beside each other and prints what is found in their order. Each task takes some
 * files of one host, so that small ones share what is read for them.
 */
final class GrepFleet {
    private static final long TASK_BYTES = 16L << 20;
    private static final int TASK_FILES = 4096;

    private final ArchiveView view;
    private final List<Address> addresses;
    private final LinePattern pattern;
    private final FileSearch.Options wanted;
    private final GrepOptions options;
    private final TextEncoding encoding;
    private final Output out;
    private final AtomicBoolean found = new AtomicBoolean();
    private final AtomicBoolean without = new AtomicBoolean();
    private boolean colored;
    private boolean json;
    private @Nullable LineSorter sorter;
    private long files;
    /** Hosts whose filters alone were read: no line of theirs can match. */
    private List<HostRegistry.Owner> ruledOut = new ArrayList<>();

    private boolean needsNames;
    private Lookahead lookahead = Lookahead.NONE;
    private final PathGlobs globs;
    private final SearchCount count = new SearchCount();

    GrepFleet(
            ArchiveView view,
            List<Address> addresses,
            LinePattern pattern,
            FileSearch.Options wanted,
            GrepOptions options,
            Output out)
            throws CommandFailure {
        this.view = view;
        this.addresses = addresses;
        this.pattern = pattern;
        this.wanted = wanted;
        this.options = options;
        this.encoding = TextEncoding.parse(options.encoding);
        this.globs = new PathGlobs(options.globs);
        this.out = out;
    }

    /**
     * Chooses how lines are printed.
     *
     * @param sortedBy takes them, in place of the output; or null
     */
    void form(boolean withColors, boolean asJson, @Nullable LineSorter sortedBy) {
        colored = withColors;
        json = asJson;
        sorter = sortedBy;
    }

    /** Says whether a line was found. */
    boolean found() {
        return found.get();
    }

    /** Returns what was searched so far. */
    SearchCount count() {
        return count;
    }

    /** Says whether a file had no line. */
    boolean without() {
        return without.get();
    }

    /**
     * A host whose files are to be searched.
     *
     * @param filters what is wrong with those that say what need not be read
     * @param times when its lines were committed
     */
    private record Located(
            HostFiles host,
            HostState state,
            CommitWindow window,
            Unmatched unmatched,
            List<CorruptArchiveException> filters,
            HostTimes times) {}

    /** Finds a host's files beside others. */
    private final class Locating {
        private final HostRegistry.Owner host;
        private final OrderedOutput task;
        private @Nullable Located located;

        Locating(HostRegistry.Owner host, Executor threads) {
            this.host = host;
            task = new OrderedOutput(out, threads, nothing -> located = locate(host));
        }
    }

    /** A file and its place among all. */
    private record Numbered(long number, Selection.Entry entry) {}

    /** Some files of a host, and what could not be read of them. */
    private final class Batch {
        private final Located host;
        private final List<IOException> faults = new ArrayList<>();
        private final OrderedOutput task;
        private final boolean isLast;

        Batch(Batches of, Executor threads) {
            host = of.host;
            List<Numbered> entries = of.next();
            isLast = !of.entries.hasNext();
            task = new OrderedOutput(out, threads, printed -> search(host, entries, printed, faults));
        }
    }

    /**
     * Searches everything.
     *
     * @param ahead how many tasks are begun before the one that prints, of searches and of hosts
     * @throws CommandFailure when nothing is chosen
     */
    void run(Executor threads, int ahead) throws IOException {
        lookahead = view.lookahead(new Workers(threads, ahead));
        search(hosts(), threads, ahead);
        // filters show that there are files, but perhaps none that was chosen
        boolean choosesAll = view.windowText().isEmpty()
                && globs.isEmpty()
                && addresses.stream().allMatch(Address::namesAll);
        boolean none = files == 0 && view.faults().count() == 0 && !(choosesAll && !ruledOut.isEmpty());
        if (none) {
            needsNames = true;
            search(ruledOut, threads, ahead);
        }
        if (none && files == 0 && view.faults().count() == 0) {
            throw new CommandFailure(
                    GrepCommand.TROUBLE,
                    "nothing in " + view.store().name() + " matches "
                            + (addresses.isEmpty() ? "*:" : addresses.getFirst()) + view.windowText()
                            + (globs.isEmpty() ? "" : " and -g " + String.join(" -g ", options.globs))
                            + "; 'chagres ls STORE HOST:/**' lists what is there");
        }
    }

    private void search(List<HostRegistry.Owner> chosen, Executor threads, int ahead) throws IOException {
        Iterator<HostRegistry.Owner> hosts = chosen.iterator();
        Deque<Locating> locating = new ArrayDeque<>();
        Deque<Batch> running = new ArrayDeque<>();
        @Nullable Batches waiting = null;
        while (!(options.quiet && found.get()) && !(needsNames && files > 0)) {
            while (locating.size() < 2 * ahead && hosts.hasNext()) {
                locating.add(new Locating(hosts.next(), threads));
            }
            boolean room = running.size() < 2 * ahead;
            if (room && waiting != null && waiting.entries.hasNext()) {
                running.add(new Batch(waiting, threads));
            } else if (room && !locating.isEmpty()) {
                Located host = finish(locating.remove());
                waiting = host == null ? null : new Batches(host);
            } else if (!running.isEmpty()) {
                finish(running.remove());
            } else {
                break;
            }
        }
    }

    private List<HostRegistry.Owner> hosts() throws IOException {
        if (addresses.size() == 1) {
            return view.hosts(addresses.getFirst());
        }
        List<HostRegistry.Owner> chosen = view.hosts(null).stream()
                .filter(host -> addresses.isEmpty() || addresses.stream().anyMatch(each -> each.matchesHost(host)))
                .toList();
        view.expect(chosen);
        return chosen;
    }

    private @Nullable Located finish(Locating each) throws IOException {
        boolean done = view.faults().attempt(each.host, each.task::finish);
        if (done && each.located == null) {
            ruledOut.add(each.host);
            count.hostRuledOut();
        }
        if (done && each.located != null) {
            for (CorruptArchiveException filter : each.located.filters()) {
                view.note(filter.getMessage() + "; all that it covers is read");
            }
        }
        return done ? each.located : null;
    }

    private void finish(Batch batch) throws IOException {
        view.faults().attempt(batch.host.host().host(), batch.task::finish);
        for (IOException fault : batch.faults) {
            if (fault instanceof UnsearchedException) {
                view.faults().tell(batch.host.host().host(), fault);
                continue;
            }
            view.faults().attempt(batch.host.host().host(), () -> {
                throw fault;
            });
        }
        if (batch.isLast) {
            view.done(batch.host.host().host());
        }
    }

    /** Returns the files of a host to search; null when its filters say that no line of it can match. */
    private @Nullable Located locate(HostRegistry.Owner owner) throws IOException {
        List<CorruptArchiveException> filters = new ArrayList<>();
        boolean everything = encoding.charset() != null || wanted.numbers() || wanted.before() + wanted.after() > 0;
        Unmatched unmatched =
                everything ? Unmatched.NONE : Unmatched.of(view.store(), owner.id(), pattern, filters::add);
        if (isRuledOut(owner, unmatched)) {
            return null;
        }
        HostFiles host = view.files(owner, addresses, globs::take);
        CommitWindow window = view.window(owner);
        Supplier<Set<Long>> ids = () -> host.files().stream()
                .filter(each -> isZipped(each)
                        || !rest(unmatched, window, each.version()).isEmpty())
                .map(each -> each.version().id())
                .collect(Collectors.toSet());
        HostState state = host.view().located(ids);
        HostTimes commits = new HostTimes(view.store(), owner.id(), state.seq(), ids);
        return new Located(host, state, window, unmatched, filters, commits);
    }

    private boolean isRuledOut(HostRegistry.Owner owner, Unmatched unmatched) throws IOException {
        boolean needsFiles = needsNames
                || options.unzip
                || options.filesWithout
                || !view.at().equals(PointInTime.NOW);
        return !needsFiles
                && unmatched.nowhereUntil() > 0
                && HostLog.compactedTo(view.store(), owner.id()) == unmatched.nowhereUntil();
    }

    private static List<Unmatched.Range> rest(Unmatched unmatched, CommitWindow window, FileVersion version) {
        long start = Math.max(window.start(version), version.startPosition());
        return unmatched.rest(version.id(), start, window.end(version));
    }

    private boolean isZipped(Selection.Entry entry) {
        return options.unzip && Packed.of(entry.path()) != null;
    }

    /** The files of a host, some at a time. */
    private final class Batches {
        private final Located host;
        private final Iterator<Selection.Entry> entries;

        Batches(Located host) {
            this.host = host;
            entries = host.host().files().iterator();
        }

        List<Numbered> next() {
            List<Numbered> batch = new ArrayList<>();
            long bytes = 0;
            while (entries.hasNext() && bytes < TASK_BYTES && batch.size() < TASK_FILES) {
                Selection.Entry entry = entries.next();
                batch.add(new Numbered(files++, entry));
                bytes += entry.version().length();
            }
            return batch;
        }
    }

    private void search(Located host, List<Numbered> entries, OrderedOutput printed, List<IOException> faults)
            throws IOException {
        String hostId = host.host().host().id();
        try (VersionContent content = new VersionContent(view.store(), hostId, host.state(), lookahead);
                FileSearch search = new FileSearch(pattern, wanted)) {
            for (Numbered each : entries) {
                if (options.quiet && found.get()) {
                    return;
                }
                search(host, each, content, search, printed, faults);
            }
        }
    }

    /** Searches a file; if it cannot be read to its end, its matches so far are shown and counted. */
    private void search(
            Located host,
            Numbered file,
            VersionContent content,
            FileSearch search,
            OrderedOutput printed,
            List<IOException> faults)
            throws IOException {
        SearchedFile searched = searched(host, file.entry(), content);
        boolean whole = false;
        @Nullable GrepSink sink = null;
        @Nullable TimedLines times = options.lineTimes.of(searched.version());
        try {
            SearchedFile.Text text = searched.text(encoding);
            boolean isConverted = searched.packed() != null || text.charset() != null;
            sink = sink(host, file, isConverted, search, printed, faults);
            searched.search(search, text, options.stats ? counted(sink, search) : sink, times);
            whole = true;
        } catch (Output.ClosedException | CommandFailure e) {
            throw e;
        } catch (IOException e) {
            faults.add(e);
        }
        options.lineTimes.note(searched.origin(), times);
        long matches = search.matches();
        count.file(matches, search.takeSearched(), searched.ruledOutBytes());
        if (sink != null && (whole || matches > 0)) {
            sink.end(matches);
            (matches > 0 ? found : without).set(true);
        }
        long cut = search.takeCut();
        if (cut >= 0) {
            faults.add(new UnsearchedException(
                    searched.origin(),
                    "a match from byte " + cut + " on may be longer than 1 MiB or nest too deeply; what follows was not"
                            + " searched"));
        }
        long tooLong = search.takeTooLong();
        if (tooLong >= FileSearch.MAX_LINE_BYTES) {
            faults.add(new UnsearchedException(
                    searched.origin(), "a line of " + tooLong + " bytes is longer than 16 MiB and was passed over"));
        } else if (tooLong > 0) {
            faults.add(new UnsearchedException(
                    searched.origin(),
                    "a line of " + tooLong + " bytes is too long for this pattern and was passed over"));
        }
    }

    /** Returns a sink that counts what of lines matches, and hands them on. */
    private LineSink counted(GrepSink sink, FileSearch search) {
        return new LineSink() {
            @Override
            public void line(Line line) throws IOException {
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
        };
    }

    private SearchedFile searched(Located host, Selection.Entry entry, VersionContent content) {
        FileVersion listed = entry.version(); // the bounds; the state may already know more
        FileVersion version = Objects.requireNonNull(host.state().version(listed.id()));
        long start = Math.max(host.window().start(listed), version.startPosition());
        long end = Math.max(start, host.window().end(listed));
        return new SearchedFile(
                host.host().origin(entry),
                version,
                start,
                end,
                rest(host, version, start, end),
                options.unzip ? Packed.of(entry.path()) : null,
                content);
    }

    /**
     * A match over lines may be in pieces none of whose lines matches alone, and the time of a line stands on another:
     * such a file is searched whole.
     */
    private List<Unmatched.Range> rest(Located host, FileVersion version, long start, long end) {
        List<Unmatched.Range> rest = host.unmatched().rest(version.id(), start, end);
        boolean isWhole = options.overLines || options.lineTimes.isGiven();
        return isWhole && !rest.isEmpty() ? List.of(new Unmatched.Range(start, end)) : rest;
    }

    /** @param isConverted whether positions of what is searched are not those of the file */
    private GrepSink sink(
            Located host,
            Numbered file,
            boolean isConverted,
            FileSearch search,
            OrderedOutput printed,
            List<IOException> faults) {
        ContentSink.Origin origin = host.host().origin(file.entry());
        if (sorter == null) {
            boolean isText = !json && !options.namesFiles() && !options.count;
            if (isText && options.hasHeading()) {
                printed.separate(GrepSink.HEADING_GAP);
            } else if (isText && wanted.before() + wanted.after() > 0) {
                printed.separate(GrepSink.GAP);
            }
            return GrepSink.of(origin, printed, search, options, colored, json);
        }
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        GrepSink sink = GrepSink.of(origin, text, search, options, colored, json);
        FileVersion version = file.entry().version();
        long last = host.window().end(version) - 1; // all of what is converted, and a line without an end
        return new TimedSink(sink, search, text, sorter, file.number(), position -> host.times()
                .of(faults)
                .timeMs(version, isConverted ? last : Math.min(position, last)));
    }
}
