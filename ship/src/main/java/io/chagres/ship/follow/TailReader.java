package io.chagres.ship.follow;

import io.chagres.archive.LogRecord;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.foreign.Errno;
import io.chagres.foreign.MemoryCompare;
import io.chagres.foreign.MemoryScan;
import io.chagres.linux.Fd;
import io.chagres.linux.Statx;
import io.chagres.ship.bytes.Crc32cMath;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.bytes.Verification;
import io.chagres.ship.file.Tail;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * Reads the new bytes of a tail straight into a commit. It reads forwards and verifies backwards: first the new bytes,
 * then the 4 KiB before them. A writer that truncates and rewrites a file reaches the earlier bytes first, so when the
 * earlier bytes are still the shipped ones, the new bytes read before them belong to the same version. Confined to the
 * shipper's thread; allocates nothing per read.
 */
final class TailReader implements AutoCloseable {
    /** The result of one reading. */
    enum Outcome {
        /** There is nothing to read (or only bytes that are held back). */
        EMPTY,
        /** Bytes were put into the commit and the end of the file was reached. */
        READ,
        /** Bytes were put into the commit and there are more. */
        MORE,
        /** The rest is a half line or was changing while it was read: look again at the next turn. */
        DEFERRED,
        /** The commit has no room. */
        FULL,
        /** The bytes before the position are no longer the shipped ones, or the file is shorter. */
        REWRITTEN,
        /** The kernel refused to read: {@link #errno()}. */
        ERROR
    }

    /** Bytes read at once: also the largest run of a commit. */
    static final int PIECE_BYTES = PrefixChecksums.PIECE_BYTES;

    private static final long LOOK_AHEAD_BYTES = 8L << 20;
    /** A run of zeros at least this long is recorded as a hole instead of as bytes. */
    private static final int MIN_ZERO_RUN_BYTES = Verification.GUARD_BYTES;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment again = arena.allocate(PIECE_BYTES, 8);
    private final MemorySegment guard = arena.allocate(2L * Verification.GUARD_BYTES, 8);
    private final ByteBuffer guardBytes = guard.asByteBuffer();
    private final CRC32C crc = new CRC32C();
    private final Statx stat = new Statx(arena);
    private boolean looked;
    private int errno;

    /** Returns the errno that kept the last reading or comparison from a result, or 0 if it had one. */
    int errno() {
        return errno;
    }

    /**
     * Reads at most one piece from the position of a tail.
     *
     * @param tail a tail with an open descriptor
     * @param commit where the bytes go
     * @param release whether trailing zeros and half lines are taken too (the file was closed, or the shipper drains)
     * @param isTimed whether each change since the file was looked at shows in its times
     */
    Outcome read(Tail tail, CommitBuilder commit, boolean release, boolean isTimed) {
        looked = false;
        if (!commit.reserve(PIECE_BYTES)) {
            return Outcome.FULL;
        }
        Fd fd = Objects.requireNonNull(tail.fd());
        long position = tail.bytes().position();
        long read = fd.pread(commit.data(), commit.dataLength(), PIECE_BYTES, position);
        if (read < 0) {
            return failed((int) -read);
        }
        if (read == 0) {
            return tail.bytes().size() > position ? endedEarly(fd, position) : Outcome.EMPTY;
        }
        boolean end = read < PIECE_BYTES || position + read >= tail.bytes().size();
        long zeros = MemoryScan.trailingZeros(commit.data(), commit.dataLength(), read);
        if (zeros == read && read >= MIN_ZERO_RUN_BYTES) {
            return readZeros(tail, commit, read, release);
        }
        if (!readsSameAgain(fd, commit, read, position)) {
            return Outcome.DEFERRED;
        }
        long take = read - (zeros > 0 && !release && (end || zeros >= MIN_ZERO_RUN_BYTES) ? zeros : 0);
        tail.bytes().holdBack(end ? read - take : 0);
        long whole = end && !release ? wholeLines(tail, commit, take) : take;
        boolean isProven = isTimed && position == 0 && isUnchanged(tail);
        if (!isProven && !guardMatches(tail, commit, whole == 0 ? read : whole)) {
            return mismatch(position == 0 ? Outcome.DEFERRED : Outcome.REWRITTEN);
        }
        if (whole > 0) {
            append(tail, commit, (int) whole);
        }
        if (whole < take) {
            return Outcome.DEFERRED;
        }
        return whole == 0 ? Outcome.EMPTY : end ? Outcome.READ : Outcome.MORE;
    }

