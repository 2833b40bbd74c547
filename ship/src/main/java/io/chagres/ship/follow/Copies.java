package io.chagres.ship.follow;

import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.linux.Fd;
import io.chagres.ship.bytes.PrefixCheck;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.bytes.Verification;
import io.chagres.ship.commit.CommitPipeline;
import io.chagres.ship.copy.CopyComparison;
import io.chagres.ship.copy.Origins;
import io.chagres.ship.copy.OwnLog;
import io.chagres.ship.file.FileTable;
import io.chagres.ship.file.Stage;
import io.chagres.ship.file.Tail;
import io.chagres.watch.Dentry;
import io.chagres.watch.WatchedDirectory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Recognises files that begin with bytes the archive has: copies (copytruncate, cp) and rewritten files. It finds
 * possible originals by the checksum of the first 4 KiB, by name, and as the version before; then the bytes are
 * compared beside the loop, and what is equal is recorded instead of being stored again. Confined to the shipper's
 * thread.
 */
public final class Copies implements AutoCloseable {
    private static final int MOST_BY_CONTENT = 4;
    /** Comparisons hold buffers until their file is closed, so of many the longest held ends. */
    private static final int MOST_HELD = 8;

    private static final long MOST_REPEATED_BYTES = FixedHeader.MAX_RUN_BYTES / 4;

    private static final PrefixChecksums.Pieces NO_PIECES = new PrefixChecksums(0).slice(0, 0);

    private final Supplier<OwnLog> log;
    private final CommitPipeline pipeline;
    private final FollowedFiles files;
    private final Offload offload;
    private final Consumer<String> problems;
    private final HeadIndex heads;
    private final ArrayDeque<Tail> held = new ArrayDeque<>();
    private final PrefixCheck check = new PrefixCheck();

    private final boolean seeks;

    /**
     * Begins without any head.
     *
     * @param seeks whether originals are looked for at all
     * @param table has the versions that a file may be a copy of
     */
    public Copies(
            boolean seeks,
            FileTable table,
            Supplier<OwnLog> log,
            CommitPipeline pipeline,
            FollowedFiles files,
            Offload offload,
            Consumer<String> problems) {
        this.seeks = seeks;
        heads = new HeadIndex(table);
        this.log = log;
        this.pipeline = pipeline;
        this.files = files;
        this.offload = offload;
        this.problems = problems;
    }

    /** Lets go of versions that no copy can be made of, while some number of files is followed. */
    public void trim(int files) {
        heads.trim(files);
    }

    /**
     * Starts to follow an original if there is one.
     *
     * @return false when an original has bytes the store has not acknowledged yet: ask again later
     */
    boolean begin(Tail tail, Stage.Found found) {
        if (!seeks) {
            tail.enter(Stage.FOLLOWING);
            return true;
        }
        if (tail.bytes().position() > 0) {
            tail.enter(Stage.FOLLOWING);
            goOn(tail);
            return true;
        }
        noteHead(tail, tail.bytes().size());
        boolean begun = seek(tail, found);
        tail.forgetHead(); // nothing of it is shipped: it may have other bytes before that
        return begun;
    }

    private boolean seek(Tail tail, Stage.Found found) {
        List<Tail> candidates = new ArrayList<>(0);
        long awaited = found.awaited();
        for (Tail original : originals(tail)) {
            if (mayBeOriginal(original, tail)) {
                Verification has = original.bytes();
                long needed = Math.min(has.position(), tail.bytes().size());
                if (original != tail.predecessor() && has.acknowledged() < needed) {
                    awaited = awaited < 0 ? needed : awaited;
                    if (has.acknowledged() < awaited) {
                        tail.enter(new Stage.Found(awaited));
                        return false;
                    }
                }
                candidates.add(original);
            }
        }
        tail.enter(Stage.FOLLOWING);
        if (!candidates.isEmpty()) {
            compareWith(candidates, tail);
        }
        return true;
    }

    private void compareWith(List<Tail> originals, Tail tail) {
        hold(tail, originals.stream().map(Copies::candidate).toList(), originals);
    }

    private void hold(Tail tail, List<CopyComparison.Candidate> candidates, List<Tail> originals) {
        for (int i = held.size(); i > 0 && held.size() >= MOST_HELD; i--) {
            Tail longest = held.removeFirst();
            if (longest.stage() instanceof Stage.Copying copying
                    && copying.comparison().isRunning()) {
                held.addLast(longest);
            } else {
                longest.endCopy();
            }
        }
        held.remove(tail); // it is held anew
        tail.enter(new Stage.Copying(new CopyComparison(log.get(), candidates), originals));
        held.addLast(tail);
    }

