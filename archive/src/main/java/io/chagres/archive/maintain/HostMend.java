package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistration;
import io.chagres.archive.LogRecord;
import io.chagres.archive.find.LineFilters;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.state.Checkpoints;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.Quarantine;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Mends what is beside the log of a host. It makes objects again that follow from the log. It finds damaged objects
 * that only save time, and those that describe a log that is not there. Confined to one thread.
 */
final class HostMend {
    /** Reads an object to its end. */
    @FunctionalInterface
    interface Check {
        void run() throws IOException;
    }

    /** Does a check, and keeps what it finds damaged. */
    @FunctionalInterface
    interface Checker {
        void check(String key, Check check) throws IOException;
    }

    private static final String OF_ANOTHER = "it is the record of another host than the one that wrote the log";

    private final BlobStore store;
    private final String hostId;
    private final RepairListener listener;
    private @Nullable HostRegistration registration;
    private boolean recordIsMissing;
    private boolean nameIsMissing;
    private final List<CommitSpan> gaps = new ArrayList<>();
    private List<CommitSpan> moments = List.of();

    HostMend(BlobStore store, String hostId, RepairListener listener) {
        this.store = store;
        this.hostId = hostId;
        this.listener = listener;
    }

    /** Checks what saves time, and what a shipper said of itself. */
    void checkCaches(Checker damaged) throws IOException {
        for (BlobInfo object : BlobList.all(store, ArchiveLayout.filters(hostId), null)) {
            damaged.check(object.key(), () -> LineFilters.check(store, object));
        }
        for (BlobInfo object : BlobList.all(store, ArchiveLayout.heartbeats(hostId), null)) {
            damaged.check(object.key(), () -> Heartbeat.check(store, object.key()));
        }
    }

    /**
     * Returns the keys of commits that something else has: no list shows it.
     *
     * @param commits the keys that a list shows
     */
    List<String> noCommits(Set<String> commits) throws IOException {
        List<String> keys = new ArrayList<>();
        String log = ArchiveLayout.log(hostId);
        for (String name : store.children(log)) {
            String key = log + name;
            if (ArchiveLayout.namedCommit(key) > 0 && !commits.contains(key) && isNothing(key)) {
                keys.add(key);
            }
        }
        return keys;
    }

    /**
     * Finds out by what the host should be found; returns whether anything of that is to be put.
     *
     * @param good the commit of the newest checkpoint that is whole; 0 for none
     * @param left the numbers of the commits that will be there
     * @param damaged takes the record of another host
     */
    boolean plan(HostState state, long good, NavigableSet<Long> left, Map<String, String> damaged) throws IOException {
        findGaps(good, left, state.seq());
        findMoments(left, damaged);
        registration = HostRegistration.recorded(store, hostId);
        LogRecord.IncarnationOpened writer = state.lastIncarnation();
        if (registration != null && writer != null && registration.contradicts(writer)) {
            damaged.putIfAbsent(ArchiveLayout.owner(hostId), OF_ANOTHER);
            registration = null;
        }
        if (registration == null) {
            recordIsMissing = true;
            registration = writer == null ? null : HostRegistration.derived(store, hostId, writer);
        }
        HostRegistration known = registration;
        nameIsMissing = known != null && isNothing(known.nameKey());
        if (known == null) {
            listener.step(
                    RepairAction.LOSS,
                    ArchiveLayout.owner(hostId),
                    "it is damaged or missing, and nothing that is left of the log says whose host it is",
                    "a shipper that lost its state does not find this host");
        }
        return !gaps.isEmpty() || !moments.isEmpty() || (known != null && (recordIsMissing || nameIsMissing));
    }

    /** Finds commits that are missing behind a checkpoint or another commit, and that no repair named yet. */
    private void findGaps(long good, NavigableSet<Long> left, long last) throws IOException {
        Quarantine named = Quarantine.read(store, hostId);
        long before = left.isEmpty() ? last : Math.min(left.first(), good);
        for (long seq : left.headSet(last, true)) {
            addGap(named, before, seq - 1);
            before = seq;
        }
        addGap(named, before, last);
    }

    private void addGap(Quarantine named, long before, long last) throws IOException {
        if (last > before && named.namedMs(before + 1, last).isEmpty()) {
            gaps.add(new CommitSpan(before, last));
        }
    }

