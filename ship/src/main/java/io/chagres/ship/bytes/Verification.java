package io.chagres.ship.bytes;

import io.chagres.linux.FileTimes;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of the bytes of one version: how far they were read and acknowledged, and whether those that were
 * shipped are still what the file holds. It is the only one that declares bytes acknowledged, and it knows why the
 * bytes before them cannot have changed. Positions are bytes from the start of the file. Confined to the shipper's
 * thread.
 *
 * <p>The kernel does not tell an append from a write within the shipped bytes that comes with one; it moves the change
 * time (ctime) with both. So bytes are <em>proven</em> as long as the change time is the one that was seen before they
 * were read. When it moves they are <em>unproven</em>, until they were compared with the checksums of what was shipped.
 * When there is evidence of more than an append they are <em>suspect</em> as well, and count as bytes at risk.
 *
 * <p>Stores through a mapping need not move the change time. So it proves something only when it was <em>telling</em>
 * before the bytes were read or compared: nobody had the file open for writing then, or each store had to move it.
 */
public final class Verification {
    /** Bytes before the position that are compared whenever new ones are read. */
    public static final int GUARD_BYTES = 4096;

    /** Two changes may get one change time within a tick of the kernel. */
    private static final long TICK_MS = 20;

    /** Where times have no fractions of seconds, as those of ext3 and FAT, the same holds for longer. */
    private static final long COARSE_TICK_MS = 2_000;

    private static final long SECOND_NS = 1_000_000_000;
    private static final long NS_PER_MS = 1_000_000;

    /** The bytes that must be compared with the file before new bytes of it are committed. */
    public enum Before {
        NOTHING,
        /** The last megabyte: shipping continues after a restart. */
        LAST_PIECES,
        /** Everything: the machine went down uncleanly. */
        EVERYTHING
    }

    /** A file rests when it has not changed for this time: one that changes often would be made anew each time. */
    private static final long RESTS_AFTER_MS = 10_000;

    private static final long LAST_PIECES_BYTES = 1L << 20;
    private static final long NEVER_MS = Long.MIN_VALUE / 2;

    private final PrefixChecksums prefix;
    private long dispatched;
    private long acknowledged;
    private long size;
    private long mtimeNs = Long.MIN_VALUE;
    private int guardCrc;
    private boolean hasGuard;
    private long trustedMtimeNs;
    private long trustedUntilMs;
    private boolean trustedTelling;

    private Before before = Before.NOTHING;
    private long ctimeNs = Long.MIN_VALUE;
    /** How long before the last comparison, or before the look that saw it, the change time was. */
    private long changeAgeMs;
    /** Whether the change time has moved with every change since before the bytes were read or compared. */
    private boolean telling;

    private long unprovenEnd;
    private long provenMtimeNs = Long.MIN_VALUE;
    /** Whether the times were telling when it was proven at that modification time. */
    private boolean provenTelling;

    private boolean suspect;
    private boolean closed;
    /** The errno that was reported last, or 0 since the file was read to its end. */
    private short refusedWith;

    private long quietSinceMs;

    /** The comparison that is under way; most files never need one. */
    private @Nullable Comparing comparing;

    private long comparedMs = NEVER_MS;
    private long provenMs = NEVER_MS;
    private boolean different;

    private long heldBackBytes;
    private long halfLineAt = -1;
    private long riskSinceMs;
    private long nextRiskSinceMs;
    private int commit = -1;
    private long demandedEnd = -1;

    private static final class Comparing {
        final long sinceMs;
        final long changeAgeMs;
        final long ctimeNs;
        final boolean telling;
        /** The file may have changed since it began, without a trace in its times. */
        boolean disturbed;

        int pieces;

        Comparing(long sinceMs, long changeAgeMs, long ctimeNs, boolean telling, int pieces) {
            this.sinceMs = sinceMs;
            this.changeAgeMs = changeAgeMs;
            this.ctimeNs = ctimeNs;
            this.telling = telling;
            this.pieces = pieces;
        }
    }

    /** Begins where the checksums of the shipped bytes end. */
    public Verification(PrefixChecksums prefix) {
        this.prefix = prefix;
        acknowledged = prefix.end();
        size = acknowledged;
        dispatched = acknowledged;
        unprovenEnd = acknowledged;
    }

    /** Makes the state of a file for which {@link #mayRest} held; the caller must still set its guard. */
    public static Verification afterRest(
            PrefixChecksums prefix, long mtimeNs, long ctimeNs, long quietSinceMs, Before before) {
        Verification known = new Verification(prefix);
        known.mtimeNs = mtimeNs;
        known.ctimeNs = ctimeNs;
        known.quietSinceMs = quietSinceMs;
        known.before = before;
        known.changeAgeMs = COARSE_TICK_MS;
        known.telling = true;
        known.unprovenEnd = 0;
        return known;
    }

