package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a host that a repair set aside, and its notes of exactly what was missing. They lie below {@code
 * quarantine/}, where a shipper's rights do not reach: no other damage is taken for what somebody knows. Immutable.
 */
public final class Quarantine {
    private final BlobStore store;
    private final String hostId;
    /** Notes of commits that are missing between others, by the first of them. */
    private final NavigableMap<Long, BlobInfo> lost = new TreeMap<>();

    private final List<CommitSpan> moments = new ArrayList<>();
    private long untilMs = Long.MIN_VALUE;
    private @Nullable StoreException refusal;

    private Quarantine(BlobStore store, String hostId) {
        this.store = store;
        this.hostId = hostId;
    }

    /** Reads what is set aside of a host: one list. */
    public static Quarantine read(BlobStore store, String hostId) throws IOException {
        Quarantine found = new Quarantine(store, hostId);
        for (BlobInfo each : BlobList.all(store, ArchiveLayout.quarantine(hostId), null)) {
            found.add(each);
        }
        return found;
    }

    /** Reads the same for those who may have no right to list it: they know of no note then, and why. */
    public static Quarantine tryRead(BlobStore store, String hostId) throws IOException {
        try {
            return read(store, hostId);
        } catch (StoreException e) {
            HostRegistry.requireAnswer(store, e);
            Quarantine none = new Quarantine(store, hostId);
            none.refusal = e;
            return none;
        }
    }

    private void add(BlobInfo each) {
        String key = each.key().substring(ArchiveLayout.QUARANTINE.length());
        boolean ofLog = key.startsWith(ArchiveLayout.log(hostId));
        CommitSpan commits = ofLog ? ArchiveLayout.lostOf(each.key()) : null;
        if (commits != null) {
            lost.put(commits.from() + 1, each);
        }
        boolean ofHistory = key.startsWith(ArchiveLayout.history(hostId));
        CommitSpan ofMoments = ofLog ? ArchiveLayout.goneOf(key) : ofHistory ? ArchiveLayout.momentsOf(key) : null;
        if (ofMoments != null) {
            moments.add(ofMoments);
        }
        if (ofLog || key.startsWith(ArchiveLayout.checkpoints(hostId))) {
            untilMs = Math.max(untilMs, each.modifiedMs());
        }
    }

    /** Returns why it could not be listed; null when it was. */
    public @Nullable StoreException refusal() {
        return refusal;
    }

    /**
     * Says when a repair named all commits of a gap. Those behind the ones it named may have been compacted since, if
     * a checkpoint stands for the last one.
     *
     * @param first the first that is missing
     * @param last the last
     * @return the time of the first note, milliseconds since 1970; empty when a commit is missing that none names
     */
    public OptionalLong namedMs(long first, long last) throws IOException {
        OptionalLong namedMs = OptionalLong.empty();
        long next = first;
        while (next <= last && lost.containsKey(next)) {
            BlobInfo note = lost.get(next);
            CommitSpan span = note == null ? null : ArchiveLayout.lostOf(note.key());
            if (note == null || span == null || span.to() > last) {
                return OptionalLong.empty(); // one that it names is there
            }
            namedMs = namedMs.isPresent() ? namedMs : OptionalLong.of(note.modifiedMs());
            next = span.to() + 1;
        }
        return next > last || isCheckpoint(last) ? namedMs : OptionalLong.empty();
    }

    /** Returns when a repair last named commits, milliseconds since 1970; empty when none did. */
    public OptionalLong lastNamedMs() {
        return lost.values().stream().mapToLong(BlobInfo::modifiedMs).max();
    }

    /** Returns how many commits up to one repairs named as lost; -1 where nobody may know. */
    public long lostCommits(long untilSeq) {
        if (refusal != null) {
            return -1;
        }
        long count = 0;
        long reached = 0;
        for (BlobInfo note : lost.values()) {
            CommitSpan span = ArchiveLayout.lostOf(note.key());
            long to = span == null ? 0 : Math.min(span.to(), untilSeq);
            if (span != null && to > reached) {
                count += to - Math.min(to, Math.max(reached, span.from()));
                reached = to;
            }
        }
        return count;
    }

    private boolean isCheckpoint(long seq) throws IOException {
        CheckpointId id = Checkpoints.counting(store, hostId).floor(new CheckpointId(seq, Long.MAX_VALUE));
        return id != null && id.seq() == seq;
    }

    /**
     * Returns the commits whose moments nothing tells, though no repair named that: no history does, neither they
     * nor their history were set aside, and no note names them, nor commits just before them: what was so behind lost
     * commits cannot be put together.
     *
     * @param within the commits that are looked at
     * @param onlyMarked whether only those histories count that have the mark of compaction
     * @param told the commits whose moments something else tells
     */
    public List<CommitSpan> untold(CommitSpan within, boolean onlyMarked, List<CommitSpan> told) throws IOException {
        List<CommitSpan> all = new ArrayList<>(moments);
        all.addAll(told);
        List<CommitSpan> gaps = History.gaps(store, hostId, within, onlyMarked, all);
        gaps.removeIf(this::followsLost);
        return gaps;
    }

    private boolean followsLost(CommitSpan gap) {
        Map.Entry<Long, BlobInfo> note = lost.floorEntry(gap.from() + 1);
        CommitSpan span =
                note == null ? null : ArchiveLayout.lostOf(note.getValue().key());
        return span != null && span.to() >= gap.from();
    }

    /**
     * Returns the time of the newest commit or checkpoint here, of the store, milliseconds since 1970; {@link
     * Long#MIN_VALUE} when there is none.
     */
    public long untilMs() {
        return untilMs;
    }
}
