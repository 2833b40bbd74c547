package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.VersionPaths;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Decides what of a host is kept. Bytes that have been in the store for longer than the time of retention are declared
 * expired. A grace period later, when nobody can be comparing with them, they are left out unless a copy needs them. A
 * version goes as a whole when it has been over for as long. A version that may grow again keeps its end: a shipper
 * compares it before it ships more. All times are the store's. It keeps nothing of a version but what copies need of
 * it: it decides anew whenever somebody asks. Confined to one thread.
 */
final class Retention {
    /** A shipper that starts again compares this many bytes before the position at which it continues. */
    private static final long COMPARED_BYTES = 1L << 20;

    /** For fewer bytes no extent is cut. */
    private static final long MIN_CUT_BYTES = 256L << 10;

    /** Nobody writes into a version again that was over for so long. */
    private static final long OVER_MS = Duration.ofDays(7).toMillis();

    /** The most versions that are known by their numbers: a checkpoint that changes in more is written as a whole. */
    static final int MAX_CHANGED = 16 * 1024;

    /** Bytes wait up to this part of the time of retention longer, so that objects need not be many. */
    private static final int PARTS = 8;

    /** The decision about a version.
     *
     * @param isGone whether nothing of it stays
     * @param first index of the first extent that stays, at least in part
     * @param start where what stays begins; within that extent when most of it goes
     * @param isSame whether all is as it was before
     */
    private record Decision(
            long id, boolean isGone, int first, long start, LogRecord.VersionRetention retention, boolean isSame) {
        static Decision same(FileVersion version) {
            return new Decision(version.id(), false, 0, version.startPosition(), version.retention(), true);
        }
    }

    private final HostState state;
    private final @Nullable StoreTimes times;
    private final @Nullable LongUnaryOperator taken;
    private final long horizonMs;
    private final long graceMs;
    private final long nowMs;
    private final long oldMs;
    /** The first position that copies need of each version. All decisions follow from it and from the state. */
    private final Map<Long, Long> copiedFrom = new HashMap<>();
    /** Whether a version was found to be needed after it was decided about. */
    private boolean needsMore;

    /** The versions that are decided otherwise than before, up to one more than {@link #MAX_CHANGED}. */
    private final Set<Long> changed = new HashSet<>();

    private boolean drops;
    private long goneVersions;
    private @Nullable Decision last;

    private Retention(
            HostState state,
            @Nullable StoreTimes times,
            @Nullable LongUnaryOperator taken,
            CompactOptions options,
            long nowMs) {
        this.state = state;
        this.times = times;
        this.taken = taken;
        this.nowMs = nowMs;
        horizonMs = nowMs - options.retainMs();
        graceMs = options.graceMs();
        oldMs = nowMs - options.retainMs() / PARTS;
    }

    /** Keeps everything, and what was decided before. */
    static Retention none(HostState state) {
        return new Retention(state, null, null, CompactOptions.DEFAULT, 0);
    }

    /**
     * Decides.
     *
     * @param state keeps all extents
     * @param nowMs the time of the store
     */
    static Retention of(HostState state, StoreTimes times, CompactOptions options, long nowMs) {
        return new Retention(state, times, null, options, nowMs).settled();
    }

    /**
     * Decides about a spool: what was taken goes at once.
     *
     * @param taken returns, of a version, the position before which nobody needs its bytes; always the same
     * @param nowMs the time of the store
     */
    static Retention taken(HostState state, LongUnaryOperator taken, long nowMs) {
        return new Retention(state, null, taken, CompactOptions.DEFAULT, nowMs).settled();
    }

    /** Finds out what copies need, and so what is decided of every version. */
    private Retention settled() {
        long[] ids = state.versions().stream().mapToLong(FileVersion::id).toArray();
        do {
            needsMore = false;
            changed.clear();
            drops = false;
            goneVersions = 0;
            // most copies are of older versions: what needs a version is known when its turn comes
            for (int i = ids.length - 1; i >= 0; i--) {
                FileVersion version = Objects.requireNonNull(state.version(ids[i]));
                Decision decision = decided(version);
                if (!decision.isSame() && changed.size() <= MAX_CHANGED) {
                    changed.add(version.id());
                }
                drops |= decision.isGone() || decision.start() > version.startPosition();
                goneVersions += decision.isGone() ? 1 : 0;
                if (!decision.isGone()) {
                    noteCopies(Extents.of(version), decision.first());
                }
            }
        } while (needsMore);
        return this;
    }

    private Decision of(FileVersion version) {
        Decision there = last;
        if (there == null || there.id() != version.id()) {
            there = decided(version);
            last = there;
        }
        return there;
    }

    private Decision decided(FileVersion version) {
        if (taken != null) {
            return ofSpool(version, taken.applyAsLong(version.id()));
        }
        return times == null ? Decision.same(version) : decided(version, times);
    }

    private static Decision gone(FileVersion version) {
        return new Decision(version.id(), true, 0, version.startPosition(), version.retention(), false);
    }