    /** Returns the objects that are to be put. */
    List<String> puts() {
        List<String> keys = new ArrayList<>();
        gaps.forEach(gap -> keys.add(ArchiveLayout.lost(hostId, gap)));
        HostRegistration known = registration;
        if (known != null && recordIsMissing) {
            keys.add(ArchiveLayout.owner(hostId));
        }
        if (known != null && nameIsMissing) {
            keys.add(known.nameKey());
        }
        moments.forEach(span -> keys.add(ArchiveLayout.lostMoments(hostId, span)));
        return keys;
    }

    /** Finds the commits whose moments neither a history tells nor they themselves, and that no repair named. */
    private void findMoments(NavigableSet<Long> left, Map<String, String> damaged) throws IOException {
        CheckpointId newest = Checkpoints.newest(store, hostId);
        List<CommitSpan> told = CommitSpan.rows(left);
        told.addAll(gaps);
        for (String key : damaged.keySet()) {
            CommitSpan moved = key.startsWith(ArchiveLayout.log(hostId)) ? ArchiveLayout.goneOf(key) : null;
            told.addAll(moved == null ? List.of() : List.of(moved));
        }
        if (newest != null) {
            moments = Quarantine.read(store, hostId).untold(new CommitSpan(0, newest.seq()), false, told);
        }
    }

    /** Puts them; what was damaged must be gone. */
    void put() throws IOException {
        HostRegistration known = registration;
        if (known != null && recordIsMissing) {
            known.mendRecord(store);
        }
        if (known != null && nameIsMissing) {
            known.mendName(store);
        }
        for (CommitSpan gap : gaps) {
            ProtectedStore.stored(store)
                    .putIfAbsent(ArchiveLayout.lost(hostId, gap), MemorySegment.ofArray(new byte[0]));
        }
        for (CommitSpan span : moments) {
            ProtectedStore.stored(store)
                    .putIfAbsent(ArchiveLayout.lostMoments(hostId, span), MemorySegment.ofArray(new byte[0]));
        }
    }

    /** Says why one of them is put, and what that means. */
    String[] reason(String key) {
        boolean ofLog = key.startsWith(ArchiveLayout.QUARANTINE + ArchiveLayout.log(hostId));
        CommitSpan gap = ofLog ? ArchiveLayout.lostOf(key) : null;
        if (gap != null) {
            String lost = gap.to() == gap.from() + 1 ? " is lost" : " are lost";
            return new String[] {gap + lost, "a note says so: 'verify' counts that as known, and no fault"};
        }
        return key.startsWith(ArchiveLayout.QUARANTINE)
                ? new String[] {
                    "the history of commits that were removed is missing", "a note says that '--at' lacks that time"
                }
                : new String[] {"it is damaged or missing", "the log says what it holds"};
    }

    /**
     * Adds what names commits behind the last one: it is of no use, and hides that the log ends there.
     *
     * @param rest the store without what is damaged
     */
    void addAhead(BlobStore rest, long last, Map<String, String> damaged) throws IOException {
        for (String key : LogWitness.ahead(rest, hostId, last)) {
            damaged.putIfAbsent(key, "it names a commit that is missing");
        }
    }

    /**
     * Notes for those who remove what nothing refers to that objects were missing when this host was repaired.
     *
     * @param keys of commits and checkpoints
     */
    void note(Iterable<String> keys) throws IOException {
        BlobStore stored = ProtectedStore.stored(store);
        for (String key : keys) {
            if (key.startsWith(ArchiveLayout.log(hostId)) && isNothing(key)) {
                stored.putIfAbsent(ArchiveLayout.QUARANTINE + key, MemorySegment.ofArray(new byte[0]));
            }
        }
    }

    /** Says whether there is no object of a key, be it that something else has its name. */
    boolean isNothing(String key) throws IOException {
        try {
            return !store.exists(key);
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.NO_OBJECT) {
                throw e;
            }
            return true;
        }
    }

    /** Says whether an object, or something else, has the name of a key. */
    boolean isTaken(String key) throws IOException {
        int name = key.lastIndexOf('/') + 1;
        return !isNothing(key) || store.children(key.substring(0, name)).contains(key.substring(name));
    }

    /**
     * Returns which commits are missing at the end of the log, be it all; null for none.
     *
     * @param rest the store without what is damaged
     */
    @Nullable
    CorruptArchiveException gap(BlobStore rest) throws IOException {
        return LogWitness.unbegun(rest, hostId);
    }
}