    /** Continues a copy that an earlier shipper had recorded up to where the archive ends. */
    private void goOn(Tail tail) {
        tail.truncated(truncatedBefore(tail));
        long source = tail.origins().sourceBefore(tail.bytes().position());
        Tail original = tail.truncated() == null && source != 0 ? endedBefore(source, tail) : null;
        if (original != null) {
            compareWith(List.of(original), tail);
        } else if (source != 0) {
            hold(tail, List.of(new CopyComparison.Candidate(source, Origins.NONE, NO_PIECES)), List.of());
        }
    }

    /** Returns the version that ended where what a file has of it ends, and whose end the file therefore has. */
    private @Nullable Tail truncatedBefore(Tail tail) {
        long end = tail.origins().end();
        Tail original = end == 0 || end == tail.bytes().position()
                ? null
                : endedBefore(tail.origins().sourceBefore(end), tail);
        return original == null || original.bytes().position() != end ? null : original;
    }

    /** Returns a version that ended and whose copy a file may be; null when the file was written later. */
    private @Nullable Tail endedBefore(long versionId, Tail copy) {
        for (Tail each : files.endedUnread()) {
            if (each.versionId == versionId && each != copy.predecessor() && isNoLater(copy, each)) {
                return each;
            }
        }
        return null;
    }

    private static boolean isNoLater(Tail copy, Tail original) {
        return copy.bytes().mtimeNs() <= original.bytes().mtimeNs();
    }

    private static CopyComparison.Candidate candidate(Tail original) {
        PrefixChecksums prefix = original.bytes().prefix();
        PrefixChecksums.Pieces head = prefix.slice(0, prefix.startPosition() == 0 && prefix.pieces() > 1 ? 1 : 0);
        return new CopyComparison.Candidate(
                original.versionId, original.origins().copy(), head);
    }

    /** Notes the checksum of the first bytes of a file, by which copies of it are found. */
    void noteHead(Tail tail, long length) {
        Fd fd = tail.fd();
        if (!tail.hasHead() && length >= CopyComparison.HEAD_BYTES && fd != null) {
            int crc = check.crcOf(fd, 0, CopyComparison.HEAD_BYTES);
            if (check.errno() == 0) {
                tail.head(crc);
                heads.add(tail);
            }
        }
    }

    private boolean mayBeOriginal(Tail original, Tail tail) {
        PrefixChecksums prefix = original.bytes().prefix();
        long whole = original.bytes().position();
        if (original == tail || whole == 0 || prefix.startPosition() > 0) {
            return false;
        }
        if (whole >= CopyComparison.HEAD_BYTES) {
            return tail.hasHead() && (!original.hasHead() || original.headCrc() == tail.headCrc());
        }
        Fd fd = Objects.requireNonNull(tail.fd());
        return tail.bytes().size() >= whole && check.matches(fd, 0, whole, prefix.pieceCrc(0));
    }

    private Set<Tail> originals(Tail tail) {
        Set<Tail> found = new LinkedHashSet<>();
        Tail before = tail.predecessor();
        if (before != null) {
            found.add(before);
        }
        Dentry name = tail.name();
        WatchedDirectory parent = name == null ? null : name.parent();
        if (name != null && parent != null) {
            byte[] own = name.name().bytes();
            found.addAll(Namesakes.originals(tail, parent, own, own.length));
        }
        if (tail.hasHead()) {
            found.addAll(heads.find(tail.headCrc(), MOST_BY_CONTENT + 1));
            for (Tail each : files.endedUnread()) {
                if (each.bytes().position() < tail.bytes().size() && isNoLater(tail, each)) {
                    found.add(each);
                }
            }
        }
        if (!found.isEmpty()) { // a file that was asked for its hash code costs memory at each collection of garbage
            found.remove(tail);
        }
        return found;
    }

    /** Compares some more of a file with its original, beside the loop: its answer brings the file back. */
    void compare(Tail tail, CopyComparison copy) {
        if (copy.isRunning() || tail.bytes().position() >= tail.bytes().size()) {
            return; // a copy that has no more yet may still grow
        }
        int own = Objects.requireNonNull(tail.fd()).tryDuplicate();
        if (own < 0) {
            end(tail, "no descriptor is left");
            return;
        }
        long position = tail.bytes().position();
        long size = tail.bytes().size();
        copy.running(true);
        offload.start(
                () -> {
                    try (Fd fd = Fd.ofValue(own)) {
                        return copy.round(fd, position, size);
                    }
                },
                round -> take(tail, copy, round),
                e -> {
                    copy.running(false);
                    if (isOf(tail, copy)) {
                        end(tail, String.valueOf(e.getMessage()));
                    } else {
                        copy.close();
                    }
                });
    }

    private static boolean isOf(Tail tail, CopyComparison copy) {
        return tail.stage() instanceof Stage.Copying copying && copying.comparison() == copy;
    }

