package io.chagres.ship.follow;

import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.Statx;
import io.chagres.ship.bytes.PrefixCheck;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.bytes.Verification;
import io.chagres.ship.commit.Recording;
import io.chagres.ship.file.FileQueue;
import io.chagres.ship.file.Tail;
import io.chagres.ship.file.TailFact;
import io.chagres.ship.file.Unlinked;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Compares shipped bytes with their files again where they may have changed: at once when somebody waits for it (a
 * drain, or new bytes that must not be read before), soon where there is evidence, and else when a file has been quiet
 * for a while. The reading runs beside the loop, some mebibytes or many small files at a time, and a quiet file is
 * read at no more than 4 MiB/s on the average. Confined to the shipper's thread.
 */
public final class Verifier implements AutoCloseable {
    private static final int PIECES_PER_TASK = 64;
    private static final int TASKS = 2;
    private static final long SWEEP_MS = 250;
    private static final int FILES_PER_SWEEP = 64;
    private static final long BYTES_PER_SWEEP = 16L << 20;
    private static final long QUIET_MS = 5_000;
    private static final long SUSPECT_QUIET_MS = 1_000;
    private static final long SUSPECT_MS = 30_000;
    private static final long QUIET_BYTES_PER_MS = 4 << 10;
    private static final long SUSPECT_BYTES_PER_MS = 64 << 10;

    /** How a comparison ended. */
    private record Compared(int pieces, int errno) {}

    /** Some pieces of a file, and a descriptor of their own. */
    private record Comparison(
            Tail tail,
            int from,
            PrefixChecksums.Pieces pieces,
            Fd own,
            @Nullable VerificationEvent event) {
        int size() {
            return pieces.ends().length;
        }
    }

    private final Offload offload;
    private final FollowedFiles files;
    private final Consumer<String> problems;
    private final Clock fileClock;
    private final Writers writers = new Writers();
    private final FileQueue unproven = new FileQueue(FileQueue.For.PROOF);
    private final FileQueue due = new FileQueue(FileQueue.For.COMPARISON);
    private final FileQueue running = new FileQueue(FileQueue.For.ANSWER);
    private int tasks;

    /** Opens the file of a tail that gave its descriptor back; says whether it did. */
    public Predicate<Tail> opens = tail -> false;

    private long nextSweepMs;
    private long comparedBytes;

    /** Everything must have been compared since then, or not have changed; never, while nobody drains. */
    private long demandedMs = Long.MIN_VALUE;

    /** Begins with nothing in doubt; the clock is that of the times of files. */
    public Verifier(Offload offload, FollowedFiles files, Consumer<String> problems, Clock fileClock) {
        this.fileClock = fileClock;
        this.offload = offload;
        this.files = files;
        this.problems = problems;
    }

    /** Demands a proof for all bytes: that files held them at some moment since a time. */
    public void demand(long sinceMs) {
        demandedMs = sinceMs;
    }

    /** Ends the demand. */
    public void demandNothing() {
        demandedMs = Long.MIN_VALUE;
    }

    /** Says whether something is being compared. */
    public boolean isComparing() {
        return running.size() > 0;
    }

    /** Says whether somebody waits for everything to be compared. */
    public boolean isDemanded() {
        return demandedMs != Long.MIN_VALUE;
    }

    /** Says whether the shipped bytes of a file meet the demand. */
    public boolean isSatisfied(Tail tail) {
        if (!isDemanded() || (tail.isResting() && writers.timesStores(tail))) {
            return true;
        }
        if (!tail.isResting() && tail.bytes().isProven(demandedMs)) {
            return true;
        }
        boolean told = tail.isToldByTimes() && (writers.timesStores(tail) || writers.tell(tail));
        if (told) {
            tail.bytes().proven(demandedMs);
        }
        return told;
    }

    /** Says whether a file is looked at behind a reading, and any change since the last look shows in its times. */
    boolean isTimed(Tail tail) {
        return isDemanded() && writers.timesStores(tail) && tail.bytes().showsChanges();
    }

    /** Takes how a tail's file looks now: bytes that may have changed are counted until they are compared. */
    public void observe(Tail tail, Statx stat, long nowMs) {
        if (tail.isResting() && !tail.hasMoved(stat.size(), stat.mtimeNs(), stat.ctimeNs())) {
            return;
        }
        boolean first = tail.bytes().isUnseen();
        tail.bytes().observe(stat.size(), stat.mtimeNs(), stat.ctimeNs(), nowMs, fileClock.millis());
        if (first) {
            tail.bytes().tell(writers.tell(tail));
        }
        watch(tail);
    }

