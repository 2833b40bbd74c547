package io.chagres.ship.follow;

import io.chagres.archive.Codec;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.log.ObjectWriter;
import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import io.chagres.ship.bytes.PrefixCheck;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.bytes.Verification;
import io.chagres.ship.commit.CommitPipeline;
import io.chagres.ship.file.DentryEvents;
import io.chagres.ship.file.Stage;
import io.chagres.ship.file.Tail;
import io.chagres.ship.file.TailDescriptors;
import io.chagres.ship.file.TailFact;
import io.chagres.ship.file.Versions;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gives one tail its turn: looks at the file, verifies it where it must, and reads the new bytes, within a byte
 * budget so that a large file does not starve small ones. Confined to the shipper's thread; a turn of a file that grew
 * by a few lines allocates nothing.
 */
public final class Tailer implements AutoCloseable {
    private static final int PIECES_PER_TURN = 4;
    private static final int ALIGNMENT = 4096;

    private final CommitPipeline pipeline;
    private final ObjectUploads uploads;
    private final Versions versions;
    private final DentryEvents dentries;
    private final TailDescriptors descriptors;
    private final Copies copies;
    private final Verifier verifier;
    private final TailReader reader = new TailReader();
    private final PrefixCheck prefixCheck = new PrefixCheck();
    private final Statx stat = new Statx();
    private long nowMs;
    private long readBytes;

    /** Whether half lines and trailing zeros are taken too: the shipper drains. */
    public boolean release;

    /** Takes the parts that do the work of a turn. */
    public Tailer(
            CommitPipeline pipeline,
            ObjectUploads uploads,
            Versions versions,
            DentryEvents dentries,
            TailDescriptors descriptors,
            Copies copies,
            Verifier verifier) {
        this.pipeline = pipeline;
        this.uploads = uploads;
        this.versions = versions;
        this.dentries = dentries;
        this.descriptors = descriptors;
        this.copies = copies;
        this.verifier = verifier;
    }

    /** Gives a tail its turn. */
    public Next turn(Tail tail, long nowMs) {
        if (!tail.isLive()) {
            return Next.OVER;
        }
        Next failed = look(tail, nowMs);
        if (failed != null) {
            return failed;
        }
        tail.set(TailFact.TOUCHED, false);
        if (tail.isResting() && tail.hasName() && !tail.has(TailFact.CLOSED_BY_WRITER) && verifier.isSatisfied(tail)) {
            return Next.WAIT; // it is as it was
        }
        Stage stage = tail.stage();
        Next known = stage == Stage.UPLOADING ? null : checkShipped(tail);
        return known != null ? known : step(tail, stage);
    }

    private Next step(Tail tail, Stage stage) {
        return switch (stage) {
            case Stage.Found found -> seekOriginal(tail, found);
            case Stage.Copying copying -> compareCopy(tail, copying);
            case Stage.Outgrowing outgrowing -> followOriginal(tail, outgrowing.original());
            case Stage.Following _ -> readNew(tail);
            case Stage.Uploading _ -> upload(tail);
            case Stage.Over _ -> Next.OVER;
        };
    }

    /**
     * Opens the file of a live tail unless it is open, and takes how it is now: what counts as at risk, and what is
     * held when its name goes, must not wait for room to read it.
     *
     * @return null, or the outcome of the turn when that is not possible
     */
    public @Nullable Next look(Tail tail, long nowMs) {
        this.nowMs = nowMs;
        boolean looked = tail.has(TailFact.LOOKED_AT_NOW) && tail.fd() != null;
        tail.set(TailFact.LOOKED_AT_NOW, false);
        if (looked) {
            descriptors.used(tail);
            return null;
        }
        if (tail.fd() == null) {
            int opened = dentries.reopen(tail);
            if (opened < 0) {
                return notOpened(tail, -opened);
            }
            descriptors.attach(tail, Fd.ofValue(opened));
        }
        descriptors.used(tail);
        int observed = observe(tail);
        return observed < 0 ? refused(tail, -observed) : null;
    }

