package io.chagres.spark;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.find.LineRange;
import io.chagres.archive.find.Unmatched;
import io.chagres.archive.query.ArchiveReader;
import io.chagres.archive.query.QueriedFile;
import io.chagres.archive.query.QueriedHost;
import io.chagres.archive.query.Query;
import io.chagres.archive.read.CommitWindow;
import io.chagres.archive.read.Selection;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Divides a table among tasks by what the logs of hosts and their filters say, without the bytes of any file. */
final class SplitPlan {
    private final Question question;
    private final RowFilter filter;
    private final Query query;
    private final List<Split> splits = new ArrayList<>();

    SplitPlan(Question question, RowFilter filter) {
        this.question = question;
        this.filter = filter;
        query = question.query(filter);
    }

    /** Returns the tasks. */
    List<Split> splits() throws IOException {
        try (ArchiveReader archive = question.reader()) {
            for (HostRegistry.Owner host : archive.hosts(query)) {
                try {
                    archive.attempt(host, () -> plan(archive, host));
                } catch (CorruptArchiveException e) {
                    throw new IOException(
                            "host " + host.name() + ": " + e.getMessage() + "; others are read where host <> '"
                                    + host.name() + "', and option(\"damaged\", \"skip\") reads what is left",
                            e);
                }
                archive.done(host);
            }
        }
        return splits;
    }

    private void plan(ArchiveReader archive, HostRegistry.Owner host) throws IOException {
        switch (question.table()) {
            case LINES ->
                splits.addAll(new Splits(host, question.splitBytes()).of(ranges(archive, listed(archive, host))));
            case FILES ->
                add(
                        host,
                        listed(archive, host).files().stream()
                                .map(SplitPlan::row)
                                .toList());
            case COMMITS, HOSTS -> add(host, List.of());
        }
    }

    private QueriedHost listed(ArchiveReader archive, HostRegistry.Owner host) throws IOException {
        return archive.host(host, query, ExtentFilter.NONE);
    }

    private void add(HostRegistry.Owner host, List<Split.FileRow> files) {
        splits.add(new Split(host.id(), host.name(), host.createdMs(), List.of(), files));
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

    private List<LineRange> ranges(ArchiveReader archive, QueriedHost host) throws IOException {
        // of a moment the bytes of its commit are wanted, too
        Instant from = instant(filter.committedFromMs(), -1);
        Instant to = instant(filter.committedToMs(), 1);
        CommitWindow wanted = archive.window(host.host(), from, to);
        Unmatched unmatched = archive.unmatched(host.host(), filter.pattern(), damaged -> {});
        List<LineRange> ranges = new ArrayList<>();
        for (Selection.Entry entry : host.files()) {
            QueriedFile file = host.file(entry);
            ranges.addAll(file.ranges(unmatched, wanted.start(file.version()), wanted.end(file.version())));
        }
        return ranges;
    }

    private static @Nullable Instant instant(long timeMs, long moreMs) {
        boolean known = timeMs != Long.MIN_VALUE && timeMs != Long.MAX_VALUE;
        return known ? Instant.ofEpochMilli(timeMs + moreMs) : null;
    }
}
