package io.chagres.ship;

import io.chagres.archive.Attributes;
import io.chagres.archive.Codec;
import io.chagres.archive.LogRecord;
import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.util.Objects;

/**
 * Gives one tail its turn: looks at the file, verifies what must be verified, and reads what is new, within a byte
 * budget so that a large file does not starve small ones. Confined to the shipper's thread; a turn of a file that grew
 * by a few lines allocates nothing.
 */
final class Turns implements AutoCloseable {
    private static final int PIECES_PER_TURN = 4;
    private static final int ALIGNMENT = 4096;

    /** What a turn came to. */
    enum Next {
        /** Nothing to do before the next event. */
        WAIT,
        /** More to do: the tail goes to the end of the queue. */
        AGAIN,
        /** More to do after one coalescing window. */
        LATER,
        /** The kernel refuses to open, look at or read the file: to be tried again after a while. */
        REFUSED,
        /** The commit is full: the tail keeps its place until there is room. */
        NO_ROOM,
        /** The version ended. */
        OVER
    }

    private final CommitPipeline pipeline;
    private final ObjectUploads uploads;
    private final Versions versions;
    private final Names names;
    private final OpenFiles openFiles;
    private final Copies copies;
    private final Verifier verifier;
    private final TailReader reader = new TailReader();
    private final PrefixCheck prefixCheck = new PrefixCheck();
    private final Statx stat = new Statx();

    /** Whether half lines and trailing zeros are taken too: the shipper drains. */
    boolean release;

    Turns(
            CommitPipeline pipeline,
            ObjectUploads uploads,
            Versions versions,
            Names names,
            OpenFiles openFiles,
            Copies copies,
            Verifier verifier) {
        this.pipeline = pipeline;
        this.uploads = uploads;
        this.versions = versions;
        this.names = names;
        this.openFiles = openFiles;
        this.copies = copies;
        this.verifier = verifier;
    }

    /** Gives a tail its turn. */
    Next turn(Tail tail, long nowMs) {
        if (!tail.isLive()) {
            return Next.OVER;
        }
        if (tail.fd() == null) {
            int opened = names.reopen(tail);
            if (opened < 0) {
                return notOpened(tail, -opened);
            }
            openFiles.attach(tail, Fd.ofValue(opened));
        }
        openFiles.used(tail);
        int looked = look(tail, nowMs);
        if (looked < 0) {
            return refused(tail, -looked);
        }
        if (ObjectUploads.pending(tail)) {
            return startObjects(tail);
        }
        if (tail.bytes.size() < tail.bytes.position()) {
            return supersede(tail, LogRecord.Reason.TRUNCATED);
        }
        if (tail.bytes.isDifferent()) {
            return supersede(tail, LogRecord.Reason.REWRITTEN);
        }
        boolean changed = tail.bytes.size() != tail.bytes.position() || tail.bytes.mtimeNs() != tail.recordedMtimeNs();
        if (changed && tail.bytes.mustCompareFirst()) {
            verifier.compare(tail);
            return Next.WAIT;
        }
        if (changed && !tail.bytes.hasGuard() && !reader.resetGuard(tail)) {
            return reader.errno() == 0 ? supersede(tail, LogRecord.Reason.TRUNCATED) : refused(tail, reader.errno());
        }
        if (tail.bytes.size() == tail.bytes.position()) {
            return atEnd(tail, nowMs);
        }
        if (!tail.copySought && !copies.begin(tail)) {
            return Next.LATER;
        }
        if (tail.copy != null) {
            copies.compare(tail);
            return Next.WAIT;
        }
        return readNew(tail, nowMs);
    }

    private Next notOpened(Tail tail, int errno) {
        if (!tail.hasName()) {
            if (tail.touched) {
                openFiles.lost(tail);
            }
            versions.finish(tail, LogRecord.Reason.GONE);
            return Next.OVER;
        }
        // a rename or removal under way: its event brings the tail back
        return errno == Errno.ENOENT ? Next.WAIT : refused(tail, errno);
    }

    /** Returns the size a tail's file has now; what is known when it cannot be looked at. */
    long sizeNow(Tail tail) {
        Fd fd = tail.fd();
        return fd != null && stat.of(fd.value()) == 0 ? stat.size() : tail.bytes.size();
    }

    /** Looks at size, times and attributes of the file; returns 0 or -errno. */
    private int look(Tail tail, long nowMs) {
        int looked = stat.of(Objects.requireNonNull(tail.fd()).value());
        if (looked < 0) {
            return looked;
        }
        tail.touched = false;
        verifier.observe(tail, stat, nowMs);
        if (!tail.hasRecorded(stat.permissions(), stat.uid(), stat.gid())) {
            Attributes now = new Attributes(stat.permissions(), stat.uid(), stat.gid(), tail.recordedMtimeNs());
            recordAttributes(tail, now);
        }
        return 0;
    }

    private void recordAttributes(Tail tail, Attributes now) {
        tail.recorded(now);
        pipeline.filling().records().write(new LogRecord.AttributesChanged(tail.versionId, Pathname.of(""), now));
    }

