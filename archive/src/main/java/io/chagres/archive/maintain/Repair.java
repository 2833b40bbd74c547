package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.state.Checkpoint;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.Salvage;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a host readable again whose log or tables are damaged: puts a checkpoint of all that is left, and moves damaged
 * objects below {@code quarantine/}. Nothing is deleted that is not there as a copy. Data objects stay where they are:
 * each of their pieces counts alone. Confined to one thread.
 */
public final class Repair {
    private static final int PIECE_BYTES = 1 << 20;
    private static final int SILENT_INTERVALS = 3;

    /** What a step does. */
    public enum Action {
        /** Nothing: says what is lost for good. */
        LOSS,
        /** Puts a checkpoint of what is left. */
        CHECKPOINT,
        /** Moves a damaged object away. */
        QUARANTINE
    }

    /** Hears of each step before it is done, or would be. */
    @FunctionalInterface
    public interface Listener {
        /** Something is done with an object: why, and what that means. */
        void step(Action action, String object, String why, String consequence);
    }

    /** Reads an object to its end. */
    private interface Check {
        void run() throws IOException;
    }

    private final BlobStore store;
    private final String hostId;
    private final LongSupplier clockMs;
    private final Listener listener;
    private final Map<String, String> damaged = new LinkedHashMap<>();
    private final Set<String> commits = new HashSet<>();
    private long steps;
    private boolean encrypted;

    /** Prepares the repair of one host. */
    public Repair(BlobStore store, String hostId, LongSupplier clockMs, Listener listener) {
        this.store = store;
        this.hostId = hostId;
        this.clockMs = clockMs;
        this.listener = listener;
    }

    /**
     * Repairs the host.
     *
     * @param apply whether anything is changed
     * @return steps done, or that would be; 0 when the host needs none
     * @throws StoreException when its shipper lives, and anything would be changed
     */
    public long run(boolean apply) throws IOException {
        Map<String, String[]> losses = new LinkedHashMap<>();
        HostState state = Salvage.load(
                store,
                hostId,
                PointInTime.NOW,
                ExtentFilter.ALL,
                RunListener.NONE,
                (object, cause, consequence) -> losses.put(object, new String[] {cause, consequence}));
        long good = collect();
        boolean goesOn = commits.contains(ArchiveLayout.commit(hostId, good + 1));
        tellMissing(good, state.seq(), losses);
        boolean needsState = !losses.isEmpty();
        for (String object : damaged.keySet()) {
            boolean commit = object.startsWith(ArchiveLayout.log(hostId));
            boolean checkpoint = object.startsWith(ArchiveLayout.checkpoints(hostId));
            CheckpointId id = checkpoint ? ArchiveLayout.checkpointOf(object) : null;
            needsState |= commit && ArchiveLayout.seqOf(object).orElse(0) > good;
            needsState |= id != null && id.seq() > good && !goesOn; // the tables that lead around it go with it
        }
        if (apply && (needsState || !damaged.isEmpty())) {
            requireSilence();
        }
        losses.forEach((object, loss) -> listener.step(Action.LOSS, object, loss[0], loss[1]));
        if (needsState && state.seq() > 0) {
            checkpoint(state, apply);
        }
        for (Map.Entry<String, String> each : damaged.entrySet()) {
            String target = target(each.getKey());
            step(Action.QUARANTINE, each.getKey(), each.getValue(), "it is kept as " + target);
            if (apply) {
                move(each.getKey(), target);
            }
        }
        return steps;
    }

    /** An outline states what missing commits said of names and versions; the bytes in them it does not have. */
    private void tellMissing(long good, long last, Map<String, String[]> losses) {
        for (long seq = good + 1; seq <= last; seq++) {
            String key = ArchiveLayout.commit(hostId, seq);
            if (!commits.contains(key)) {
                losses.putIfAbsent(key, new String[] {"it is missing", "bytes that only it held are lost"});
            }
        }
    }

    private void step(Action action, String object, String why, String consequence) {
        steps++;
        listener.step(action, object, why, consequence);
    }