    /** Decides about a file that ends before its size: it was truncated since, or its size is wrong. */
    private Outcome endedEarly(Fd fd, long position) {
        int seen = stat.of(fd.value());
        if (seen < 0) {
            return failed(-seen);
        }
        long read = stat.size() > position ? fd.pread(again, 0, 1, position) : 1;
        return read > 0 ? Outcome.REWRITTEN : failed(read == 0 ? Errno.ENODATA : (int) -read);
    }

    /** Decides about a piece that is all zeros: a hole, a preallocated end, or zeros somebody wrote. */
    private Outcome readZeros(Tail tail, CommitBuilder commit, long read, boolean release) {
        Fd fd = Objects.requireNonNull(tail.fd());
        long position = tail.bytes().position();
        long size = Math.max(tail.bytes().size(), position + read);
        long zerosEnd = zerosUntil(fd, position, position + read, size);
        if (zerosEnd >= size && !release) {
            tail.bytes().holdBack(size - position);
            return guardMatches(tail, commit, read) ? Outcome.EMPTY : mismatch(Outcome.REWRITTEN);
        }
        if (!guardMatches(tail, commit, read)) {
            return mismatch(position == 0 ? Outcome.DEFERRED : Outcome.REWRITTEN);
        }
        tail.bytes().holdBack(0);
        long length = zerosEnd - position;
        commit.records()
                .write(new LogRecord.ZeroRun(
                        tail.versionId, position, length, tail.bytes().mtimeNs()));
        guardBytes.clear();
        guard.fill((byte) 0);
        tail.advance(length, Crc32cMath.ofZeros(length));
        tail.bytes().guard(crcOf(guardBytes, 0, tail.bytes().guardLength()));
        return position + length >= size ? Outcome.READ : Outcome.MORE;
    }

    /**
     * Says how far zeros reach: to the next data, to the end of the file, or as far as was looked. Pages of a
     * preallocated file that somebody has read count as data to the kernel, so data is looked at, and holes are leapt.
     *
     * @param start where zeros begin
     * @param known up to where they are known to be zeros
     * @param size of the file, which the result does not exceed
     */
    private long zerosUntil(Fd fd, long start, long known, long size) {
        long at = Math.max(known, Math.min(size, fd.seekData(start)));
        for (long looked = 0; looked < LOOK_AHEAD_BYTES && at < size; ) {
            long data = fd.seekData(at);
            if (data == -Errno.ENXIO || data >= size) {
                return size;
            }
            at = Math.max(at, data);
            long read = fd.preadAll(again, 0, Math.min(PIECE_BYTES, size - at), at);
            if (read <= 0) {
                return at;
            }
            if (MemoryScan.trailingZeros(again, 0, read) < read) {
                return at;
            }
            at += read;
            looked += read;
        }
        return at;
    }

    /** Says whether the piece before a position is all zeros. */
    boolean endsInZeros(Tail tail, long end) {
        long read = Objects.requireNonNull(tail.fd()).preadAll(again, 0, PIECE_BYTES, end - PIECE_BYTES);
        return read > 0 && MemoryScan.trailingZeros(again, 0, read) == read;
    }

    /** Returns the position behind the last newline in the piece before a position; 0 when there is none. */
    long lastLineEnd(Tail tail, long end) {
        long start = Math.max(0, end - PIECE_BYTES);
        long read = Objects.requireNonNull(tail.fd()).preadAll(again, 0, end - start, start);
        long newline = read <= 0 ? -1 : MemoryScan.lastIndexOf(again, (byte) '\n', 0, read);
        return newline < 0 ? 0 : start + newline + 1;
    }

    /** Reads bytes that contain NUL once more: a read that races a truncate returns zeros nobody wrote. */
    private boolean readsSameAgain(Fd fd, CommitBuilder commit, long length, long position) {
        if (MemoryScan.indexOfZero(commit.data(), commit.dataLength(), length) < 0) {
            return true;
        }
        long read = fd.preadAll(again, 0, length, position);
        return read == length && MemoryCompare.equal(commit.data(), commit.dataLength(), again, 0, length);
    }

