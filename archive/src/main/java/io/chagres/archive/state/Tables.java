package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the store holds to shorten the way from one checkpoint to later states: outlines, and the extents of spans of
 * commits. Immutable.
 *
 * @param base the checkpoint; {@link CheckpointId#BEGINNING} for none
 * @param outlines commits of which there is an outline
 * @param spans the extents of spans of commits; those may overlap
 */
record Tables(CheckpointId base, NavigableSet<Long> outlines, Map<CommitSpan, BlobInfo> spans) {
    /**
     * Lists what there is up to a commit, from the newest back until there is enough.
     *
     * @param maxBytes how many bytes an outline has in the store at most; larger ones are left out
     */
    static Tables list(BlobStore store, String hostId, @Nullable CheckpointId checkpoint, long seq, long maxBytes)
            throws IOException {
        CheckpointId base = checkpoint == null ? CheckpointId.BEGINNING : checkpoint;
        Tables tables = new Tables(base, new TreeSet<>(), new HashMap<>());
        for (BlobInfo info : store.list(ArchiveLayout.tables(hostId, base), null)) {
            CommitSpan span = ArchiveLayout.extentsOf(info.key());
            long outline = ArchiveLayout.outlineOf(info.key());
            if (span != null) {
                tables.spans.put(span, info);
            } else if (outline > base.seq() && outline <= seq && info.lengthBytes() <= maxBytes) {
                tables.outlines.add(outline);
            } else {
                continue;
            }
            if (tables.newest(seq) > base.seq()) {
                break;
            }
        }
        return tables;
    }

    /** Returns the newest commit up to one of which there is an outline and all extents before it, or the base's. */
    long newest(long seq) {
        for (long each : outlines.headSet(seq, true).descendingSet()) {
            if (chain(each) != null) {
                return each;
            }
        }
        return base.seq();
    }

    /** Returns spans that cover all commits from the base to one, in order; null when there are none. */
    @Nullable
    List<CommitSpan> chain(long seq) {
        return chain(spans.keySet(), base.seq(), seq);
    }

    /** Returns the key of the extents of a span. */
    String key(CommitSpan span) {
        return Objects.requireNonNull(spans.get(span)).key();
    }

    /** Returns how many bytes the extents of some spans have in the store, or a little more. */
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
