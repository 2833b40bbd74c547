package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Selection;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Decides what of a host is kept. Bytes that have been in the store for longer than the time of retention are declared
 * expired; a grace period later, when nobody can be comparing with them any more, those that no copy needs are left
 * out. A version that is over and was so for as long goes as a whole. Of a version that may grow again its end stays:
 * what a shipper compares before it goes on. All times are the store's. Immutable.
 */
final class Retention {
    /** A shipper that starts again compares this many bytes before the position at which it goes on. */
    private static final long COMPARED_BYTES = 1L << 20;

    /** For fewer bytes no extent is cut. */
    private static final long MIN_CUT_BYTES = 256L << 10;

    /** Nobody writes into a version again that was over for so long. */
    private static final long OVER_MS = Duration.ofDays(7).toMillis();

    /** Bytes wait up to this part of the time of retention longer, so that objects need not be many. */
    private static final int PARTS = 8;

    /**
     * What is kept of a version.
     *
     * @param first index of the first extent of which something stays
     * @param start where what stays begins; within that extent when most of it goes
     */
    private record Kept(int first, long start, LogRecord.VersionRetention retention) {}

    private final HostState state;
    private final @Nullable StoreTimes times;
    private final long horizonMs;
    private final long graceMs;
    private final long nowMs;
    private final long oldMs;
    private final Map<Long, Kept> changed = new HashMap<>();
    private final Set<FileVersion> gone = new HashSet<>();
    private final Map<Long, Long> copiedFrom = new HashMap<>();
    /** Whether a version was found to be needed after it was decided about. */
    private boolean needsMore;

    private Retention(HostState state, @Nullable StoreTimes times, Compact.Options options, long nowMs) {
        this.state = state;
        this.times = times;
        this.nowMs = nowMs;
        horizonMs = nowMs - options.retainMs();
        graceMs = options.graceMs();
        oldMs = nowMs - options.retainMs() / PARTS;
    }

    /** Keeps everything, and what was decided before. */
    static Retention none(HostState state) {
        return new Retention(state, null, Compact.Options.DEFAULT, 0);
    }

    /**
     * Decides.
     *
     * @param state keeps all extents
     * @param nowMs the time of the store
     */
    static Retention of(HostState state, StoreTimes times, Compact.Options options, long nowMs) {
        Retention retention = new Retention(state, times, options, nowMs);
        // most copies are of older versions: what needs a version is known when its turn comes
        List<FileVersion> newestFirst = new ArrayList<>(state.versions()).reversed();
        do {
            retention.needsMore = false;
            for (FileVersion version : newestFirst) {
                retention.decide(version, times);
            }
        } while (retention.needsMore);
        return retention;
    }

    /**
     * Decides about a spool: what was taken goes at once.
     *
     * @param taken returns, of a version, the position before which its bytes are not needed any more
     * @param nowMs the time of the store
     */
    static Retention taken(HostState state, LongUnaryOperator taken, long nowMs) {
        Retention retention = new Retention(state, null, Compact.Options.DEFAULT, nowMs);
        for (FileVersion version : new ArrayList<>(state.versions()).reversed()) { // copies before what they need
            retention.decideTaken(version, taken.applyAsLong(version.id()));
        }
        return retention;
    }

    private void decideTaken(FileVersion version, long taken) {
        LogRecord.VersionRetention before = version.retention();
        boolean over = version.isOver() && version.nameCount() == 0;
        long needed = copiedFrom.getOrDefault(version.id(), Long.MAX_VALUE);
        long endedMs = !over ? 0 : before.endedMs() != 0 ? before.endedMs() : nowMs;
        if (over && taken >= version.length() && needed == Long.MAX_VALUE && endedMs <= nowMs - OVER_MS) {
            gone.add(version);
            return;
        }
        ExtentList extents = Extents.of(version);
        long keep = Math.min(Math.min(taken, needed), over ? version.length() : compared(version));
        int first = firstAfter(extents, keep);
        noteCopies(extents, first);
        long start = cut(extents, first, start(version, extents, first), keep);
        if (start > version.startPosition() || endedMs != before.endedMs()) {
            long expired = Math.max(start, before.expiredBefore());
            changed.put(
                    version.id(),
                    new Kept(first, start, new LogRecord.VersionRetention(version.id(), expired, nowMs, endedMs)));
        }
    }

    private static long start(FileVersion version, ExtentList extents, int first) {
        if (first == 0) {
            return version.startPosition();
        }
        return first < extents.size() ? extents.start(first) : version.length();
    }

    /**
     * Returns where what stays of an extent begins: a large one whose end is needed would else stay as a whole. Bytes
     * are written again for it, so that at least as many must go.
     */
    private static long cut(ExtentList extents, int first, long start, long keep) {
        boolean moves = first < extents.size() && CompactionPlan.holdsBytes(extents.get(first));
        long stays = moves ? extents.end(first) - keep : 0;
        return moves && keep - start >= Math.max(stays, MIN_CUT_BYTES) ? keep : start;
    }

    private static long compared(FileVersion version) {
        return Math.max(version.startPosition(), version.length() - COMPARED_BYTES);
    }