    /** Reads what is new: a large backlog as data objects, the rest straight into the commit. */
    private Next readNew(Tail tail, long nowMs) {
        if (objectEnd(tail) > 0) {
            return startObjects(tail);
        }
        boolean all = release;
        for (int i = 0; i < PIECES_PER_TURN; i++) {
            TailReader.Outcome outcome = reader.read(tail, pipeline.filling(), all);
            if (!all && tail.bytes.heldBackBytes() > 0 && outcome != TailReader.Outcome.MORE && isClosed(tail)) {
                all = true;
                continue;
            }
            switch (outcome) {
                case EMPTY -> {
                    // it changed, and not behind what was shipped: perhaps within it
                    if (i == 0 && tail.bytes.unprovenBytes() > 0 && tail.bytes.mtimeNs() != tail.recordedMtimeNs()) {
                        tail.bytes.suspect();
                    }
                    return readToEnd(tail, nowMs);
                }
                case READ -> {
                    return readToEnd(tail, nowMs);
                }
                case MORE -> pipeline.touch(tail);
                case DEFERRED -> {
                    pipeline.touch(tail);
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
        tail.enter(Tail.State.CATCHING_UP);
        return Next.AGAIN;
    }

    private Next readToEnd(Tail tail, long nowMs) {
        pipeline.touch(tail);
        if (tail.bytes.position() > tail.bytes.size()) {
            look(tail, nowMs); // it grew between looking and reading: take the time that belongs to these bytes
        }
        if (tail.bytes.size() == tail.bytes.position() && tail.bytes.mtimeNs() != tail.recordedMtimeNs()) {
            recordMtime(tail);
        }
        if (tail.bytes.size() > tail.bytes.position() + tail.bytes.heldBackBytes()) {
            return Next.AGAIN;
        }
        copies.noteHead(tail, tail.bytes.position());
        verifier.look(tail, nowMs);
        tail.closedByWriter = false;
        if (tail.hasName()) {
            tail.enter(Tail.State.FOLLOWING);
        }
        return Next.WAIT;
    }

    /** One of several writers closing the file does not make its zeros data. */
    private static boolean isClosed(Tail tail) {
        return tail.closedByWriter && Objects.requireNonNull(tail.fd()).probeReadLease() != -Errno.EAGAIN;
    }

    private Next refused(Tail tail, int errno) {
        names.refused(tail, errno);
        return Next.REFUSED;
    }

    /** Returns where the next data object of a tail ends, or 0 when its bytes go into the commit. */
    private long objectEnd(Tail tail) {
        long start = tail.bytes.dispatched();
        long backlog = tail.bytes.size() - start;
        if (backlog < ObjectUploads.MIN_BYTES || (uploads.codec() == Codec.NONE && start % ALIGNMENT != 0)) {
            return 0;
        }
        long hole = Objects.requireNonNull(tail.fd()).seekHole(start);
        long dataEnd = hole > start ? Math.min(hole, tail.bytes.size()) : tail.bytes.size();
        if (hole == start) {
            return 0;
        }
        long end = Math.min(dataEnd, start + uploads.maxBytes());
        long lineEnd = uploads.codec() == Codec.ZSTD ? reader.lastLineEnd(tail, end) : 0; // blocks end anywhere
        if (lineEnd - start >= ObjectUploads.MIN_BYTES / 2) {
            return lineEnd;
        }
        if (end == tail.bytes.size() && !release) {
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
        long shorter = tail.bytes.dispatched() + ObjectUploads.MIN_BYTES;
        return shorter < end && !reader.endsInZeros(tail, shorter) ? shorter : 0;
    }

    private Next startObjects(Tail tail) {
        tail.enter(Tail.State.CATCHING_UP);
        while (uploads.hasRoom()) {
            long end = objectEnd(tail);
            if (end == 0) {
                break;
            }
            uploads.start(tail, end);
        }
        return ObjectUploads.pending(tail) ? Next.WAIT : Next.AGAIN;
    }

    /** Takes a finished data object; false when the file does not hold its bytes any more. */
    boolean takeObject(Tail tail, LogRecord.ObjectRun run) {
        Fd fd = tail.fd();
        if (fd == null || run.start() != tail.bytes.position()) {
            return false;
        }
        int last = run.crcs().length - 1;
        long lastStart = run.start() + (long) last * PrefixChecksums.PIECE_BYTES;
        boolean same = tail.bytes.position() == 0
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
            tail.bytes.distrust();
        }
        pipeline.filling().records().write(run);
        pipeline.touch(tail);
        return true;
    }

    /** The file has exactly what was shipped: did it change in place, did it lose its last name? */
    private Next atEnd(Tail tail, long nowMs) {
        if (tail.bytes.mtimeNs() != tail.recordedMtimeNs()) {
            if (tail.bytes.position() > 0 && !reader.guardMatches(tail)) {
                return reader.errno() == 0
                        ? supersede(tail, LogRecord.Reason.REWRITTEN)
                        : refused(tail, reader.errno());
            }
            recordMtime(tail);
            tail.bytes.suspect();
        }
        verifier.look(tail, nowMs);
        if (tail.closedByWriter) {
            tail.closedByWriter = false;
            tail.endCopy();
        }
        if (tail.hasName()) {
            tail.enter(Tail.State.FOLLOWING);
        }
        return Next.WAIT;
    }

    private void recordMtime(Tail tail) {
        recordAttributes(tail, tail.recorded().withMtimeNs(tail.bytes.mtimeNs()));
    }

    /** The file is not what was shipped: a new version begins, with what both have in common as a copy. */
    private Next supersede(Tail tail, LogRecord.Reason reason) {
        uploads.drop(tail);
        Tail next = versions.supersede(tail, reason, tail.recorded().withMtimeNs(tail.bytes.mtimeNs()));
        next.bytes.follow(tail.bytes);
        return Next.OVER;
    }

    @Override
    public void close() {
        reader.close();
        prefixCheck.close();
        stat.close();
    }
}
