package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Collects what the commits of a span change while they are applied. For each version they touch it has what is new,
 * and where the new bytes are. Behind the versions it has all else in the order of the log. Confined to one thread.
 */
final class Changes implements RunListener {
    private final Set<Long> touched = new TreeSet<>();
    private final Set<Long> opened = new HashSet<>();
    private final Set<Long> attributed = new HashSet<>();
    private final Map<Long, List<LogRecord.Extent>> extents = new HashMap<>();
    private final List<LogRecord> others = new ArrayList<>();
    private boolean listens;

    /** Begins a span: nothing was changed yet. */
    void begin() {
        touched.clear();
        opened.clear();
        attributed.clear();
        extents.clear();
        others.clear();
        listens = true;
    }

    @Override
    public void opened(LogRecord.VersionOpened version) {
        if (listens) {
            touched.add(version.versionId());
            opened.add(version.versionId());
        }
    }

    @Override
    public void extent(LogRecord.Extent extent) {
        if (listens) {
            touched.add(extent.versionId());
            extents.computeIfAbsent(extent.versionId(), id -> new ArrayList<>()).add(extent);
        }
    }

    @Override
    public void applied(CommitHeader commit) throws CorruptArchiveException {
        RecordReader records = commit.recordReader();
        while (records.hasNext()) {
            switch (records.next()) {
                case LogRecord.VersionClosed closed -> touched.add(closed.versionId());
                case LogRecord.AttributesChanged changed
                when changed.versionId() != 0 -> {
                    touched.add(changed.versionId());
                    attributed.add(changed.versionId());
                }
                case LogRecord.VersionOpened heard -> {}
                case LogRecord.Extent heard -> {}
                case LogRecord.Repeated said -> {}
                case LogRecord.ObjectDigest of -> {}
                case LogRecord other -> others.add(other);
            }
        }
    }

    /**
     * Puts what was collected into the store, unless it is there.
     *
     * @param state after the last commit of the span
     */
    void write(BlobStore store, String key, HostState state) throws IOException {
        Checkpoint.put(store, key, Checkpoint.header(state, FixedHeader.CHANGES), out -> {
            for (long id : touched) {
                version(Objects.requireNonNull(state.version(id)), out);
            }
            for (LogRecord other : others) {
                out.write(other);
            }
        });
    }

    private void version(FileVersion version, Checkpoint.Sink out) throws IOException {
        long id = version.id();
        if (opened.contains(id)) {
            out.write(Checkpoint.opened(version, version.startPosition()));
        }
        for (LogRecord.Extent extent : extents.getOrDefault(id, List.of())) {
            out.write(extent);
        }
        Checkpoint.closed(version, out);
        if (attributed.contains(id)) {
            Checkpoint.attributes(version, out);
        }
        out.write(version.times());
        Checkpoint.commits(version, out);
    }

    /**
     * Applies the changes of a span to the state before it.
     *
     * @throws CorruptArchiveException when they are damaged; the state is then not usable
     */
    static void apply(BlobStore store, Tables tables, CommitSpan span, HostState state) throws IOException {
        Checkpoint.restore(store, tables.key(span), FixedHeader.CHANGES, state);
    }

    /**
     * Applies the changes of a span to the state before it, which need not stay in memory. The changes are read twice
     * at the same time, so that the other records of a version follow it.
     *
     * @param relief is asked after each record
     * @return what stands for the state now
     * @throws CorruptArchiveException when they are damaged; no state is then usable
     */
    static HostState apply(BlobStore store, Tables tables, CommitSpan span, HostState state, Checkpoint.Relief relief)
            throws IOException {
        String key = tables.key(span);
        try (CheckpointReader versions = new CheckpointReader(store, key, FixedHeader.CHANGES);
                CheckpointReader rest = new CheckpointReader(store, key, FixedHeader.CHANGES)) {
            Applying applying = new Applying(key, versions, rest, state, relief);
            applying.run();
            applying.state.restored(versions.header());
            return applying.state;
        }
    }

    /** Two readers of one object. */
    private static final class Applying {
        private final String key;
        private final CheckpointReader versions;
        private final CheckpointReader rest;
        private final Checkpoint.Relief relief;
        private HostState state;
        private @Nullable LogRecord version;

        Applying(
                String key,
                CheckpointReader versions,
                CheckpointReader rest,
                HostState state,
                Checkpoint.Relief relief) {
            this.key = key;
            this.versions = versions;
            this.rest = rest;
            this.state = state;
            this.relief = relief;
        }

        void run() throws IOException {
            version = versions.next();
            LogRecord other = rest.next();
            while (version != null || other != null) {
                while (other != null && versionOf(other) > 0) {
                    other = rest.next();
                }
                while (other != null && versionOf(other) == 0) {
                    versionsUpTo(needs(other));
                    apply(other);
                    other = rest.next();
                }
                versionsUpTo(Long.MAX_VALUE);
                while (version != null && versionOf(version) == 0) { // where spans were merged others follow
                    version = versions.next();
                }
            }
        }

        private void versionsUpTo(long id) throws IOException {
            LogRecord next = version;
            while (next != null && versionOf(next) > 0 && versionOf(next) <= id) {
                apply(next);
                next = versions.next();
            }
            version = next;
        }

        private void apply(LogRecord record) throws IOException {
            state.restore(key, record, versions.header().timeMs());
            state = relief.of(state);
        }
    }

    /** Returns the version that a record among the versions is of; 0 for the records behind them. */
    private static long versionOf(LogRecord record) {
        return switch (record) {
            case LogRecord.VersionOpened r -> r.versionId();
            case LogRecord.Extent r -> r.versionId();
            case LogRecord.VersionClosed r -> r.versionId();
            case LogRecord.AttributesChanged r -> r.versionId();
            case LogRecord.VersionTimes r -> r.versionId();
            case LogRecord.VersionCommits r -> r.versionId();
            default -> 0;
        };
    }

    /** Returns the version that a record behind the versions is about; 0 for none. */
    private static long needs(LogRecord record) {
        return switch (record) {
            case LogRecord.NameAdded r -> r.versionId();
            case LogRecord.Derived r -> r.fromVersion();
            default -> 0;
        };
    }

    /** Puts the changes of spans that follow each other as those of one. */
    static void merge(BlobStore store, String hostId, Tables tables, List<CommitSpan> spans, HostState state)
            throws IOException {
        CheckpointId base = tables.base();
        CommitSpan whole =
                new CommitSpan(spans.getFirst().from(), spans.getLast().to());
        String key = ArchiveLayout.mergedChanges(hostId, base, whole);
        Checkpoint.put(store, key, Checkpoint.header(state, FixedHeader.CHANGES), out -> {
            for (CommitSpan span : spans) {
                try (CheckpointReader in = new CheckpointReader(store, tables.key(span), FixedHeader.CHANGES)) {
                    for (LogRecord record = in.next(); record != null; record = in.next()) {
                        out.write(record);
                    }
                }
            }
        });
    }
}
