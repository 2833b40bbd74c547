package io.chagres.ship.commit;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.archive.log.CommitLog;
import io.chagres.archive.log.DamagedLogException;
import io.chagres.archive.log.FencedException;
import io.chagres.archive.log.UnreadableCommitException;
import io.chagres.archive.state.CommitCheck;
import io.chagres.archive.store.StoreException;
import io.chagres.ship.bytes.Verification;
import io.chagres.ship.metrics.Histogram;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects the content of the next commit and puts one commit after the other into the log: one is filled while one is
 * under way. A commit that was refused is tried again unchanged until the store takes it, so nothing read is read
 * again. Confined to the shipper's thread; only the put runs on the executor.
 */
public final class CommitPipeline implements AutoCloseable {
    /**
     * How long an object waits at most for the commit that refers to it: after a day compaction takes one that nothing
     * refers to for garbage, and this leaves a margin for two waits and for clocks.
     */
    public static final long OBJECTS_WAIT_MS = Duration.ofHours(10).toMillis();

    /** A commit of small files is cut here: what is known of files in motion, and makes its table, takes a KiB each. */
    private static final int MOST_FILES = 16_384;

    /** A commit that takes longer may be one that the store refuses in the end. */
    private static final long SHORT_MS = 10_000;

    /** An object that looks damaged may have been so on its way only. */
    private static final int MOST_DAMAGED_READS = 3;

    /** How many files a commit has new bytes of before it is cut. */
    public int mostFiles = MOST_FILES;

    private final CommitLog log;
    private final CommitCheck check;
    private final Executor executor;
    private final Runnable wakeup;
    private final StoreHealth health;
    private long maxLagMs;

    private CommitBuilder filling;
    /** How long the commit that is being filled may wait; {@link Long#MAX_VALUE} while it holds bytes of no file. */
    private long fillingLagMs = Long.MAX_VALUE;

    private CommitBuilder spare;
    private final ArrayList<Verification> touched = new ArrayList<>();
    private final ArrayDeque<CommitHeader> acknowledged = new ArrayDeque<>();

    private @Nullable CommitBuilder inFlight;
    private final ArrayList<Verification> inFlightVersions = new ArrayList<>();
    private long[] inFlightPositions = new long[64];
    private boolean checked;
    private boolean submitted;
    private long retryAtMs;
    private int damagedReads;
    private @Nullable CommitHeader appended;
    private volatile boolean answered;
    private volatile @Nullable Throwable failure;

    /** When the first object was taken that the commit refers to; 0 when it refers to none. */
    private long fillingRefersMs;

    private long inFlightRefersMs;
    private long lastCutMs = Long.MIN_VALUE / 2;
    private boolean blocked;
    private int cuts;
    private long commits;
    private int lastDataBytes;
    private long lastMs;
    private final Histogram lags = new Histogram();
    private final Histogram durations = new Histogram();
    private long acknowledgedBytes;
    private long acknowledgedSeq;
    private long acknowledgedSinceMs;
    private @Nullable CommitEvent event;
    private @Nullable StallEvent stall;

    /** Begins with an empty commit; closes both builders that it takes. */
    public CommitPipeline(
            CommitLog log,
            CommitCheck check,
            Executor executor,
            Runnable wakeup,
            StoreHealth health,
            long maxLagMs,
            Supplier<CommitBuilder> builders) {
        this.log = log;
        this.check = check;
        this.executor = executor;
        this.wakeup = wakeup;
        this.health = health;
        this.maxLagMs = maxLagMs;
        filling = builders.get();
        spare = builders.get();
        acknowledgedSeq = log.seq();
    }

    /** Returns the commit that is being filled. */
    public CommitBuilder filling() {
        return filling;
    }

    /** Writes a record into the commit that is being filled. */
    public void write(LogRecord record) {
        filling.records().write(record);
    }

    /**
     * Notes that a version advanced within the commit that is being filled.
     *
     * @param lagMs how long its bytes may wait for the commit, in milliseconds
     */
    public void touch(Verification version, long lagMs) {
        fillingLagMs = Math.min(fillingLagMs, lagMs);
        if (version.entersCommit(cuts)) {
            touched.add(version);
        }
    }

    /** Notes that the commit being filled refers to something that may go: an object, an ended version. */
    public void refers(long nowMs) {
        if (fillingRefersMs == 0) {
            fillingRefersMs = nowMs;
        }
    }

    private boolean isFull() {
        return filling.isFull() || touched.size() >= mostFiles;
    }