    /**
     * Says whether nothing is to be done about the bytes: all are acknowledged, and proven by the times of a file that
     * has not changed for a while. Then only the checksums, the times and the guard must be remembered.
     */
    public boolean mayRest(long nowMs) {
        boolean quiet = changeAgeMs >= RESTS_AFTER_MS || nowMs - quietSinceMs >= RESTS_AFTER_MS;
        boolean acknowledgedAll = acknowledged == size && position() == size && dispatched() == size;
        boolean proven = unprovenBytes() == 0 && !suspect && !closed && telling && isToldByTimes();
        return quiet && acknowledgedAll && proven && comparing == null && !different && heldBackBytes == 0;
    }

    // -- positions

    /** Returns the checksums of the shipped bytes. */
    public PrefixChecksums prefix() {
        return prefix;
    }

    /** Returns the position of the next byte that is not in a commit yet. */
    public long position() {
        return prefix.end();
    }

    /** Returns the position up to which the store has acknowledged every byte. */
    public long acknowledged() {
        return acknowledged;
    }

    /** Returns the position up to which bytes are in commits or in data objects under way. */
    public long dispatched() {
        return Math.max(dispatched, position());
    }

    /** Notes that the bytes before an end are on their way as data objects. */
    public void dispatch(long end) {
        dispatched = end;
    }

    /** Returns the size the file had when it was last looked at. */
    public long size() {
        return size;
    }

    /** Returns the change time the file had when it was last looked at. */
    public long ctimeNs() {
        return ctimeNs;
    }

    /** Returns the modification time the file had when it was last looked at. */
    public long mtimeNs() {
        return mtimeNs;
    }

    /** Takes a run that was put into a commit. */
    public void advance(long lengthBytes, int crc) {
        prefix.append(lengthBytes, crc);
    }

    /** Notes in which commit its newest run is; returns whether that is another one than before. */
    public boolean entersCommit(int number) {
        boolean enters = commit != number;
        commit = number;
        return enters;
    }

    /** Marks the cut of a commit: bytes that are not in it, now or noticed later, keep their own age. */
    public void cut() {
        nextRiskSinceMs = position() < size ? riskSinceMs : 0;
    }

    /** Takes the store's acknowledgement of everything up to a position. */
    public void acknowledge(long upTo, long nowMs) {
        acknowledged = Math.max(acknowledged, upTo);
        riskSinceMs = acknowledged >= size && !suspect ? 0 : nextRiskSinceMs != 0 ? nextRiskSinceMs : nowMs;
        nextRiskSinceMs = 0;
    }

    /** Somebody waits for the bytes up to an end to be acknowledged. */
    public void demand(long end) {
        demandedEnd = end;
    }

    /** Returns how many of the bytes demanded are not acknowledged; a shorter file has nothing left to give. */
    public long missingBytes() {
        return Math.max(0, Math.min(demandedEnd, size) - acknowledged);
    }

    // -- bytes that are held back

    /** Returns the trailing zeros that wait because they may be no data yet. */
    public long heldBackBytes() {
        return heldBackBytes;
    }

    /** Notes how many trailing zeros wait. */
    public void holdBack(long bytes) {
        heldBackBytes = bytes;
    }

    /** Says whether a half line that begins at a position has waited already; if not, it does from now on. */
    public boolean hasWaited(long at) {
        boolean waited = halfLineAt == at;
        halfLineAt = at;
        return waited;
    }

    // -- a file that cannot be read

    /**
     * Notes that the kernel refuses to read the file.
     *
     * @param errno why; 0 when it no longer does
     * @return whether that is not what was noted last
     */
    public boolean refuses(int errno) {
        boolean isNew = refusedWith != errno;
        refusedWith = (short) errno;
        return isNew;
    }

    /** Says whether the kernel refused to read it, and it was not read to its end since. */
    public boolean isRefused() {
        return refusedWith != 0;
    }

    // -- the guard

    /** Returns the CRC32C of the bytes before the position, as they were shipped. */
    public int guardCrc() {
        return guardCrc;
    }

    /** Returns how many they are. */
    public int guardLength() {
        return (int) Math.min(GUARD_BYTES, position());
    }

    /** Takes the checksum of the bytes before the position. */
    public void guard(int crc) {
        guardCrc = crc;
        hasGuard = true;
    }

    /** Says whether the guard is that of the position. */
    public boolean hasGuard() {
        return hasGuard || position() == 0;
    }

    /** The position moved without the guard. */
    public void forgetGuard() {
        hasGuard = false;
    }

    // -- bytes that may have changed

