package io.chagres.archive.query;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.find.FileSearch;
import io.chagres.archive.find.LinePattern;
import io.chagres.archive.find.LineSink;
import io.chagres.archive.find.TimedLines;
import io.chagres.archive.find.Unmatched;
import io.chagres.archive.read.CommitWindow;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.read.Lookahead;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.store.StoreException;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Searches the files of many hosts beside each other; what is found is printed in their order. Each task takes some
 * files of one host, so that small ones share what is read for them. Confined to one thread.
 */
public final class FleetSearch {
    private static final long TASK_BYTES = 16L << 20;
    private static final int TASK_FILES = 4096;

    /**
     * What is looked for.
     *
     * @param wanted what of each file
     * @param encoding in which files are text
     * @param unpackers say by a path how a file is compressed; null for one that is searched as it is
     * @param unpacks whether any file is unpacked
     * @param endsEarly whether nothing more is wanted once something was found
     * @param visitsAll whether files are wanted in which nothing is found
     */
    public record Wanted(
            LinePattern pattern,
            FileSearch.Options wanted,
            TextEncoding encoding,
            Function<Pathname, @Nullable Unpacker> unpackers,
            boolean unpacks,
            boolean endsEarly,
            boolean visitsAll) {}

    /** Takes the lines of a file. */
    public interface FileSink extends LineSink {
        /** The file was searched to its end, or to its last line that is wanted, or to where it cannot be read. */
        void end(long matches) throws IOException;
    }

    /** Says when positions of a file were committed. */
    @FunctionalInterface
    public interface Clock {
        /** Returns milliseconds since 1970. */
        long timeMs(long position) throws IOException;
    }

    /** Takes what is found; its methods are called by any thread, but those about hosts by that of the search. */
    public interface Results {
        /**
         * Returns what takes the lines of a file.
         *
         * @param number of the file among all, in their order
         * @param clock of the positions of lines, which need not be those of the file
         */
        FileSink open(QueriedFile file, long number, FileSearch search, Clock clock, OrderedOutput printed);

        /** Returns what finds the lines of a version by the times in them; null when all are searched. */
        @Nullable
        TimedLines times(FileVersion version);

        /**
         * Hears that a file was searched.
         *
         * @param times what was found out of the times in its lines; null when that was not asked
         * @param matches lines that were found
         * @param searchedBytes that were searched
         * @param ruledOutBytes that filters ruled out
         */
        void searched(
                QueriedFile file, @Nullable TimedLines times, long matches, long searchedBytes, long ruledOutBytes);

        /** Hears that filters ruled out a whole host. */
        void ruledOut(HostRegistry.Owner host);

        /** Hears of a filter that is damaged: all that it covers is read. */
        void damaged(CorruptArchiveException filter);

        /** Says whether a failure is one of what takes lines: that ends the search, and no file is to blame. */
        boolean isOwn(IOException failure);
    }

    private final ArchiveReader archive;
    private final HostFaults faults;
    private final Query query;
    private final Wanted wanted;
    private final Results results;
    private final OrderedOutput.Target out;
    private final AtomicBoolean found = new AtomicBoolean();
    private final AtomicBoolean without = new AtomicBoolean();
    private long files;
    /** Hosts whose filters alone were read: no line of theirs can match. */
    private final List<HostRegistry.Owner> ruledOut = new ArrayList<>();

    private boolean needsNames;
    private Lookahead lookahead = Lookahead.NONE;

    /**
     * Prepares a search.
     *
     * @param faults of the archive, which passes over what cannot be read
     * @param out prints
     */
    public FleetSearch(
            ArchiveReader archive,
            HostFaults faults,
            Query query,
            Wanted wanted,
            Results results,
            OrderedOutput.Target out) {
        this.archive = archive;
        this.faults = faults;
        this.query = query;
        this.wanted = wanted;
        this.results = results;
        this.out = out;
    }

    /** Says whether a line was found. */
    public boolean found() {
        return found.get();
    }

    /** Says whether a file had no line. */
    public boolean without() {
        return without.get();
    }