    /** Collects what is damaged; returns the seq of the newest checkpoint that is not, 0 for none. */
    private long collect() throws IOException {
        try (CommitReader reader = new CommitReader(store)) {
            for (BlobInfo object : store.list(ArchiveLayout.log(hostId), null)) {
                if (ArchiveLayout.seqOf(object.key()).orElse(0) > 0) {
                    commits.add(object.key());
                    check(object.key(), () -> {
                        CommitHeader commit = reader.read(object.key());
                        encrypted |= commit.isEncrypted();
                        long seq = commit.seq();
                        if (seq != ArchiveLayout.seqOf(object.key()).orElse(0)) {
                            throw new CorruptArchiveException(object.key(), "it says it is commit " + seq);
                        }
                    });
                }
            }
        }
        long good = 0;
        for (CheckpointId id : HostLog.checkpoints(store, hostId)) {
            String key = ArchiveLayout.checkpoint(hostId, id);
            check(key, () -> HostLog.load(store, hostId, id, ExtentFilter.NONE, RunListener.NONE));
            good = damaged.containsKey(key) ? good : id.seq();
        }
        for (String prefix : new String[] {ArchiveLayout.tables(hostId), ArchiveLayout.history(hostId)}) {
            for (BlobInfo object : store.list(prefix, null)) {
                check(object.key(), () -> HostLog.check(store, object.key()));
            }
        }
        check(ArchiveLayout.owner(hostId), () -> HostRegistry.recordedName(store, hostId));
        return good;
    }

    /** What looks damaged twice is; what is refused is not known to be, and cannot be moved. */
    private void check(String key, Check check) throws IOException {
        for (int attempt = 1; attempt <= 2; attempt++) {
            try {
                check.run();
                return;
            } catch (CorruptArchiveException e) {
                if (attempt == 2) {
                    damaged.put(key, e.fault());
                }
                store.forget(key);
            } catch (NoSuchBlobException e) {
                return; // a compaction removed it, or it was never there
            } catch (StoreException e) {
                HostRegistry.requireAnswer(store, e);
                listener.step(Action.LOSS, key, "it cannot be read: " + e.getMessage(), "it stays where it is");
                return;
            }
        }
    }

    private void requireSilence() throws IOException {
        BlobInfo newest = Heartbeat.newest(store, hostId);
        Heartbeat word = newest == null ? null : read(newest.key());
        boolean lives = newest != null
                && word != null
                && word.state() == Heartbeat.State.RUNNING
                && clockMs.getAsLong() - newest.modifiedMs() < SILENT_INTERVALS * word.intervalMs();
        if (lives) {
            throw new StoreException(store.name() + ": the shipper of host " + hostId
                    + " lives. Nothing was changed; end it, and repair the host then");
        }
    }

    private @Nullable Heartbeat read(String key) throws IOException {
        try {
            return Heartbeat.get(store, key);
        } catch (CorruptArchiveException | NoSuchBlobException e) {
            return null;
        }
    }

    private void checkpoint(HostState state, boolean apply) throws IOException {
        NavigableSet<CheckpointId> known = HostLog.checkpoints(store, hostId);
        CheckpointId last = known.floor(new CheckpointId(state.seq(), Long.MAX_VALUE));
        long revision = last == null || last.seq() < state.seq() ? 0 : last.revision() + 1;
        String key = ArchiveLayout.checkpoint(hostId, new CheckpointId(state.seq(), revision));
        step(Action.CHECKPOINT, key, "commits are damaged or missing", "the host can be read as far as it is left");
        if (apply
                && !Checkpoint.write(
                        writing(state),
                        hostId,
                        revision,
                        state,
                        version -> Objects.requireNonNull(version.extents()))) {
            throw new StoreException(store.name() + ": a compaction of host " + hostId
                    + " goes by. Nothing was changed; repair it again");
        }
    }

    /** Returns a store that encrypts to whom the host does. */
    private BlobStore writing(HostState state) throws StoreException {
        if (encrypted && state.recipients().equals(LogRecord.Recipients.NONE)) {
            throw new StoreException(store.name() + ": to whom host " + hostId + " encrypts was lost with its first"
                    + " commits. Nothing was changed, since names would be written in the clear; --salvage reads it");
        }
        return ProtectedStore.writing(store, state.recipients());
    }

    private String target(String key) throws IOException {
        String target = ArchiveLayout.QUARANTINE + key;
        for (int copy = 1; store.size(target) >= 0; copy++) {
            target = ArchiveLayout.QUARANTINE + key + "-" + copy;
        }
        return target;
    }

    /** Moves an object as it is stored. */
    private void move(String key, String target) throws IOException {
        BlobStore stored = store.stored();
        try (BlobWriter out = stored.create(target);
                Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(PIECE_BYTES, 4096);
            long at = 0;
            for (int got = stored.get(key, 0, piece); got > 0; got = stored.get(key, at, piece)) {
                out.write(piece, 0, got);
                at += got;
            }
            out.commit();
        }
        store.delete(key);
    }
}