    /**
     * Asks for a comparison before new bytes are committed.
     *
     * @param recordedMtimeNs what the log has of a file that was proven: one that shows no change against it when it is
     *     first looked at is proven still
     * @param untilMs when that was proven; {@link Long#MIN_VALUE} when it was not. Anybody can set a modification time
     *     back, so a change time that is later is that of a change nobody saw
     * @param telling whether each change after that moves the times: then a change time that is the modification time
     *     proves the file, too
     */
    public void compareFirst(Before what, long recordedMtimeNs, long untilMs, boolean telling) {
        before = what;
        trustedMtimeNs = recordedMtimeNs;
        trustedUntilMs = untilMs;
        trustedTelling = telling;
        suspect |= what == Before.EVERYTHING && position() > prefix.startPosition();
    }

    /**
     * Notes a look at the file; new bytes begin to be at risk at that moment.
     *
     * @param fileMs the time by the clock that file times are of
     */
    public void observe(long sizeBytes, long modifiedNs, long changedNs, long nowMs, long fileMs) {
        if (closed) {
            provenMtimeNs = Long.MIN_VALUE;
        } else if (unprovenBytes() == 0 && !suspect) {
            provenMtimeNs = mtimeNs;
            provenTelling = telling;
        }
        size = sizeBytes;
        mtimeNs = modifiedNs;
        if (changedNs != ctimeNs || closed) {
            closed = false;
            boolean trusted = ctimeNs == Long.MIN_VALUE
                    && before == Before.LAST_PIECES
                    && sizeBytes == position()
                    && modifiedNs == trustedMtimeNs
                    && isTrusted(modifiedNs, changedNs);
            ctimeNs = changedNs;
            changeAgeMs = fileMs - changedNs / NS_PER_MS;
            telling = false;
            quietSinceMs = nowMs;
            unprovenEnd = trusted ? 0 : dispatched();
        }
        if (sizeBytes > acknowledged || suspect) {
            if (riskSinceMs == 0) {
                riskSinceMs = nowMs;
            } else if (nextRiskSinceMs == 0) {
                nextRiskSinceMs = nowMs;
            }
        } else {
            riskSinceMs = 0;
            nextRiskSinceMs = 0;
        }
    }

    private boolean isTrusted(long modifiedNs, long changedNs) {
        long changedMs = changedNs / NS_PER_MS;
        return trustedUntilMs != Long.MIN_VALUE
                && (changedMs <= trustedUntilMs
                        || (trustedTelling && Math.abs(changedMs - modifiedNs / NS_PER_MS) <= TICK_MS));
    }

    /** Takes over when the bytes of a file were noticed whose former version ended. */
    public void follow(Verification former) {
        size = former.size;
        mtimeNs = former.mtimeNs;
        ctimeNs = former.ctimeNs;
        changeAgeMs = former.changeAgeMs;
        telling = former.telling;
        quietSinceMs = former.quietSinceMs;
        riskSinceMs = former.riskSinceMs;
        demandedEnd = former.demandedEnd;
    }

    /** It ended before this shipper began: when its file was changed, and since when that is known. */
    public void ended(long modifiedNs, long sinceMs) {
        mtimeNs = modifiedNs;
        quietSinceMs = sinceMs;
    }

    /** A writer closed the file: stores through a mapping may have come after the last look. */
    public void closed() {
        closed = true;
        disturb();
    }

    private void disturb() {
        if (comparing != null) {
            comparing.disturbed = true;
        }
    }

    /** The file changed, and not by growing. */
    public void suspect() {
        suspect = position() > prefix.startPosition();
        unprovenEnd = dispatched();
    }

    /** No longer takes the bytes that were read for proven. */
    public void doubt() {
        unprovenEnd = dispatched();
    }

    /** Asks for a comparison of everything, because the file changed while it was read. */
    public void distrust() {
        before = Before.EVERYTHING;
        comparing = null;
        hasGuard = false;
        suspect();
    }

    /** Says whether there is evidence that shipped bytes changed. */
    public boolean isSuspect() {
        return suspect;
    }

    /** Returns the bytes that were shipped and have not been compared since the file changed. */
    public long unprovenBytes() {
        return Math.max(0, Math.min(unprovenEnd, position()) - prefix.startPosition());
    }

    /** Returns the bytes that must be compared before new ones are committed. */
    public Before comparesFirst() {
        return before;
    }

    /** Says whether something must be compared before new bytes are committed. */
    public boolean mustCompareFirst() {
        return before != Before.NOTHING;
    }

    /** Says whether the file was never looked at. */
    public boolean isUnseen() {
        return ctimeNs == Long.MIN_VALUE;
    }

    /** Says whether the file shows other times or another size than when it was looked at last. */
    public boolean hasMoved(long sizeBytes, long modifiedNs, long changedNs) {
        return sizeBytes != size || modifiedNs != mtimeNs || changedNs != ctimeNs;
    }