    /**
     * Says whether all that a file holds which is to be closed was read and is proven; looks at it once more where an
     * event named it since. What is not proven is compared as soon as there is room.
     */
    public boolean isDone(Tail tail, long nowMs) {
        if (tail.has(TailFact.TOUCHED) && !tail.has(TailFact.LOOKED_AT_NOW)) {
            if (stat.of(Objects.requireNonNull(tail.fd()).value()) != 0) {
                return false;
            }
            take(tail, stat, nowMs);
        }
        if (!tail.isResting() && tail.bytes().size() != tail.bytes().position()) {
            return false;
        }
        tail.set(TailFact.TOUCHED, false);
        boolean proven = tail.isResting()
                || (tail.bytes().unprovenBytes() == 0 && !tail.bytes().isSuspect());
        if (!proven && !tail.isRefused()) {
            verifier.compare(tail);
        }
        return proven;
    }

    /** Compares the shipped bytes with the look at the file; null when it has new bytes that may be taken. */
    private @Nullable Next checkShipped(Tail tail) {
        Verification bytes = tail.bytes();
        if (bytes.size() < bytes.position()) {
            return supersede(tail, LogRecord.Reason.TRUNCATED);
        }
        if (bytes.isDifferent()) {
            return supersede(tail, LogRecord.Reason.REWRITTEN);
        }
        boolean changed = bytes.size() != bytes.position() || bytes.mtimeNs() != tail.recordedMtimeNs();
        if (changed && bytes.mustCompareFirst()) {
            verifier.compare(tail);
            return Next.WAIT;
        }
        if (changed && !bytes.hasGuard() && !reader.resetGuard(tail)) {
            return reader.errno() == 0 ? supersede(tail, LogRecord.Reason.TRUNCATED) : refused(tail, reader.errno());
        }
        return bytes.size() == bytes.position() ? atEnd(tail) : null;
    }

    private Next seekOriginal(Tail tail, Stage.Found found) {
        if (!copies.begin(tail, found)) {
            return Next.LATER;
        }
        return tail.stage() instanceof Stage.Copying copying ? compareCopy(tail, copying) : readNew(tail);
    }

    private Next compareCopy(Tail tail, Stage.Copying copying) {
        copies.compare(tail, copying.comparison());
        return Next.WAIT;
    }

    private Next followOriginal(Tail tail, Tail original) {
        Next next = copies.goOnBehind(original, tail, sizeNow(original));
        return next != null ? next : readNew(tail);
    }

    private Next notOpened(Tail tail, int errno) {
        if (!tail.hasName() && !TailDescriptors.isForNow(errno)) {
            if (dentries.mayReturn(tail)) {
                return Next.LATER;
            }
            if (tail.mayHoldMore()) {
                descriptors.lost(tail);
            } else if (!tail.bytes().looksSettled()) {
                descriptors.unproven(tail);
            }
            versions.finish(tail, LogRecord.Reason.GONE);
            return Next.OVER;
        }
        if (errno == Errno.ENOENT) {
            return Next.WAIT; // a rename or removal under way: its event brings the tail back
        }
        if (tail.has(TailFact.TOUCHED) || !tail.hasName()) {
            tail.bytes().suspect(); // no event will name later changes
        }
        return refused(tail, errno);
    }

    /** Returns the size a tail's file has now; the last known one when it cannot be looked at. */
    public long sizeNow(Tail tail) {
        Fd fd = tail.fd();
        return fd != null && stat.of(fd.value()) == 0 ? stat.size() : tail.size();
    }

    /** Looks at size, times and attributes of the file; returns 0 or -errno. */
    private int observe(Tail tail) {
        int looked = stat.of(Objects.requireNonNull(tail.fd()).value());
        if (looked < 0) {
            return looked;
        }
        take(tail, stat, nowMs);
        return 0;
    }

    /** Takes how the file of a tail looks now. */
    public void take(Tail tail, Statx stat, long nowMs) {
        verifier.observe(tail, stat, nowMs);
        dentries.looked(tail, stat);
        if (!tail.hasRecorded(stat.permissions(), stat.uid(), stat.gid())) {
            InodeAttributes now =
                    new InodeAttributes(stat.permissions(), stat.uid(), stat.gid(), tail.recordedMtimeNs());
            recordAttributes(tail, now);
        }
    }

