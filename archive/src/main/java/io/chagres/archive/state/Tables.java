package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.TableSection;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The tables that lead from one checkpoint to a later state. Immutable.
 *
 * @param base the checkpoint; {@link CheckpointId#BEGINNING} for none
 * @param names each begins where the one before ends, the first at the checkpoint
 * @param extents those that say where the bytes are, in the order of their ends; they may overlap
 */
record Tables(CheckpointId base, List<Stored> names, List<Stored> extents) {
    /** A table of a span, its key, and its size in the store. */
    record Stored(CommitSpan span, String key, long bytes) {}

    /** Returns that there is nothing. */
    static Tables none(@Nullable CheckpointId checkpoint) {
        return new Tables(beginning(checkpoint), List.of(), List.of());
    }

    private static CheckpointId beginning(@Nullable CheckpointId checkpoint) {
        return checkpoint == null ? CheckpointId.BEGINNING : checkpoint;
    }

    /** Lists those up to a commit, and where all bytes are that they know of. */
    static Tables list(BlobStore store, String hostId, @Nullable CheckpointId checkpoint, long seq) throws IOException {
        CheckpointId base = beginning(checkpoint);
        List<Stored> extents = ofExtents(store, hostId, base, seq);
        if (extents.isEmpty()) {
            return none(checkpoint);
        }
        return new Tables(
                base, names(store, hostId, base, extents.getLast().span().to()), extents);
    }

    /** Lists those up to a commit, without where bytes are. */
    static Tables ofNames(BlobStore store, String hostId, @Nullable CheckpointId checkpoint, long seq)
            throws IOException {
        CheckpointId base = beginning(checkpoint);
        return new Tables(base, names(store, hostId, base, seq), List.of());
    }

    private static List<Stored> names(BlobStore store, String hostId, CheckpointId base, long seq) throws IOException {
        return list(store, hostId, base, TableSection.NAMES, seq, Tables::path);
    }

    /** Lists those that say where bytes are up to a commit. */
    static List<Stored> ofExtents(BlobStore store, String hostId, CheckpointId base, long seq) throws IOException {
        return list(store, hostId, base, TableSection.EXTENTS, seq, Tables::cover);
    }

    /** Returns the commit they lead to. */
    long reached() {
        return names.isEmpty() ? base.seq() : names.getLast().span().to();
    }

    /** Finds a way from one commit as far as spans lead, in order. */
    private interface Way {
        List<CommitSpan> of(Collection<CommitSpan> spans, long from);
    }

    /** Lists from the newest back until there is a way from the checkpoint. */
    private static List<Stored> list(
            BlobStore store, String hostId, CheckpointId base, TableSection section, long seq, Way way)
            throws IOException {
        Map<CommitSpan, BlobInfo> there = new HashMap<>();
        long from = base.seq();
        long newest = 0;
        long first = Long.MAX_VALUE;
        for (BlobInfo info : BlobList.all(store, ArchiveLayout.tables(hostId, base, section), null)) {
            CommitSpan span = ArchiveLayout.tableOf(info.key());
            if (span == null || span.to() > seq || span.from() < from) {
                continue;
            }
            there.put(span, info);
            newest = Math.max(newest, span.to());
            first = Math.min(first, span.from());
            List<CommitSpan> found = first == from ? way.of(there.keySet(), from) : List.of();
            if (!found.isEmpty() && found.getLast().to() == newest) {
                return stored(found, there);
            }
        }
        return stored(way.of(there.keySet(), from), there);
    }

    private static List<Stored> stored(List<CommitSpan> spans, Map<CommitSpan, BlobInfo> there) {
        List<Stored> stored = new ArrayList<>();
        for (CommitSpan span : spans) {
            BlobInfo info = Objects.requireNonNull(there.get(span));
            stored.add(new Stored(span, info.key(), info.lengthBytes()));
        }
        return stored;
    }

    /** The last span of a way, and how many it has. */
    private record Step(@Nullable Step before, @Nullable CommitSpan span, int count) {}

    /** Returns spans that begin where the one before ends: as far as any lead, and as few as lead there. */
    private static List<CommitSpan> path(Collection<CommitSpan> spans, long from) {
        Map<Long, Step> steps = new HashMap<>();
        steps.put(from, new Step(null, null, 0));
        long reached = from;
        List<CommitSpan> sorted = new ArrayList<>(spans);
        sorted.sort(Comparator.comparingLong(CommitSpan::to));
        for (CommitSpan span : sorted) {
            Step before = steps.get(span.from());
            Step there = steps.get(span.to());
            if (before != null && (there == null || there.count() > before.count() + 1)) {
                steps.put(span.to(), new Step(before, span, before.count() + 1));
                reached = Math.max(reached, span.to());
            }
        }
        List<CommitSpan> path = new ArrayList<>();
        for (Step step = steps.get(reached); step != null && step.span() != null; step = step.before()) {
            path.addFirst(step.span());
        }
        return path;
    }

    /** Returns as few spans as cover the commits behind one as far as any do, in order. */
    private static List<CommitSpan> cover(Collection<CommitSpan> spans, long after) {
        List<CommitSpan> cover = new ArrayList<>();
        long reached = after;
        while (true) {
            CommitSpan longest = null;
            for (CommitSpan span : spans) {
                if (span.from() <= reached && span.to() > (longest == null ? reached : longest.to())) {
                    longest = span;
                }
            }
            if (longest == null) {
                return cover;
            }
            cover.add(longest);
            reached = longest.to();
        }
    }

    /** Returns as few spans as cover the commits behind one up to another, in order; null when they do not. */
    static @Nullable List<CommitSpan> chain(Collection<CommitSpan> spans, long after, long seq) {
        List<CommitSpan> chain = new ArrayList<>();
        for (CommitSpan each : cover(spans, after)) {
            if (chain.isEmpty() || chain.getLast().to() < seq) {
                chain.add(each);
            }
        }
        return after >= seq ? List.of() : !chain.isEmpty() && chain.getLast().to() >= seq ? chain : null;
    }
}