    /** Says whether turns must wait: the commit that is filled has no room, and it cannot be cut yet. */
    public boolean isBlocked() {
        return mustWait() && (blocked || isFull());
    }

    /**
     * Says whether the commit that is filled must wait, for another or for a store that is full: what comes later takes
     * no room from what it refused, and that room may be what compaction needs.
     */
    private boolean mustWait() {
        return inFlight != null || health.isFull();
    }

    /** Says whether turns must wait for a store that, as far as is known, is about to take the commit. */
    public boolean isBlockedShortly(long nowMs) {
        return isBlocked() && nowMs - lastCutMs < SHORT_MS && health.trouble(nowMs) == null;
    }

    /** Notes that a turn found no room. */
    public void block() {
        blocked = true;
    }

    /** Says whether the store has a commit to acknowledge. */
    public boolean isUnderWay() {
        return inFlight != null;
    }

    /** Returns how many bytes of files the last commit that was acknowledged held itself, objects not counted. */
    public int lastDataBytes() {
        return lastDataBytes;
    }

    /** Returns how long that one took from its cut to the acknowledgement, in milliseconds. */
    public long lastMs() {
        return lastMs;
    }

    /** Says whether everything that was collected is acknowledged. */
    public boolean isIdle() {
        return inFlight == null && filling.isEmpty();
    }

    /** Returns the milliseconds until {@link #step} has something to do; {@link Long#MAX_VALUE} when nothing waits. */
    public long dueInMs(long nowMs) {
        if (inFlight != null) {
            return submitted ? Long.MAX_VALUE : Math.max(0, retryAtMs - nowMs);
        }
        return filling.isEmpty() || health.isFull() ? Long.MAX_VALUE : Math.max(0, lastCutMs + lagMs() - nowMs);
    }

    /** Sets how long what belongs to no file may wait for a commit, in milliseconds. */
    public void lag(long lagMs) {
        maxLagMs = lagMs;
    }

    private long lagMs() {
        return fillingLagMs == Long.MAX_VALUE ? maxLagMs : fillingLagMs;
    }

    /** Says whether records that can wait must: the commit that is filled would become one that no reader takes. */
    public boolean isCrowded() {
        return mustWait() && filling.isCrowded();
    }

    /**
     * Takes answers, tries refused commits again and cuts the next commit when it is due.
     *
     * @param now whether to cut without waiting for the lag or for a store that is full (a drain)
     * @return whether anything moved
     * @throws FencedException when another writer has taken over this host's log
     * @throws UnreadableCommitException when a reader would refuse what was collected
     * @throws DamagedLogException when there is a commit with the next number, and nobody can read it
     * @throws StoreException when a commit has waited so long that an object it refers to may be gone
     */
    public boolean step(long nowMs, boolean now) throws IOException {
        boolean moved = false;
        if (answered) {
            answered = false;
            submitted = false;
            takeAnswer(nowMs);
            moved = true;
        }
        if (inFlight != null && !submitted && nowMs >= retryAtMs) {
            submit(inFlight, nowMs);
            moved = true;
        }
        health.step(nowMs);
        boolean due = now || nowMs >= lastCutMs + lagMs() || blocked || isFull();
        if (inFlight == null && due && !filling.isEmpty() && (now || !health.isFull())) {
            cut(nowMs);
            moved = true;
        }
        recordStall(nowMs);
        return moved;
    }

    private void recordStall(long nowMs) {
        boolean stalls = isBlocked() || isCrowded();
        if (stalls && stall == null && Recording.isOn()) {
            stall = new StallEvent(filling.dataLength(), health.trouble(nowMs) != null);
        } else if (!stalls && stall != null) {
            stall.commit();
            stall = null;
        }
    }

    private void cut(long nowMs) throws StoreException {
        CommitBuilder full = filling;
        filling = spare;
        inFlight = full;
        checked = false;
        spare = full;
        blocked = false;
        inFlightRefersMs = fillingRefersMs;
        fillingRefersMs = 0;
        fillingLagMs = Long.MAX_VALUE;
        if (inFlightPositions.length < touched.size()) {
            inFlightPositions = new long[touched.size() * 2];
        }
        for (int i = 0; i < touched.size(); i++) {
            Verification version = touched.get(i);
            inFlightPositions[i] = version.position();
            version.cut();
            inFlightVersions.add(version);
        }
        touched.clear();
        cuts++;
        lastCutMs = nowMs;
        retryAtMs = nowMs;
        event = Recording.isOn() ? new CommitEvent() : null;
        submit(full, nowMs);
    }

