package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the store holds to shorten the way from one checkpoint to later states: outlines, and the extents of spans of
 * commits. Immutable.
 *
 * @param base the checkpoint; {@link CheckpointId#BEGINNING} for none
 * @param outlines commits of which there is an outline
 * @param spans spans of commits of which the extents are there; they may overlap
 */
record Tables(CheckpointId base, NavigableSet<Long> outlines, List<CommitSpan> spans) {
    /** Lists what there is. */
    static Tables list(BlobStore store, String hostId, @Nullable CheckpointId checkpoint) throws IOException {
        return list(store, hostId, checkpoint, Long.MAX_VALUE);
    }

    /**
     * Lists what there is, but for large outlines.
     *
     * @param maxBytes how many bytes an outline has in the store at most
     */
    static Tables list(BlobStore store, String hostId, @Nullable CheckpointId checkpoint, long maxBytes)
            throws IOException {
        CheckpointId base = checkpoint == null ? CheckpointId.BEGINNING : checkpoint;
        NavigableSet<Long> outlines = new TreeSet<>();
        List<CommitSpan> spans = new ArrayList<>();
        for (BlobInfo info : store.list(ArchiveLayout.tables(hostId, base), null)) {
            CommitSpan span = ArchiveLayout.extentsOf(info.key());
            if (span != null) {
                spans.add(span);
            } else if (ArchiveLayout.outlineOf(info.key()) > base.seq() && info.lengthBytes() <= maxBytes) {
                outlines.add(ArchiveLayout.outlineOf(info.key()));
            }
        }
        return new Tables(base, outlines, spans);
    }

    /**
     * Returns the newest commit up to one of which there is an outline, and if they are wanted all extents before it;
     * the base's when there is none.
     */
    long newest(long seq, boolean withExtents) {
        for (long each : outlines.headSet(seq, true).descendingSet()) {
            if (!withExtents || chain(each) != null) {
                return each;
            }
        }
        return base.seq();
    }

    /** Returns spans that cover all commits from the base to one, in order; null when there are none. */
    @Nullable
    List<CommitSpan> chain(long seq) {
        return chain(spans, base.seq(), seq);
    }

    /** Returns as few spans as cover the commits behind one up to another, in order; null when they do not. */
    static @Nullable List<CommitSpan> chain(List<CommitSpan> spans, long after, long seq) {
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
