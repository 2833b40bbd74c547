package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The commits that are missing between others, and that a repair named. It notes exactly which, below {@code
 * quarantine/}, where a shipper's rights do not reach: no other damage is taken for what somebody knows. Immutable.
 */
public final class LostCommits {
    private final BlobStore store;
    private final String hostId;
    private final NavigableMap<Long, BlobInfo> notes = new TreeMap<>();

    private LostCommits(BlobStore store, String hostId) {
        this.store = store;
        this.hostId = hostId;
    }

    /** Reads the notes of a host: one list. */
    public static LostCommits read(BlobStore store, String hostId) throws IOException {
        LostCommits lost = new LostCommits(store, hostId);
        for (BlobInfo each : BlobList.all(store, ArchiveLayout.QUARANTINE + ArchiveLayout.log(hostId), null)) {
            CommitSpan span = ArchiveLayout.lostOf(each.key());
            if (span != null) {
                lost.notes.put(span.from() + 1, each);
            }
        }
        return lost;
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
        while (next <= last && notes.containsKey(next)) {
            BlobInfo note = notes.get(next);
            CommitSpan span = note == null ? null : ArchiveLayout.lostOf(note.key());
            if (note == null || span == null || span.to() > last) {
                return OptionalLong.empty(); // one that it names is there
            }
            namedMs = namedMs.isPresent() ? namedMs : OptionalLong.of(note.modifiedMs());
            next = span.to() + 1;
        }
        return next > last || isCheckpoint(last) ? namedMs : OptionalLong.empty();
    }

    /** Returns when a repair last named any, milliseconds since 1970; empty when none did. */
    public OptionalLong lastMs() {
        return notes.values().stream().mapToLong(BlobInfo::modifiedMs).max();
    }

    private boolean isCheckpoint(long seq) throws IOException {
        CheckpointId id = Checkpoints.counting(store, hostId).floor(new CheckpointId(seq, Long.MAX_VALUE));
        return id != null && id.seq() == seq;
    }
}