    private void take(Tail tail, CopyComparison copy, CopyComparison.Round round) {
        copy.running(false);
        if (!isOf(tail, copy)) {
            copy.close(); // the version ended meanwhile
            return;
        }
        for (CopyComparison.Equal each : round.equal()) {
            long length = each.end() - each.start();
            long mtimeNs = tail.bytes().mtimeNs();
            if (each.storedIn() == 0) {
                pipeline.write(new LogRecord.ZeroRun(tail.versionId, each.start(), length, mtimeNs));
            } else {
                pipeline.write(new LogRecord.CopyRun(
                        tail.versionId, each.start(), length, each.storedIn(), each.start(), each.crc(), mtimeNs));
                tail.appendOrigin(each.start(), each.end(), each.storedIn());
            }
            tail.advance(length, each.crc());
        }
        tail.bytes().forgetGuard();
        noteHead(tail, tail.bytes().position());
        pipeline.touch(tail.bytes(), tail.rules().maxLagMs());
        if (round.over()) {
            endComparison(tail, round.exhausted());
        }
        files.enqueue(tail);
    }

    /** A file that has all that the archive had of an original may have what that one has now. */
    private static void endComparison(Tail tail, long exhausted) {
        for (Tail each : ((Stage.Copying) tail.stage()).originals()) {
            if (each.versionId == exhausted) {
                tail.enter(new Stage.Outgrowing(each));
                return;
            }
        }
        tail.endCopy();
    }

    /**
     * Continues a copy that has more than the archive had of its original. The original may have grown since, which is
     * compared as well, or it was truncated.
     *
     * @param size of the original now
     * @return null when all further bytes are the copy's own
     */
    @Nullable
    Next goOnBehind(Tail original, Tail tail, long size) {
        long position = tail.bytes().position();
        Verification has = original.bytes();
        if (has.acknowledged() > position) {
            compareWith(List.of(original), tail);
            return Next.AGAIN;
        }
        if (original == tail.predecessor()) {
            tail.endCopy();
            return null;
        }
        boolean isComing = original.isLive() && size != has.position() && original.canBeRead();
        if (isComing) {
            files.enqueue(original);
        }
        if (isComing || has.position() > position) {
            return Next.LATER;
        }
        if (original.stage() == Stage.Over.SUPERSEDED && isNoLater(tail, original)) {
            tail.bytes().prefix().split();
            tail.truncated(original);
        }
        tail.endCopy();
        return null;
    }

    /**
     * Takes the bytes of a truncated file that only its copy has for the end of that version: they can be read nowhere
     * else. A version that ended long ago stays as it is, since retention may have removed it; so does one that misses
     * more than a commit can say.
     */
    void endTruncated(Tail copy, long nowMs) {
        Tail original = copy.truncated() == null && copy.stage() instanceof Stage.Found
                ? truncatedBefore(copy)
                : copy.truncated();
        if (original == null) {
            return;
        }
        copy.truncated(null);
        PrefixChecksums has = copy.bytes().prefix();
        long start = original.bytes().position();
        boolean recent = nowMs - original.bytes().quietSinceMs() < CommitPipeline.OBJECTS_WAIT_MS;
        boolean fits = has.end() - start <= MOST_REPEATED_BYTES;
        if (original.stage() != Stage.Over.SUPERSEDED || !recent || start >= has.end() || !fits) {
            return;
        }
        PrefixChecksums.Pieces missing = has.slice(has.pieceAt(start), has.pieces());
        if (copy.origins().end() != start || missing.start() != start) {
            return; // another copy has given the end
        }
        pipeline.refers(nowMs);
        for (int i = 0; i < missing.ends().length; i++) {
            repeat(start, missing.ends()[i] - start, missing.crcs()[i], copy, original);
            start = missing.ends()[i];
        }
        pipeline.touch(original.bytes(), original.rules().maxLagMs());
    }

    private void repeat(long start, long length, int crc, Tail copy, Tail original) {
        long mtimeNs = copy.bytes().mtimeNs();
        if (length > PrefixChecksums.PIECE_BYTES) { // only zeros are that many in a piece
            pipeline.write(new LogRecord.ZeroRun(original.versionId, start, length, mtimeNs));
        } else {
            pipeline.write(
                    new LogRecord.CopyRun(original.versionId, start, length, copy.versionId, start, crc, mtimeNs));
            original.appendOrigin(start, start + length, copy.versionId);
        }
        original.advance(length, crc);
    }

    private void end(Tail tail, String cause) {
        problems.accept("cannot compare " + tail.describe() + " with an archived version (" + cause
                + "); it is stored whole, nothing is lost");
        tail.endCopy();
        files.enqueue(tail);
    }

    @Override
    public void close() {
        check.close();
    }
}