    /**
     * A host whose files are to be searched.
     *
     * @param window what was committed in the time that is asked for
     * @param filters what is wrong with those that say what need not be read
     * @param times when its lines were committed
     */
    private record Located(
            QueriedHost host,
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
        private final List<IOException> failures = new ArrayList<>();
        private final OrderedOutput task;
        private final boolean isLast;

        Batch(Batches of, Executor threads) {
            host = of.host;
            List<Numbered> entries = of.next();
            isLast = !of.entries.hasNext();
            task = new OrderedOutput(out, threads, printed -> search(this, entries, printed));
        }
    }

    /**
     * Searches everything; says whether the query names any file, as far as that is known.
     *
     * @param hosts that the query names
     * @param workers of each kind twice as many tasks are begun before the one that prints, of searches and of hosts
     * @param readsAhead what of large files is read before it is asked for
     */
    public boolean run(List<HostRegistry.Owner> hosts, Workers workers, Lookahead readsAhead) throws IOException {
        lookahead = readsAhead;
        search(hosts, workers);
        // filters show that there are files, but perhaps none that was chosen
        if (files == 0 && faults.count() == 0 && !ruledOut.isEmpty() && !query.namesAll()) {
            needsNames = true;
            search(List.copyOf(ruledOut), workers);
        }
        return files > 0 || faults.count() > 0 || (!ruledOut.isEmpty() && query.namesAll());
    }