    /**
     * Notes whether each change of the file from this moment on moves its change time, which was looked at before.
     * Bytes that were read before this moment must be compared again to be proven.
     */
    public void tell(boolean tells) {
        telling = tells;
        if (!tells) {
            disturb();
        }
    }

    /** Says whether the times of the file prove that it holds the shipped bytes. */
    public boolean isToldByTimes() {
        return position() == prefix.startPosition() || (unprovenBytes() == 0 && !suspect && showsChanges());
    }

    /** Says whether each change of the file since it was looked at last shows in its times. */
    public boolean showsChanges() {
        long tickMs = ctimeNs % SECOND_NS == 0 ? COARSE_TICK_MS : TICK_MS;
        return !closed && telling && changeAgeMs >= tickMs;
    }

    /** Says whether it is proven that the file held the shipped bytes at some moment since a time. */
    public boolean isProven(long sinceMs) {
        return position() == prefix.startPosition()
                || (Math.max(comparedMs, provenMs) >= sinceMs && !suspect && !closed);
    }

    /** Its times prove it at this moment. */
    public void proven(long nowMs) {
        provenMs = nowMs;
    }

    /** Returns the number of shipped bytes for which the times of the file do not prove that it still holds them. */
    public long untoldBytes() {
        return isToldByTimes() ? 0 : position() - prefix.startPosition();
    }

    /**
     * Says whether a file without a name, which nobody can change since a moment, needs no comparison. Losing its name
     * moved the change time: what counts is the modification time.
     */
    public boolean isSettled(long sinceMs) {
        return !suspect
                && (comparedMs >= sinceMs
                        || (unprovenBytes() == 0 ? telling : mtimeNs == provenMtimeNs && provenTelling));
    }

    /** Says whether the times of a file that is out of reach show no change since its shipped bytes were proven. */
    public boolean looksSettled() {
        return !suspect && (unprovenBytes() == 0 || mtimeNs == provenMtimeNs);
    }

    /** Returns since when the file has not changed, in milliseconds of the shipper's clock. */
    public long quietSinceMs() {
        return quietSinceMs;
    }

    /** Returns when the last comparison of everything began; hugely negative before the first. */
    public long comparedMs() {
        return comparedMs;
    }

    // -- comparisons

    /** Says whether a comparison is under way. */
    public boolean isComparing() {
        return comparing != null;
    }

    /**
     * Begins or continues a comparison; returns the first piece that is next.
     *
     * @param tells whether each change of the file from now on moves its change time; asked of one that begins
     */
    public int compare(long nowMs, long fileMs, BooleanSupplier tells) {
        if (comparing == null) {
            boolean last = before == Before.LAST_PIECES;
            int first = last ? prefix.pieceAt(Math.max(0, position() - LAST_PIECES_BYTES)) : 0;
            comparing = new Comparing(nowMs, fileMs - FileTimes.toMs(ctimeNs), ctimeNs, tells.getAsBoolean(), first);
        }
        return comparing.pieces;
    }

    /** Forgets a comparison that was not answered. */
    public void abandonComparison() {
        comparing = null;
    }

    /**
     * Takes that pieces up to one hold the shipped bytes.
     *
     * @return whether that was all
     */
    public boolean comparedTo(int piece) {
        Comparing done = Objects.requireNonNull(comparing);
        done.pieces = piece;
        if (piece < prefix.pieces()) {
            return false;
        }
        comparing = null;
        if (before != Before.LAST_PIECES) {
            suspect = false;
            comparedMs = done.sinceMs;
            if (ctimeNs == done.ctimeNs && !done.disturbed) {
                unprovenEnd = 0;
                changeAgeMs = done.changeAgeMs;
                telling = done.telling;
            }
            riskSinceMs = acknowledged >= size ? 0 : riskSinceMs;
        }
        before = Before.NOTHING;
        return true;
    }

    /** Takes that the file holds other bytes than were shipped: another version must take over. */
    public void differs() {
        comparing = null;
        different = true;
        telling = false;
    }

    /** Says whether a comparison found other bytes in the file than were shipped. */
    public boolean isDifferent() {
        return different;
    }

    // -- risk

    /** Returns the bytes a loss of the machine would lose now. */
    public long riskBytes(boolean live) {
        long end = live ? size : position();
        return Math.max(0, end - acknowledged)
                + (live && suspect ? Math.max(0, Math.min(acknowledged, size) - prefix.startPosition()) : 0);
    }

    /**
     * Returns when the oldest byte at risk was noticed, in milliseconds of the shipper's clock; 0 when there is none.
     */
    public long riskSinceMs() {
        return riskSinceMs;
    }

    /** Returns the same while there are bytes at risk; if their time is unknown, it is now. */
    public long owedSinceMs(long nowMs) {
        riskSinceMs = riskSinceMs == 0 ? nowMs : riskSinceMs;
        return riskSinceMs;
    }
}