    /**
     * Asks who may write into a file that was looked at: bytes that nobody can prove are no longer proven, and bytes
     * that can be proven again are compared when their time comes.
     *
     * @return whether somebody surely has it open for writing
     */
    boolean reconsider(Tail tail, long nowMs) {
        int asked = writers.ask(tail);
        if (tail.isToldByTimes()) {
            if (!writers.timesStores(tail) && !writers.tell(tail, asked)) {
                tail.bytes().tell(false);
            }
            return asked == -Errno.EAGAIN;
        }
        Verification bytes = tail.bytes();
        if (bytes.unprovenBytes() == 0
                && nowMs - bytes.quietSinceMs() >= QUIET_MS
                && isRested(bytes, QUIET_BYTES_PER_MS, nowMs)
                && (writers.tell(tail, asked) || mayBeToldNow(tail, asked, nowMs))) {
            bytes.doubt();
            watch(tail);
        }
        return asked == -Errno.EAGAIN;
    }

    /** Says whether a comparison may prove more than the last one, which is old; it opens a closed file. */
    private boolean mayBeToldNow(Tail tail, int asked, long nowMs) {
        boolean closed = tail.fd() == null && writers.timesStores(tail);
        return (asked == 0 || closed) && nowMs - tail.bytes().comparedMs() >= Patrol.EVERY_MS;
    }

    private void watch(Tail tail) {
        if (tail.bytes().unprovenBytes() > 0 || tail.bytes().isSuspect()) {
            unproven.add(tail);
        }
    }

    /** Compares a tail that was read at once if that is demanded; else that happens when its time comes. */
    public void look(Tail tail, long nowMs) {
        Verification bytes = tail.bytes();
        Unlinked ends = tail.unlinked();
        boolean last = ends != null && ends.isLastLook() && !bytes.isSettled(ends.overSinceMs());
        boolean owed = last || !isSatisfied(tail);
        if (owed) {
            bytes.doubt();
        }
        watch(tail);
        boolean closed = tail.has(TailFact.CLOSED_BY_WRITER)
                && bytes.isSuspect()
                && isRested(bytes, SUSPECT_BYTES_PER_MS, nowMs);
        if (closed || owed) {
            compare(tail);
        }
    }

    /** Compares a tail as soon as there is room for it. */
    void compare(Tail tail) {
        if (!running.contains(tail)) {
            due.add(tail);
        }
    }

    /** Says whether a tail waits for a comparison that was begun or asked for. */
    public boolean compares(Tail tail) {
        return due.contains(tail) || running.contains(tail);
    }

    /**
     * Returns the number of shipped bytes of a file that may have changed since they were read, without evidence that
     * they did; none for a file that meets the demand.
     */
    public long unverifiedBytes(Tail tail) {
        boolean counts = tail.isLive() && !tail.isResting() && !tail.bytes().isSuspect();
        return !counts || (isDemanded() && tail.bytes().isProven(demandedMs))
                ? 0
                : tail.bytes().untoldBytes();
    }

    /** Returns the milliseconds until {@link #step} has something to do; {@link Long#MAX_VALUE} when nothing waits. */
    public long dueInMs(long nowMs) {
        return !due.isEmpty() && tasks < TASKS
                ? 0
                : unproven.isEmpty() ? Long.MAX_VALUE : Math.max(0, nextSweepMs - nowMs);
    }

    /** Starts the comparisons that are due; returns whether any was. */
    public boolean step(long nowMs) {
        if (nowMs >= nextSweepMs) {
            nextSweepMs = nowMs + SWEEP_MS;
            sweep(nowMs);
        }
        boolean any = false;
        while (tasks < TASKS && startTask(nowMs)) {
            any = true;
        }
        return any;
    }

    /** Starts a task: some mebibytes of one file, or many small files. */
    private boolean startTask(long nowMs) {
        List<Comparison> batch = new ArrayList<>();
        int pieces = 0;
        while (pieces < PIECES_PER_TASK && batch.size() < PIECES_PER_TASK) {
            Tail tail = due.poll();
            Fd fd = tail == null ? null : tail.fd();
            if (tail == null) {
                break;
            }
            if (fd == null && tail.isLive() && opens.test(tail)) {
                fd = tail.fd();
            }
            if (tail.isLive() && fd == null) {
                files.enqueue(tail); // its turn says why it cannot be opened
            } else if (tail.isLive() && fd != null) {
                int own = fd.tryDuplicate();
                if (own < 0) {
                    compare(tail);
                    break;
                }
                Comparison next = begin(tail, Fd.ofValue(own), PIECES_PER_TASK - pieces, nowMs);
                batch.add(next);
                pieces += next.size();
            }
        }
        if (batch.isEmpty()) {
            return false;
        }
        tasks++;
        offload.start(() -> compare(batch), answers -> take(batch, answers), e -> {
            throw new IllegalStateException(e);
        });
        return true;
    }

