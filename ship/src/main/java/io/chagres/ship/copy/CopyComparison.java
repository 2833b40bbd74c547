package io.chagres.ship.copy;

import io.chagres.linux.Fd;
import io.chagres.ship.bytes.Crc32cMath;
import io.chagres.ship.bytes.PrefixCheck;
import io.chagres.ship.bytes.PrefixChecksums;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares the beginning of a file with archived bytes of others, for as long as it equals one of them. Runs
 * beside the loop: one round at a time, each on any thread; it shares nothing with the loop but its arguments.
 */
public final class CopyComparison implements AutoCloseable {
    /** A copy of fewer bytes is recorded only when it is a whole version. */
    public static final int HEAD_BYTES = 4096;

    private static final int PIECES_PER_ROUND = 32;

    /**
     * A version the file may be a copy of. Immutable.
     *
     * @param origins who stores its bytes
     * @param head checksums of its first whole piece; empty when there is none
     */
    public record Candidate(long versionId, Origins origins, PrefixChecksums.Pieces head) {}

    /** A range that is equal, and the version that stores it; 0 for a hole in both. Positions are the same in both. */
    public record Equal(long start, long end, long storedIn, int crc) {}

    /**
     * The result of a round. Immutable.
     *
     * @param equal ranges that follow each other
     * @param over whether nothing more can be compared
     * @param exhausted the version whose archived bytes the file has all; 0 when they differ or there is more
     */
    public record Round(List<Equal> equal, boolean over, long exhausted) {}

    private final OwnLog log;
    private List<Candidate> candidates;
    private @Nullable ArchivedBytes archived;
    private @Nullable Candidate source;

    private boolean running;

    /** Reads nothing before the first round. */
    public CopyComparison(OwnLog log, List<Candidate> candidates) {
        this.log = log;
        this.candidates = List.copyOf(candidates);
    }

    /**
     * Compares some more pieces.
     *
     * @param position up to which the file equals the version; 0 in the first round of a new file
     * @param end how far to go at most
     */
    public Round round(Fd fd, long position, long end) throws IOException {
        if (archived == null && !open(fd, end)) {
            return new Round(List.of(), true, 0);
        }
        ArchivedBytes from = Objects.requireNonNull(archived);
        if (source == null) {
            source = choose(fd, position, end, from);
        }
        Candidate of = source;
        if (of == null) {
            return new Round(List.of(), true, 0);
        }
        List<Equal> equal = new ArrayList<>();
        long at = position;
        long length = from.length(of.versionId());
        for (int i = 0; i < PIECES_PER_ROUND && at < Math.min(end, length); i++) {
            long hole = from.holeEnd(of.versionId(), fd, at, Math.min(end, length));
            if (hole - at > ArchivedBytes.PIECE_BYTES) {
                equal.add(new Equal(at, hole, 0, Crc32cMath.ofZeros(hole - at)));
                at = hole;
                continue;
            }
            long want = Math.min(ArchivedBytes.PIECE_BYTES, Math.min(end, length) - at);
            long same = from.equalBytes(of.versionId(), fd, at, want);
            long start = at;
            of.origins().split(start, start + same, of.versionId(), (rangeStart, rangeEnd, stored) -> {
                int crc = from.crcOfCompared((int) (rangeStart - start), (int) (rangeEnd - rangeStart));
                equal.add(new Equal(rangeStart, rangeEnd, stored, crc));
            });
            at += same;
            if (same < want) {
                return new Round(equal, true, 0);
            }
        }
        return new Round(equal, at >= length, at == length ? of.versionId() : 0);
    }

    /** Loads where the archive holds the candidates whose checksums do not already tell them from the file. */
    private boolean open(Fd fd, long end) throws IOException {
        List<Candidate> left = new ArrayList<>();
        try (PrefixCheck check = new PrefixCheck()) {
            for (Candidate candidate : candidates) {
                PrefixChecksums.Pieces head = candidate.head();
                if (head.ends().length == 0 || head.ends()[0] > end || check.firstMismatch(fd, head) == 1) {
                    left.add(candidate);
                }
            }
        }
        candidates = left;
        if (left.isEmpty()) {
            return false;
        }
        Set<Long> needed = new HashSet<>();
        left.forEach(each -> each.origins().addSources(each.versionId(), needed));
        archived = new ArchivedBytes(log, needed);
        return true;
    }

    /** Returns the first candidate whose first 4 KiB, or whole content, the file has. */
    private @Nullable Candidate choose(Fd fd, long position, long end, ArchivedBytes from) throws IOException {
        if (position > 0) {
            return candidates.getFirst();
        }
        for (Candidate candidate : candidates) {
            long want = Math.min(from.length(candidate.versionId()), HEAD_BYTES);
            if (want > 0 && want <= end && from.equalBytes(candidate.versionId(), fd, 0, want) == want) {
                return candidate;
            }
        }
        return null;
    }

    /** Says whether a round is under way. Confined to the loop. */
    public boolean isRunning() {
        return running;
    }

    /** Notes whether a round is under way. Confined to the loop. */
    public void running(boolean underWay) {
        running = underWay;
    }

    /** Ends it, since nobody wants its answers any longer; the answer of a round under way closes it. */
    public void end() {
        if (!running) {
            close();
        }
    }

    @Override
    public void close() {
        if (archived != null) {
            archived.close();
            archived = null;
        }
    }
}