    private Decision ofSpool(FileVersion version, long takenBefore) {
        LogRecord.VersionRetention before = version.retention();
        boolean over = version.isOver() && version.nameCount() == 0;
        long needed = copiedFrom.getOrDefault(version.id(), Long.MAX_VALUE);
        long endedMs = !over ? 0 : before.endedMs() != 0 ? before.endedMs() : nowMs;
        if (over && takenBefore >= version.length() && needed == Long.MAX_VALUE && endedMs <= nowMs - OVER_MS) {
            return gone(version);
        }
        ExtentList extents = Extents.of(version);
        long keep = Math.min(Math.min(takenBefore, needed), over ? version.length() : compared(version));
        int first = firstAfter(extents, keep);
        long start = cut(extents, first, start(version, extents, first), keep);
        if (start <= version.startPosition() && endedMs == before.endedMs()) {
            return Decision.same(version);
        }
        long expired = Math.max(start, before.expiredBefore());
        LogRecord.VersionRetention after = new LogRecord.VersionRetention(version.id(), expired, nowMs, endedMs);
        return new Decision(version.id(), false, first, start, after, false);
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
        boolean moves = first < extents.size() && holdsBytes(extents.get(first));
        long stays = moves ? extents.end(first) - keep : 0;
        return moves && keep - start >= Math.max(stays, MIN_CUT_BYTES) ? keep : start;
    }

    /** Says whether an extent has bytes of its own, which may be written again. */
    private static boolean holdsBytes(LogRecord.Extent extent) {
        return extent instanceof LogRecord.Run
                || extent instanceof LogRecord.ObjectRun
                || extent instanceof LogRecord.PackedRun;
    }

    private static long compared(FileVersion version) {
        return Math.max(version.startPosition(), version.length() - COMPARED_BYTES);
    }

    private Decision decided(FileVersion version, StoreTimes stored) {
        LogRecord.VersionRetention before = version.retention();
        boolean over = version.isOver() && version.nameCount() == 0;
        long endedMs = !over ? 0 : before.endedMs() != 0 ? before.endedMs() : ended(stored);
        boolean endedEarly = over && endedMs <= horizonMs;
        boolean due = before.expiredMs() != 0 && before.expiredMs() <= nowMs - graceMs;
        long needed = copiedFrom.getOrDefault(version.id(), Long.MAX_VALUE);
        if (endedEarly && due && before.expiredBefore() >= version.length() && needed == Long.MAX_VALUE) {
            return gone(version);
        }
        ExtentList extents = Extents.of(version);
        int first = due ? firstAfter(extents, Math.min(before.expiredBefore(), needed)) : 0;
        LogRecord.VersionRetention after =
                new LogRecord.VersionRetention(version.id(), before.expiredBefore(), before.expiredMs(), endedMs);
        boolean mayExpireMore = before.expiredMs() == 0 || due;
        long expired = !mayExpireMore ? 0 : endedEarly ? version.length() : oldBefore(version, over, stored);
        if (expired > before.expiredBefore() || (mayExpireMore && endedEarly && before.expiredMs() == 0)) {
            after = new LogRecord.VersionRetention(version.id(), expired, nowMs, endedMs);
        }
        boolean isSame = first == 0 && after.equals(before);
        long start = isSame ? version.startPosition() : start(version, extents, first);
        return new Decision(version.id(), false, first, start, after, isSame);
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
                    needsMore |= copy.sourceVersion() >= copy.versionId();
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
        return !changed.isEmpty();
    }

    /** Returns the versions that are other than in the state, a copy; null for more than {@link #MAX_CHANGED}. */
    @Nullable
    Set<Long> changed() {
        return changed.size() > MAX_CHANGED ? null : new HashSet<>(changed);
    }

    /** Says whether a version stays. */
    boolean keeps(FileVersion version) {
        return !of(version).isGone();
    }

    /** Returns the index of the first extent of a version that stays, at least in part. */
    int first(FileVersion version) {
        return of(version).first();
    }

    /** Returns the position at which a version begins from now on. */
    long start(FileVersion version) {
        return of(version).start();
    }

    /** Returns what a checkpoint says of a version. */
    LogRecord.VersionRetention retention(FileVersion version) {
        return of(version).retention();
    }

    /** Returns what a checkpoint says of the host. */
    LogRecord.@Nullable Retention retention() {
        return drops ? new LogRecord.Retention(state.nextVersionId(), horizonMs) : state.retention();
    }

    /** Says whether bytes of an object would become too young if they were written again. */
    boolean isOld(LogRecord.Extent extent) {
        return times != null && times.of(extent) <= oldMs;
    }

    /** Says whether what is left of a pack may be written again: it is young, or all that could expire of it has. */
    boolean mayMove(LogRecord.PackedRun run) {
        return !isOld(run) || (times != null && times.of(run) <= horizonMs);
    }

    /**
     * Tells what goes now and what is declared expired.
     *
     * @param paths of the versions
     */
    CompactExpired report(CompactListener listener, VersionPaths paths) throws IOException {
        if (times == null && taken == null) {
            return CompactExpired.NOTHING;
        }
        long bytes = 0;
        long laterBytes = 0;
        for (FileVersion version : state.versions()) {
            boolean keeps = keeps(version);
            long start = keeps ? start(version) : version.length();
            if (!keeps || start > version.startPosition()) {
                long went = start - version.startPosition();
                String range = keeps ? "bytes " + version.startPosition() + " to " + start + " of " : "all of ";
                listener.step(CompactAction.EXPIRE, range + name(version, paths), went);
                bytes += went;
            }
            long later = keeps ? retention(version).expiredBefore() - start : 0;
            if (later > 0) {
                listener.step(
                        CompactAction.EXPIRE_LATER,
                        "bytes " + start + " to " + (start + later) + " of " + name(version, paths),
                        later);
                laterBytes += later;
            }
        }
        return new CompactExpired(goneVersions, bytes, laterBytes);
    }

    private static String name(FileVersion version, VersionPaths paths) throws IOException {
        return paths.of(version) + " (version " + ArchiveLayout.hex(version.id()) + ")";
    }
}