    private void sweep(long nowMs) {
        long bytesDue = 0;
        for (int left = unproven.size(); left > 0; left--) {
            Tail tail = Objects.requireNonNull(unproven.poll());
            Verification bytes = tail.bytes();
            if (!tail.isLive() || (bytes.unprovenBytes() == 0 && !bytes.isSuspect())) {
                tail.rest(nowMs); // its last turn could not let it: it was in here
                continue;
            }
            unproven.add(tail);
            if (due.size() < FILES_PER_SWEEP
                    && bytesDue < BYTES_PER_SWEEP
                    && !bytes.isComparing()
                    && !tail.isRefused()
                    && isDue(bytes, nowMs)) {
                compare(tail);
                bytesDue += bytes.position();
            }
        }
    }

    private static boolean isDue(Verification bytes, long nowMs) {
        long quietMs = nowMs - bytes.quietSinceMs();
        if (bytes.isSuspect()) {
            return (quietMs >= SUSPECT_QUIET_MS || nowMs - bytes.comparedMs() >= SUSPECT_MS)
                    && isRested(bytes, SUSPECT_BYTES_PER_MS, nowMs);
        }
        return quietMs >= QUIET_MS && isRested(bytes, QUIET_BYTES_PER_MS, nowMs);
    }

    private static boolean isRested(Verification bytes, long bytesPerMs, long nowMs) {
        return nowMs - bytes.comparedMs() >= bytes.position() / bytesPerMs;
    }

    /** Begins to compare some more pieces of a file, or continues. */
    private Comparison begin(Tail tail, Fd own, int mostPieces, long nowMs) {
        int from = tail.bytes().compare(nowMs, fileClock.millis(), () -> writers.tell(tail));
        PrefixChecksums prefix = tail.bytes().prefix();
        PrefixChecksums.Pieces pieces = prefix.slice(from, Math.min(prefix.pieces(), from + mostPieces));
        running.add(tail);
        return new Comparison(tail, from, pieces, own, Recording.isOn() ? new VerificationEvent() : null);
    }

    /** Returns about how many bytes were read again: pieces count whole. */
    public long comparedBytes() {
        return comparedBytes;
    }

    private static List<Compared> compare(List<Comparison> batch) {
        List<Compared> answers = new ArrayList<>();
        try (PrefixCheck check = new PrefixCheck()) {
            for (Comparison each : batch) {
                try (Fd own = each.own) {
                    answers.add(new Compared(check.firstMismatch(own, each.pieces), check.errno()));
                }
            }
        }
        return answers;
    }

    private void take(List<Comparison> batch, List<Compared> answers) {
        tasks--;
        for (int i = 0; i < batch.size(); i++) {
            record(batch.get(i), answers.get(i));
            take(batch.get(i), answers.get(i));
        }
    }

    private static void record(Comparison of, Compared answer) {
        if (of.event != null) {
            String outcome = answer.errno() != 0
                    ? Errno.message(answer.errno())
                    : answer.pieces() < of.size() ? "different" : "equal";
            of.event.ended(of.tail.describe(), (long) answer.pieces() * PrefixChecksums.PIECE_BYTES, outcome);
        }
    }

    private void take(Comparison of, Compared answer) {
        Tail tail = of.tail;
        running.remove(tail);
        Verification bytes = tail.bytes();
        if (!bytes.isComparing()) {
            files.enqueue(tail); // it was forgotten, and is asked for again if it is still wanted
            return;
        }
        if (answer.errno() != 0) {
            bytes.abandonComparison();
            tail.refused(answer.errno(), problems);
            files.refuse(tail);
            return;
        }
        tail.notRefused();
        comparedBytes += (long) answer.pieces() * PrefixChecksums.PIECE_BYTES;
        if (answer.pieces() < of.size()) {
            bytes.differs();
            files.enqueue(tail);
        } else if (bytes.comparedTo(of.from + answer.pieces())) {
            files.enqueue(tail);
        } else {
            compare(tail);
        }
    }

    @Override
    public void close() {
        writers.close();
    }
}