    private void recordAttributes(Tail tail, InodeAttributes now) {
        tail.recorded(now);
        pipeline.write(new LogRecord.AttributesChanged(tail.versionId, Pathname.of(""), now));
    }

    private Next readNew(Tail tail) {
        if (objectEnd(tail) > 0) {
            return upload(tail);
        }
        boolean all = release;
        for (int i = 0; i < PIECES_PER_TURN; i++) {
            long before = tail.bytes().position();
            TailReader.Outcome outcome = reader.read(tail, pipeline.filling(), all, verifier.isTimed(tail));
            readBytes += tail.bytes().position() - before;
            if (!all && tail.bytes().heldBackBytes() > 0 && outcome != TailReader.Outcome.MORE && isClosed(tail)) {
                all = true;
                continue;
            }
            switch (outcome) {
                case EMPTY -> {
                    // it changed, and not behind the shipped bytes: perhaps within them
                    if (i == 0
                            && tail.bytes().unprovenBytes() > 0
                            && tail.bytes().mtimeNs() != tail.recordedMtimeNs()) {
                        tail.bytes().suspect();
                    }
                    return readToEnd(tail);
                }
                case READ -> {
                    return readToEnd(tail);
                }
                case MORE -> pipeline.touch(tail.bytes(), tail.rules().maxLagMs());
                case DEFERRED -> {
                    pipeline.touch(tail.bytes(), tail.rules().maxLagMs());
                    return Next.LATER;
                }
                case FULL -> {
                    return Next.NO_ROOM;
                }
                case REWRITTEN -> {
                    return supersede(tail, LogRecord.Reason.REWRITTEN);
                }
                case ERROR -> {
                    return refused(tail, reader.errno());
                }
            }
        }
        return Next.AGAIN;
    }

    private Next readToEnd(Tail tail) {
        pipeline.touch(tail.bytes(), tail.rules().maxLagMs());
        // it grew between looking and reading: take the time that belongs to these bytes; or it must be proven that it
        // did not change meanwhile
        if (tail.bytes().position() > tail.bytes().size() || (verifier.isDemanded() && !reader.hasLooked())) {
            observe(tail);
        }
        if (tail.bytes().size() == tail.bytes().position() && tail.bytes().mtimeNs() != tail.recordedMtimeNs()) {
            recordMtime(tail);
        }
        if (tail.bytes().size() > tail.bytes().position() + tail.bytes().heldBackBytes()) {
            return Next.AGAIN;
        }
        copies.noteHead(tail, tail.bytes().position());
        copies.endTruncated(tail, nowMs);
        verifier.look(tail, nowMs);
        tail.set(TailFact.CLOSED_BY_WRITER, false);
        tail.set(TailFact.IN_PIECES, false);
        return Next.WAIT;
    }

    /** One of several writers closing the file does not make its zeros data. */
    private static boolean isClosed(Tail tail) {
        return tail.has(TailFact.CLOSED_BY_WRITER)
                && Objects.requireNonNull(tail.fd()).probeReadLease() != -Errno.EAGAIN;
    }

    private Next refused(Tail tail, int errno) {
        dentries.refused(tail, errno);
        return Next.REFUSED;
    }

    /** Returns where the next data object of a tail ends, or 0 when its bytes go into the commit. */
    private long objectEnd(Tail tail) {
        long start = tail.bytes().dispatched();
        long backlog = tail.bytes().size() - start;
        boolean inPieces = tail.has(TailFact.IN_PIECES) || backlog < ObjectUploads.MIN_BYTES;
        if (inPieces || (tail.rules().codec() == Codec.NONE && start % ALIGNMENT != 0)) {
            return 0;
        }
        long hole = Objects.requireNonNull(tail.fd()).seekHole(start);
        long dataEnd = hole > start
                ? Math.min(hole, tail.bytes().size())
                : tail.bytes().size();
        if (hole == start) {
            return 0;
        }
        long end = Math.min(dataEnd, start + uploads.maxBytes());
        long lineEnd = tail.rules().codec() == Codec.NONE ? 0 : reader.lastLineEnd(tail, end); // blocks end anywhere
        if (lineEnd - start >= ObjectUploads.MIN_BYTES / 2) {
            return lineEnd;
        }
        if (end == tail.bytes().size() && !release) {
            end -= TailReader.PIECE_BYTES; // the last piece may end in zeros or half a line
        }
        end -= end % ALIGNMENT;
        if (end - start < ObjectUploads.MIN_BYTES / 2) {
            return 0;
        }
        return release || !reader.endsInZeros(tail, end) || isClosed(tail) ? end : shorterEnd(tail, end);
    }

