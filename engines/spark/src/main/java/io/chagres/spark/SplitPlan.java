package io.chagres.spark;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.find.LinePattern;
import io.chagres.archive.find.LineRange;
import io.chagres.archive.find.Unmatched;
import io.chagres.archive.read.CommitWindow;
import io.chagres.archive.read.Selection;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.HostView;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Divides a table among tasks by what the logs of hosts and their filters say, without the bytes of any file. */
final class SplitPlan {
    private final Question question;
    private final RowFilter filter;
    private final @Nullable LinePattern pattern;
    private final List<Split> splits = new ArrayList<>();
    private final LocalTables tables = Question.tables();

    SplitPlan(Question question, RowFilter filter) {
        this.question = question;
        this.filter = filter;
        pattern = filter.pattern();
    }

    /** Returns the tasks. */
    List<Split> splits() throws IOException {
        try (BlobStore store = question.open()) {
            for (HostRegistry.Owner host : HostRegistry.hosts(store)) {
                if (filter.mayHold(Map.of("host", host.name()))) {
                    named(store, host);
                }
                tables.release(host.id());
            }
        } finally {
            tables.close();
        }
        return splits;
    }

    private void named(BlobStore store, HostRegistry.Owner host) throws IOException {
        try {
            plan(store, host);
        } catch (CorruptArchiveException e) {
            throw new IOException(
                    "host " + host.name() + ": " + e.getMessage() + "; others are read where host <> '" + host.name()
                            + "'",
                    e);
        }
    }

    private void plan(BlobStore store, HostRegistry.Owner host) throws IOException {
        switch (question.table()) {
            case LINES -> lines(store, host);
            case FILES ->
                add(
                        host,
                        entries(host, state(store, host, question.moment())).stream()
                                .map(SplitPlan::row)
                                .toList());
            case COMMITS, HOSTS -> add(host, List.of());
        }
    }

    private void add(HostRegistry.Owner host, List<Split.FileRow> files) {
        splits.add(new Split(host.id(), host.name(), host.createdMs(), List.of(), files));
    }

    private HostState state(BlobStore store, HostRegistry.Owner host, PointInTime at) throws IOException {
        return begun(
                store, host.id(), HostView.open(store, host.id(), at, tables).state());
    }

    /** Returns a state, unless it is empty because the log is gone. */
    static HostState begun(BlobStore store, String hostId, HostState state) throws IOException {
        CorruptArchiveException gap = state.seq() == 0 ? LogWitness.missing(store, hostId) : null;
        if (gap != null) {
            throw gap;
        }
        return state;
    }

    private Selection entries(HostRegistry.Owner host, HostState state) {
        return Selection.matching(
                state,
                path -> filter.mayHold(Map.of("host", host.name(), "path", path.toString())),
                question.versions());
    }

    private static Split.FileRow row(Selection.Entry entry) {
        FileVersion version = entry.version();
        return new Split.FileRow(
                entry.path().bytes(),
                entry.named(),
                version.id(),
                version.state().name().toLowerCase(Locale.ROOT),
                version.length(),
                version.openedMs(),
                version.changedMs());
    }

    private void lines(BlobStore store, HostRegistry.Owner host) throws IOException {
        HostState state = state(store, host, question.moment());
        CommitWindow asked = CommitWindow.of(store, host.id(), question.since(), question.until(), tables);
        // of a moment the bytes of its commit are wanted, too
        Instant from = instant(filter.committedFromMs(), -1);
        Instant to = instant(filter.committedToMs(), 1);
        CommitWindow wanted = CommitWindow.of(store, host.id(), from, to, tables);
        // a filter that is damaged says nothing, and so all is read
        Unmatched unmatched = pattern == null ? Unmatched.NONE : Unmatched.of(store, host.id(), pattern, damaged -> {});
        List<LineRange> ranges = new ArrayList<>();
        for (Selection.Entry entry : entries(host, state)) {
            FileVersion version = entry.version();
            long start = Math.max(asked.start(version), wanted.start(version));
            long limit = asked.end(version);
            long end = Math.min(limit, wanted.end(version));
            for (Unmatched.Range rest : unmatched.rest(version.id(), start, end)) {
                ranges.add(new LineRange(entry.path().bytes(), version.id(), rest.start(), rest.end(), limit));
            }
        }
        splits.addAll(new Splits(host, question.splitBytes()).of(ranges));
    }

    private static @Nullable Instant instant(long timeMs, long moreMs) {
        boolean known = timeMs != Long.MIN_VALUE && timeMs != Long.MAX_VALUE;
        return known ? Instant.ofEpochMilli(timeMs + moreMs) : null;
    }
}