    private void decide(FileVersion version, StoreTimes times) {
        gone.remove(version);
        changed.remove(version.id());
        LogRecord.VersionRetention before = version.retention();
        boolean over = version.isOver() && version.nameCount() == 0;
        long endedMs = !over ? 0 : before.endedMs() != 0 ? before.endedMs() : ended(times);
        boolean endedEarly = over && endedMs <= horizonMs;
        boolean due = before.expiredMs() != 0 && before.expiredMs() <= nowMs - graceMs;
        long needed = copiedFrom.getOrDefault(version.id(), Long.MAX_VALUE);
        if (endedEarly && due && before.expiredBefore() >= version.length() && needed == Long.MAX_VALUE) {
            gone.add(version);
            return;
        }
        ExtentList extents = Extents.of(version);
        int first = due ? firstAfter(extents, Math.min(before.expiredBefore(), needed)) : 0;
        noteCopies(extents, first);
        LogRecord.VersionRetention after =
                new LogRecord.VersionRetention(version.id(), before.expiredBefore(), before.expiredMs(), endedMs);
        boolean mayExpireMore = before.expiredMs() == 0 || due;
        long expired = !mayExpireMore ? 0 : endedEarly ? version.length() : oldBefore(version, over, times);
        if (expired > before.expiredBefore() || mayExpireMore && endedEarly && before.expiredMs() == 0) {
            after = new LogRecord.VersionRetention(version.id(), expired, nowMs, endedMs);
        }
        if (first > 0 || !after.equals(before)) {
            changed.put(version.id(), new Kept(first, start(version, extents, first), after));
        }
    }

    /** What the state says was so when its last commit was in the store. */
    private long ended(StoreTimes times) {
        return Math.min(nowMs, times.ofCommit(state.seq()));
    }

    private static int firstAfter(ExtentList extents, long position) {
        int first = 0;
        while (first < extents.size() && extents.end(first) <= position) {
            first++;
        }
        return first;
    }

    private void noteCopies(ExtentList extents, int first) {
        for (int i = first; i < extents.size(); i++) {
            if (extents.get(i) instanceof LogRecord.CopyRun copy) {
                long before = copiedFrom.getOrDefault(copy.sourceVersion(), Long.MAX_VALUE);
                if (copy.sourceStart() < before) {
                    copiedFrom.put(copy.sourceVersion(), copy.sourceStart());
                    needsMore |= copy.sourceVersion() > copy.versionId();
                }
            }
        }
    }

    /** Returns the position before which all bytes are old: bytes before old ones are older. */
    private long oldBefore(FileVersion version, boolean over, StoreTimes times) {
        ExtentList extents = Extents.of(version);
        int stays = extents.size();
        if (!over) {
            stays = extents.indexOf(compared(version));
        }
        for (int i = stays - 1; i >= 0; i--) {
            if (times.of(extents.get(i)) <= horizonMs) {
                return extents.end(i);
            }
        }
        return 0;
    }

    /** Says whether anything is other than in the state. */
    boolean changesAnything() {
        return !gone.isEmpty() || !changed.isEmpty();
    }

    /** Says whether a version stays. */
    boolean keeps(FileVersion version) {
        return !gone.contains(version);
    }

    /** Returns the index of the first extent of a version of which something stays. */
    int first(FileVersion version) {
        Kept kept = changed.get(version.id());
        return kept == null ? 0 : kept.first();
    }

    /** Returns the position at which a version begins from now on. */
    long start(FileVersion version) {
        Kept kept = changed.get(version.id());
        return kept == null ? version.startPosition() : kept.start();
    }

    /** Returns what a checkpoint says of a version. */
    LogRecord.VersionRetention retention(FileVersion version) {
        Kept kept = changed.get(version.id());
        return kept == null ? version.retention() : kept.retention();
    }

    /** Returns what a checkpoint says of the host. */
    LogRecord.@Nullable Retention retention() {
        boolean drops = !gone.isEmpty()
                || state.versions().stream().anyMatch(version -> start(version) > version.startPosition());
        return drops ? new LogRecord.Retention(state.nextVersionId(), horizonMs) : state.retention();
    }

    /** Says whether bytes of an object would become too young if they were written again. */
    boolean isOld(LogRecord.Extent extent) {
        return times != null && times.of(extent) <= oldMs;
    }

    /** Says whether what is left of a pack may be written again: it is young, or all that could expire of it has. */
    boolean mayMove(LogRecord.PackedRun run) {
        return !isOld(run) || times != null && times.of(run) <= horizonMs;
    }

    /** Tells what goes now and what is declared expired. */
    Compact.Expired report(Compact.Listener listener) {
        long bytes = 0;
        long laterBytes = 0;
        for (FileVersion version : state.versions()) {
            long start = keeps(version) ? start(version) : version.length();
            String name = Selection.lastPath(version) + " (version " + ArchiveLayout.hex(version.id()) + ")";
            if (!keeps(version) || start > version.startPosition()) {
                long drops = start - version.startPosition();
                String range =
                        keeps(version) ? "bytes " + version.startPosition() + " to " + start + " of " : "all of ";
                listener.step(Compact.Action.EXPIRE, range + name, drops);
                bytes += drops;
            }
            long later = keeps(version) ? retention(version).expiredBefore() - start : 0;
            if (later > 0) {
                listener.step(
                        Compact.Action.EXPIRE_LATER,
                        "bytes " + start + " to " + (start + later) + " of " + name,
                        later);
                laterBytes += later;
            }
        }
        return new Compact.Expired(gone.size(), bytes, laterBytes);
    }
}