    /** Returns how much of the bytes ends at a newline; all of it when the half line has waited for one turn. */
    private static long wholeLines(Tail tail, CommitBuilder commit, long length) {
        long start = commit.dataLength();
        if (length == 0 || commit.data().get(ValueLayout.JAVA_BYTE, start + length - 1) == '\n') {
            return length;
        }
        long whole = MemoryScan.lastIndexOf(commit.data(), (byte) '\n', start, length) + 1;
        boolean waited = tail.bytes().hasWaited(tail.bytes().position() + whole);
        return whole == 0 && waited ? length : whole;
    }

    /** Says whether a file shows that nothing happened to it since it was looked at, before it was read. */
    private boolean isUnchanged(Tail tail) {
        looked = stat.of(Objects.requireNonNull(tail.fd()).value()) == 0
                && !tail.hasMoved(stat.size(), stat.mtimeNs(), stat.ctimeNs());
        return looked;
    }

    /** Says whether the last reading looked at the file behind it, and found it as it was. */
    boolean hasLooked() {
        return looked;
    }

    /** Reads the bytes before the position again and compares them with the shipped ones. */
    private boolean guardMatches(Tail tail, CommitBuilder commit, long length) {
        Fd fd = Objects.requireNonNull(tail.fd());
        if (tail.bytes().position() == 0) {
            long head = Math.min(length, Verification.GUARD_BYTES);
            long read = compared(fd.preadAll(guard, 0, head, 0));
            return read == head && MemoryCompare.equal(commit.data(), commit.dataLength(), guard, 0, head);
        }
        return guardMatches(tail);
    }

    /** A file that cannot be read just now is not one that was rewritten. */
    private Outcome mismatch(Outcome otherwise) {
        return errno == 0 ? otherwise : Outcome.ERROR;
    }

    private long compared(long read) {
        errno = read < 0 ? (int) -read : 0;
        return read;
    }

    /** Says whether the last bytes before the position are still the shipped ones; if not, see {@link #errno()}. */
    boolean guardMatches(Tail tail) {
        int length = tail.bytes().guardLength();
        long read = compared(Objects.requireNonNull(tail.fd())
                .preadAll(guard, 0, length, tail.bytes().position() - length));
        return read == length && crcOf(guardBytes, 0, length) == tail.bytes().guardCrc();
    }

    /** Sets the guard of a tail from the file itself; false when its bytes cannot be read, see {@link #errno()}. */
    boolean resetGuard(Tail tail) {
        int length = tail.bytes().guardLength();
        long read = compared(Objects.requireNonNull(tail.fd())
                .preadAll(guard, 0, length, tail.bytes().position() - length));
        if (read != length) {
            return false;
        }
        tail.bytes().guard(crcOf(guardBytes, 0, length));
        return true;
    }

    private void append(Tail tail, CommitBuilder commit, int length) {
        long start = commit.dataLength();
        int runCrc = crcOf(commit.dataBytes(), (int) start, length);
        int guardLength = tail.bytes().guardLength();
        if (length >= Verification.GUARD_BYTES) {
            tail.bytes()
                    .guard(crcOf(
                            commit.dataBytes(),
                            (int) start + length - Verification.GUARD_BYTES,
                            Verification.GUARD_BYTES));
        } else {
            // the guard buffer holds the bytes before the position when there are any: see guardMatches
            MemorySegment.copy(commit.data(), start, guard, guardLength, length);
            int skip = Math.max(0, guardLength + length - Verification.GUARD_BYTES);
            tail.bytes().guard(crcOf(guardBytes, skip, guardLength + length - skip));
        }
        commit.appendRun(
                tail.versionId,
                tail.bytes().position(),
                length,
                runCrc,
                tail.bytes().mtimeNs());
        tail.advance(length, runCrc);
    }

    /** Returns the CRC32C of a range of a direct buffer; moves the buffer's position and limit. */
    int crcOf(ByteBuffer bytes, int offset, int length) {
        crc.reset();
        bytes.limit(offset + length).position(offset);
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private Outcome failed(int code) {
        errno = code;
        return Outcome.ERROR;
    }

    @Override
    public void close() {
        arena.close();
    }
}
