package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the store holds to shorten the way from one checkpoint to later states: outlines, and the changes of spans of
 * commits. Immutable.
 *
 * @param base the checkpoint; {@link CheckpointId#BEGINNING} for none
 * @param outlines commits that have an outline
 * @param spans the changes of spans of commits; those may overlap
 */
record Tables(CheckpointId base, NavigableSet<Long> outlines, Map<CommitSpan, BlobInfo> spans) {
    /** Returns that there is nothing. */
    static Tables none(@Nullable CheckpointId checkpoint) {
        CheckpointId base = checkpoint == null ? CheckpointId.BEGINNING : checkpoint;
        return new Tables(base, new TreeSet<>(), new HashMap<>());
    }

    /**
     * Lists what there is up to a commit, from the newest back until there is enough.
     *
     * @param maxBytes how many bytes an outline has in the store at most; behind a larger one none is taken
     */
    static Tables list(BlobStore store, String hostId, @Nullable CheckpointId checkpoint, long seq, long maxBytes)
            throws IOException {
        Tables tables = none(checkpoint);
        CheckpointId base = tables.base;
        boolean fits = true;
        for (BlobInfo info : store.list(ArchiveLayout.tables(hostId, base), null)) {
            CommitSpan span = ArchiveLayout.changesOf(info.key());
            long outline = ArchiveLayout.outlineOf(info.key());
            if (span != null) {
                tables.spans.put(span, info);
            } else if (outline > base.seq() && outline <= seq) {
                fits &= info.lengthBytes() <= maxBytes;
                tables.outlines.add(outline);
            } else {
                continue;
            }
            if (fits && tables.outline(seq) > base.seq()) {
                return tables;
            }
        }
        if (!fits) {
            tables.outlines.clear();
        }
        return tables;
    }

    /**
     * The way to a state.
     *
     * @param outline the commit it begins at: of an outline, or the base's
     * @param changes the spans behind that, each where the one before ends
     */
    record Route(long outline, List<CommitSpan> changes) {
        /** Returns the commit it leads to. */
        long reached() {
            return changes.isEmpty() ? outline : changes.getLast().to();
        }
    }

    /** Returns the way from the newest outline with all changes before it, or from the base, to a commit or near it. */
    Route route(long seq) {
        long outline = outline(seq);
        List<CommitSpan> changes = new ArrayList<>();
        long reached = outline;
        for (CommitSpan next = longest(reached, seq); next != null; next = longest(reached, seq)) {
            changes.add(next);
            reached = next.to();
        }
        return new Route(outline, changes);
    }

    private long outline(long seq) {
        for (long each : outlines.headSet(seq, true).descendingSet()) {
            if (chain(each) != null) {
                return each;
            }
        }
        return base.seq();
    }

    private @Nullable CommitSpan longest(long from, long seq) {
        return spans.keySet().stream()
                .filter(span -> span.from() == from && span.to() <= seq)
                .max(Comparator.comparingLong(CommitSpan::to))
                .orElse(null);
    }

    /** Returns spans that cover all commits from the base to one, in order; null when there are none. */
    @Nullable
    List<CommitSpan> chain(long seq) {
        return chain(spans.keySet(), base.seq(), seq);
    }

    /** Returns the key of the changes of a span. */
    String key(CommitSpan span) {
        return Objects.requireNonNull(spans.get(span)).key();
    }

    /** Returns how many bytes the changes of some spans have in the store, or a little more. */
    long bytes(List<CommitSpan> some) {
        return some.stream()
                .mapToLong(span -> Objects.requireNonNull(spans.get(span)).lengthBytes())
                .sum();
    }

    /** Returns as few spans as cover the commits behind one up to another, in order; null when they do not. */
    static @Nullable List<CommitSpan> chain(Collection<CommitSpan> spans, long after, long seq) {
        List<CommitSpan> chain = new ArrayList<>();
        long reached = after;
        while (reached < seq) {
            CommitSpan longest = null;
            for (CommitSpan span : spans) {
                if (span.from() <= reached && span.to() > (longest == null ? reached : longest.to())) {
                    longest = span;
                }
            }
            if (longest == null) {
                return null;
            }
            chain.add(longest);
            reached = longest.to();
        }
        return chain;
    }
}