    /** A preallocated file ends in zeros that are no data yet: an object may take what surely comes before them. */
    private long shorterEnd(Tail tail, long end) {
        long shorter = tail.bytes().dispatched() + ObjectUploads.MIN_BYTES;
        return shorter < end && !reader.endsInZeros(tail, shorter) ? shorter : 0;
    }

    /** Uploads as many bytes as there is room for. */
    private Next upload(Tail tail) {
        while (uploads.hasRoom()) {
            long end = objectEnd(tail);
            if (end == 0) {
                break;
            }
            uploads.start(tail, end);
        }
        return tail.stage() == Stage.UPLOADING ? Next.WAIT : uploads.hasRoom() ? Next.AGAIN : Next.LATER;
    }

    /** Takes a finished data object; false when the file no longer holds its bytes. */
    public boolean takeObject(Tail tail, ObjectWriter.Written object) {
        LogRecord.ObjectRun run = object.run();
        Fd fd = tail.fd();
        if (fd == null || run.start() != tail.bytes().position()) {
            return false;
        }
        int last = run.crcs().length - 1;
        long lastStart = run.start() + (long) last * PrefixChecksums.PIECE_BYTES;
        boolean same = tail.bytes().position() == 0
                ? prefixCheck.matches(fd, 0, Math.min(run.end(), PrefixChecksums.PIECE_BYTES), run.crcs()[0])
                : reader.guardMatches(tail);
        if (!same || !prefixCheck.matches(fd, lastStart, run.end(), run.crcs()[last])) {
            return false;
        }
        for (int i = 0; i <= last; i++) {
            long pieceStart = run.start() + (long) i * PrefixChecksums.PIECE_BYTES;
            tail.advance(Math.min(PrefixChecksums.PIECE_BYTES, run.end() - pieceStart), run.crcs()[i]);
        }
        if (!reader.resetGuard(tail) || !prefixCheck.matches(fd, lastStart, run.end(), run.crcs()[last])) {
            tail.bytes().distrust();
        }
        if (object.digest() != null) {
            pipeline.write(object.digest());
        }
        pipeline.filling().appendObject(run);
        pipeline.touch(tail.bytes(), tail.rules().maxLagMs());
        readBytes += run.end() - run.start();
        return true;
    }

    /** The file is as long as its shipped bytes: did it change in place, did it lose its last name? */
    private Next atEnd(Tail tail) {
        if (tail.bytes().mtimeNs() != tail.recordedMtimeNs()) {
            if (tail.bytes().position() > 0 && !reader.guardMatches(tail)) {
                return reader.errno() == 0
                        ? supersede(tail, LogRecord.Reason.REWRITTEN)
                        : refused(tail, reader.errno());
            }
            recordMtime(tail);
            tail.bytes().suspect();
        }
        copies.endTruncated(tail, nowMs);
        verifier.look(tail, nowMs);
        if (tail.has(TailFact.CLOSED_BY_WRITER)) {
            tail.set(TailFact.CLOSED_BY_WRITER, false);
            tail.endCopy();
        }
        return Next.WAIT;
    }

    private void recordMtime(Tail tail) {
        recordAttributes(tail, tail.recorded().withMtimeNs(tail.bytes().mtimeNs()));
    }

    /** The file holds other bytes than were shipped: a new version begins, which copies those that both have. */
    private Next supersede(Tail tail, LogRecord.Reason reason) {
        uploads.drop(tail);
        Tail next = versions.supersede(
                tail, reason, tail.recorded().withMtimeNs(tail.bytes().mtimeNs()));
        next.bytes().follow(tail.bytes());
        return Next.OVER;
    }

    /** Returns how many bytes were read to be shipped. */
    public long readBytes() {
        return readBytes;
    }

    @Override
    public void close() {
        reader.close();
        prefixCheck.close();
        stat.close();
    }
}