    private void search(List<HostRegistry.Owner> chosen, Workers workers) throws IOException {
        Iterator<HostRegistry.Owner> hosts = chosen.iterator();
        int ahead = 2 * workers.count();
        Deque<Locating> locating = new ArrayDeque<>();
        Deque<Batch> running = new ArrayDeque<>();
        @Nullable Batches waiting = null;
        while (!(wanted.endsEarly && found.get()) && !(needsNames && files > 0)) {
            while (locating.size() < ahead && hosts.hasNext()) {
                locating.add(new Locating(hosts.next(), workers.threads()));
            }
            boolean room = running.size() < ahead;
            if (room && waiting != null && waiting.entries.hasNext()) {
                running.add(new Batch(waiting, workers.threads()));
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

    private @Nullable Located finish(Locating each) throws IOException {
        boolean done = faults.attempt(each.host, each.task::finish);
        if (done && each.located == null) {
            ruledOut.add(each.host);
            results.ruledOut(each.host);
        }
        if (done && each.located != null) {
            each.located.filters().forEach(results::damaged);
        }
        return done ? each.located : null;
    }

    private void finish(Batch batch) throws IOException {
        HostRegistry.Owner host = batch.host.host().host();
        faults.attempt(host, batch.task::finish);
        for (IOException failure : batch.failures) {
            if (failure instanceof UnreadFileException) {
                if (failure.getCause() instanceof StoreException refusal) {
                    HostRegistry.requireAnswer(archive.store(), refusal);
                }
                faults.tell(host, failure);
                continue;
            }
            faults.attempt(host, () -> {
                throw failure;
            });
        }
        if (batch.isLast) {
            archive.done(host);
        }
    }

    /** Returns the files of a host to search; null when its filters say that no line of it can match. */
    private @Nullable Located locate(HostRegistry.Owner owner) throws IOException {
        List<CorruptArchiveException> filters = new ArrayList<>();
        FileSearch.Options lines = wanted.wanted;
        boolean everything = wanted.encoding.charset() != null || lines.numbers() || lines.before() + lines.after() > 0;
        Unmatched unmatched = archive.unmatched(owner, everything ? null : wanted.pattern, filters::add);
        if (isRuledOut(owner, unmatched)) {
            return null;
        }
        QueriedHost host = archive.host(owner, query, ExtentFilter.ALL);
        CommitWindow window = host.window();
        Predicate<Selection.Entry> mayMatch = file -> wanted.unpackers.apply(file.path()) != null
                || !rest(unmatched, window, file.version()).isEmpty();
        HostTimes times =
                new HostTimes(archive.store(), owner.id(), host.state().seq(), () -> host.ids(mayMatch));
        return new Located(host, window, unmatched, filters, times);
    }

    private static List<Unmatched.Range> rest(Unmatched unmatched, CommitWindow window, FileVersion version) {
        long start = Math.max(window.start(version), version.startPosition());
        return unmatched.rest(version.id(), start, window.end(version));
    }

    private boolean isRuledOut(HostRegistry.Owner owner, Unmatched unmatched) throws IOException {
        boolean needsFiles =
                needsNames || wanted.unpacks || wanted.visitsAll || !query.at().equals(PointInTime.NOW);
        return !needsFiles
                && !archive.store().traits().isProven() // its name is compared when its files are known
                && unmatched.nowhereUntil() > 0
                && HostLog.compactedTo(archive.store(), owner.id()) == unmatched.nowhereUntil();
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

    private void search(Batch batch, List<Numbered> entries, OrderedOutput printed) throws IOException {
        String hostId = batch.host.host().host().id();
        try (VersionContent content = new VersionContent(
                        archive.store(), hostId, batch.host.host().state(), lookahead);
                FileSearch search = new FileSearch(wanted.pattern, wanted.wanted)) {
            for (Numbered each : entries) {
                if (wanted.endsEarly && found.get()) {
                    return;
                }
                search(batch, each, content, search, printed);
            }
        }
    }

    /** Searches a file; if it cannot be read to its end, its matches so far are shown and counted. */
    private void search(
            Batch batch, Numbered numbered, VersionContent content, FileSearch search, OrderedOutput printed)
            throws IOException {
        QueriedFile file = batch.host.host().file(numbered.entry());
        @Nullable TimedLines times = results.times(file.version());
        SearchedFile searched = new SearchedFile(
                file, rest(batch.host, file, times != null), wanted.unpackers.apply(file.path()), content);
        boolean whole = false;
        @Nullable FileSink sink = null;
        try {
            SearchedFile.Text text = searched.text(wanted.encoding);
            boolean isConverted = searched.packed() != null || text.charset() != null;
            sink = results.open(file, numbered.number(), search, clock(batch, numbered, isConverted), printed);
            searched.search(search, text, sink, times);
            whole = true;
        } catch (IOException e) {
            if (results.isOwn(e)) {
                throw e;
            }
            boolean isOfFile = e instanceof CorruptArchiveException
                    || e instanceof EncryptedException
                    || e instanceof StoreException;
            batch.failures.add(
                    isOfFile ? new UnreadFileException(file, "it is searched up to what cannot be read", e) : e);
        }
        long matches = search.matches();
        results.searched(file, times, matches, search.takeSearched(), searched.ruledOutBytes());
        if (sink != null && (whole || matches > 0)) {
            sink.end(matches);
            (matches > 0 ? found : without).set(true);
        }
        passedOver(file, search, batch.failures);
    }

    private static void passedOver(QueriedFile file, FileSearch search, List<IOException> failures) {
        long cut = search.takeCut();
        if (cut >= 0) {
            failures.add(new UnreadFileException(
                    file,
                    "a match from byte " + cut + " on may be longer than 1 MiB or nest too deeply; what follows was not"
                            + " searched"));
        }
        long tooLong = search.takeTooLong();
        if (tooLong >= FileSearch.MAX_LINE_BYTES) {
            failures.add(new UnreadFileException(
                    file, "a line of " + tooLong + " bytes is longer than 16 MiB and was passed over"));
        } else if (tooLong > 0) {
            failures.add(new UnreadFileException(
                    file, "a line of " + tooLong + " bytes is too long for this pattern and was passed over"));
        }
    }

    /**
     * A match over lines may be in pieces none of whose lines matches alone, and the time of a line stands on another:
     * such a file is searched whole.
     */
    private List<Unmatched.Range> rest(Located host, QueriedFile file, boolean byTimes) {
        List<Unmatched.Range> rest = host.unmatched().rest(file.version().id(), file.start(), file.end());
        boolean isWhole = wanted.pattern.overLines() || byTimes;
        return isWhole && !rest.isEmpty() ? List.of(new Unmatched.Range(file.start(), file.end())) : rest;
    }

    /** @param isConverted whether positions of what is searched are not those of the file */
    private static Clock clock(Batch batch, Numbered numbered, boolean isConverted) {
        FileVersion version = numbered.entry().version();
        long last = batch.host.window().end(version) - 1; // all of what is converted, and a line without an end
        return position ->
                batch.host.times().of(batch.failures).timeMs(version, isConverted ? last : Math.min(position, last));
    }
}