    private void submit(CommitBuilder commit, long nowMs) throws StoreException {
        if (inFlightRefersMs != 0 && nowMs - inFlightRefersMs > OBJECTS_WAIT_MS) {
            throw new StoreException("the store has not taken a commit for "
                    + Duration.ofMillis(nowMs - inFlightRefersMs).toHours()
                    + " hours, and objects that it refers to may have been removed as garbage. Files that still have"
                    + " a name are not lost: start chagres ship again, it uploads them once more");
        }
        submitted = true;
        health.asked(this, commit.dataLength(), nowMs);
        executor.execute(() -> {
            Throwable failed = null;
            try {
                if (!checked) {
                    check.apply(commit);
                    checked = true;
                }
                log.append(commit);
                appended = log.appended(commit);
            } catch (IOException | RuntimeException | Error e) { // the loop waits for it, and throws it again
                failed = e;
            }
            failure = failed;
            answered = true;
            wakeup.run();
        });
    }

    private void takeAnswer(long nowMs) throws IOException {
        Throwable failed = failure;
        if (failed instanceof FencedException fenced) {
            throw fenced;
        }
        if (failed instanceof RuntimeException defect) {
            throw defect;
        }
        if (failed instanceof Error error) {
            throw error;
        }
        if (failed instanceof CorruptArchiveException refused && !checked) {
            throw new UnreadableCommitException(refused.fault());
        }
        if (failed instanceof CorruptArchiveException damaged && ++damagedReads == MOST_DAMAGED_READS) {
            throw new DamagedLogException(damaged);
        }
        if (failed != null) {
            retryAtMs = nowMs + health.refused(this, (IOException) failed, nowMs);
            if (event != null) {
                event.refused();
            }
            return;
        }
        damagedReads = 0;
        health.accepted(this, nowMs);
        lastMs = nowMs - lastCutMs;
        durations.record(lastMs);
        CommitBuilder done = inFlight;
        lastDataBytes = done == null ? 0 : done.dataLength();
        inFlight = null;
        commits++;
        CommitHeader header = Objects.requireNonNull(appended);
        acknowledged.add(header);
        acknowledgedSeq = header.seq();
        acknowledgedSinceMs = 0;
        long acknowledgedBefore = acknowledgedBytes;
        for (int i = 0; i < inFlightVersions.size(); i++) {
            Verification version = inFlightVersions.get(i);
            long before = version.acknowledged();
            long noticedMs = version.riskSinceMs();
            version.acknowledge(inFlightPositions[i], nowMs);
            acknowledgedBytes += version.acknowledged() - before;
            if (noticedMs != 0 && version.acknowledged() > before) {
                lags.record(nowMs - noticedMs);
                acknowledgedSinceMs = acknowledgedSinceMs == 0 ? noticedMs : Math.min(acknowledgedSinceMs, noticedMs);
            }
        }
        if (event != null) {
            event.acknowledged(header.seq(), acknowledgedBytes - acknowledgedBefore, inFlightVersions.size());
            event = null;
        }
        inFlightVersions.clear();
        if (done != null) {
            done.reset();
        }
    }

    /** Takes the eldest commit that was acknowledged and not taken yet; null when there is none. */
    public @Nullable CommitHeader takeAcknowledged() {
        return acknowledged.poll();
    }

    /** Gives memory back that only a burst needed. */
    public void trim() {
        if (filling.isEmpty()) {
            filling.trim();
        }
        if (inFlight == null) {
            spare.trim();
        }
    }

    /** Returns how many commits there are once everything that is collected now is acknowledged. */
    public long commitsWithAllSoFar() {
        return commits + (inFlight == null ? 0 : 1) + (filling.isEmpty() ? 0 : 1);
    }

    /** Returns how many commits the store has acknowledged. */
    public long commits() {
        return commits;
    }

    /** Returns how many bytes of files they held. */
    public long acknowledgedBytes() {
        return acknowledgedBytes;
    }

    /** Returns the number of the last commit that was acknowledged; at first that of the commit the log ends with. */
    public long acknowledgedSeq() {
        return acknowledgedSeq;
    }

    /** Returns when the oldest new byte of that commit was noticed; 0 when it held none. */
    public long acknowledgedSinceMs() {
        return acknowledgedSinceMs;
    }

    /** Returns how long the oldest new byte of a file was noticed when the commit that holds it was acknowledged. */
    public Histogram lags() {
        return lags;
    }

    /** Returns how long commits took from their cut to the acknowledgement. */
    public Histogram durations() {
        return durations;
    }

    @Override
    public void close() {
        filling.close();
        if (spare != filling) {
            spare.close();
        }
    }
}
