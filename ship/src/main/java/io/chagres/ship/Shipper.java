package io.chagres.ship;

import io.chagres.archive.LogRecord;
import io.chagres.archive.log.DamagedLogException;
import io.chagres.archive.log.FencedException;
import io.chagres.archive.log.ObjectWriter;
import io.chagres.archive.log.UnreadableCommitException;
import io.chagres.archive.store.BlobStore;
import io.chagres.linux.Pathname;
import io.chagres.ship.file.Tail;
import io.chagres.ship.follow.Next;
import io.chagres.ship.follow.ObjectUploads;
import io.chagres.ship.metrics.Metrics;
import io.chagres.watch.WatchListener;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Follows files and ships every new byte once. Everything happens in steps: a caller runs {@link #doWork} until
 * {@link #finished}; workers only put objects into the store. Confined to one thread where nothing else is said.
 */
public final class Shipper implements AutoCloseable {
    private static final int TURNS_PER_STEP = 4096;
    private static final long RETRY_UNREADABLE_MS = 30_000;
    /** How often the log is looked at where no heartbeat says how often. */
    private static final long PRESENCE_MS = 60_000;

    private static final int CROWDED_MS = 10;
    private static final long NS_PER_MS = 1_000_000;

    /** The phases of a shipper's life, in order. */
    private enum Phase {
        FIRST_SCAN,
        RUNNING,
        LAST_SCAN,
        DRAINING,
        CLOSING,
        FINISHED
    }

    private final ObjectUploads.Taker taker = this::takeObject; // one for all steps
    final ShipParts parts; // a test looks at them
    private ShipOptions options;
    private final RiskMeter risk;
    private final PublishedStatus published;
    private final Flush flush;
    private final Drill drill;
    private @Nullable HeldFiles held;
    /** The listener of the watcher; a test puts itself in front. */
    WatchListener hears;

    private Phase phase = Phase.FIRST_SCAN;

    /** Names that are gone and not yet said to be. */
    private final Queue<Pathname> gone = new ArrayDeque<>();

    /** When a run that ships once began, in milliseconds of its own clock. */
    private long sinceMs;
    /** Whether the drain began with a scan of its own. */
    private boolean rescanned;

    private boolean drained;
    private volatile boolean drainRequested;
    private volatile @Nullable ShipOptions reload;
    private volatile @Nullable String notice;
    private boolean noticed;
    private long drainUntilMs = Long.MAX_VALUE;
    /** Since when a drain waits for nothing but files that cannot be read. */
    private long refusedSinceMs = Long.MAX_VALUE;

    private long nextUnreadableMs;
    private long nextRememberedMs;

    private Shipper(ShipParts parts, ShipOptions options) {
        this.parts = parts;
        this.options = options;
        risk = new RiskMeter(parts);
        published = new PublishedStatus(parts.clock, risk);
        flush = new Flush(parts);
        drill = new Drill(parts);
        hears = parts.dentries;
        if (options.once()) {
            parts.demand.release();
            sinceMs = steadyMs();
            parts.verifier.demand(sinceMs);
        }
    }

    /**
     * Opens a shipper: takes the lock of the state directory, finds or mints the host, loads where every file continues
     * and opens a new incarnation in the host's log, which fences any older one.
     *
     * @param options how to work
     * @param store where the bytes go; stays open, the caller closes it
     * @param workers runs puts; at least two threads, or uploads wait for commits
     * @param clock the wall clock, used for times in the archive and for lags
     * @param listener hears the things that a person should know
     * @throws LockedException when another shipper ships the same and lives, or may
     * @throws FencedException when other writers keep taking the log
     * @throws IOException when the store or the watch cannot be opened
     */
    public static Shipper open(
            ShipOptions options, BlobStore store, Executor workers, Clock clock, ShipListener listener)
            throws IOException {
        return open(options, store, workers, clock, listener, ShipHost.current(clock));
    }

    /** Opens a shipper as if on some machine. */
    static Shipper open(
            ShipOptions options, BlobStore store, Executor workers, Clock clock, ShipListener listener, ShipHost host)
            throws IOException {
        return new Shipper(ShipParts.open(options, store, workers, clock, listener, host), options);
    }

    /**
     * Does one step: waits for events, reads, commits.
     *
     * @param timeoutMs milliseconds to wait at most when there is nothing to do
     * @return work done; 0 when the step found nothing to do
     * @throws FencedException when another writer has taken over the host's log
     * @throws UnreadableCommitException when a reader would refuse the next commit: close this one and open another
     *     with {@link ShipOptions#plainly}
     * @throws DamagedLogException when the log is damaged where it continues: close this one and open another, which
     *     continues as another host of the same name
     * @throws IOException when the watch fails; failures of the store are tried again and shown in the status
     */
    public int doWork(int timeoutMs) throws IOException {
        if (phase == Phase.FINISHED) {
            return 0;
        }
        try {
            int work = step(timeoutMs);
            published.waits(0);
            return work;
        } catch (IOException | RuntimeException e) {
            risk.tellNameless(steadyMs());
            throw e;
        }
    }

    private int step(int timeoutMs) throws IOException {
        parts.table.settle();
        takeRequests();
        int work = look(timeoutMs);
        long now = steadyMs();
        parts.dentries.settle(now, !parts.watcher.scanning());
        work += parts.offload.step() ? 1 : 0;
        if (held != null) {
            held.step(now); // before what was refused is tried again: a file that is being read is passed over
        }
        work += parts.uploads.step(now, taker) ? 1 : 0;
        work += periodically(now);
        work += runTurns(now);
        boolean allHadTurns = !parts.files.hasReady(); // until all is acknowledged a flush and a drain ask for more
        parts.dentries.flushChanged();
        parts.demand.changedBy(work);
        work += advancePhase(now);
        if (phase == Phase.RUNNING) {
            work += flush.step(now, risk) ? 1 : 0;
        }
        boolean hurry = allHadTurns && (noticed || flush.isUnderWay() || phase.compareTo(Phase.LAST_SCAN) > 0);
        work += commit(now, hurry) ? 1 : 0;
        parts.undelivered.hurry(flush.isUnderWay() || phase.compareTo(Phase.LAST_SCAN) >= 0);
        published.changes(work > 0);
        publish(now);
        if (parts.watcher.takeWokenFor()) {
            drill.lookNow();
            parts.pulse.touched(now);
        }
        drill.step(now, published.last());
        parts.pulse.step(now, published.last(), parts.health.isFull());
        return work;
    }

    private boolean commit(long now, boolean hurry) throws IOException {
        try {
            long before = parts.pipeline.commits();
            boolean moved = parts.pipeline.step(now, hurry);
            parts.presence.step(now, presenceMs(), parts.pipeline.acknowledgedSeq(), parts.pipeline.isIdle());
            if (now >= nextRememberedMs) {
                parts.rememberAcknowledged();
                nextRememberedMs = now + presenceMs();
            }
            if (parts.pipeline.commits() > before) {
                risk.acknowledged(now);
                drill.committed(now);
                parts.undelivered.acknowledged(
                        parts.pipeline.acknowledgedSeq(),
                        parts.pipeline.acknowledgedBytes(),
                        parts.pipeline.acknowledgedSinceMs());
            }
            return moved;
        } catch (IOException e) {
            parts.endedBy(e, published.last());
            throw e;
        }
    }

    private long presenceMs() {
        return options.pace().heartbeatMs() == 0 ? PRESENCE_MS : options.pace().heartbeatMs();
    }

    /** While no more records fit a commit the kernel keeps the events, and says when it could not. */
    private int look(int timeoutMs) throws IOException {
        if (parts.pipeline.isCrowded()) {
            LockSupport.parkNanos(NS_PER_MS * Math.min(timeoutMs, CROWDED_MS));
            return 0;
        }
        parts.watcher.holdScans(parts.pipeline.isBlockedShortly(steadyMs()) && parts.files.areMany());
        return parts.watcher.poll(published.waits(waitMs(timeoutMs)), hears);
    }

    private long steadyMs() {
        return parts.clock.getAsLong();
    }

    private void takeRequests() throws IOException {
        ShipOptions next = reload;
        if (next != null && phase == Phase.RUNNING) {
            reload = null;
            options = next;
            parts.reload(next);
            published.changes(true);
        }
        String what = notice;
        if (what != null && !noticed) {
            noticed = true;
            parts.pulse.notice(what);
            flush.request();
        }
    }

    private boolean takeObject(Tail tail, ObjectWriter.@Nullable Written object) {
        boolean taken = object != null && parts.tailer.takeObject(tail, object);
        if (taken) {
            parts.pipeline.refers(steadyMs());
        }
        parts.files.enqueue(tail);
        return taken;
    }

    /** Returns for how long a step may wait for events, in milliseconds. */
    int waitMs(int timeoutMs) {
        long now = steadyMs();
        if (parts.files.hasReady() && !parts.pipeline.isBlocked()) {
            return 0;
        }
        long wait = Math.min(timeoutMs, parts.pipeline.dueInMs(now));
        wait = Math.min(wait, parts.uploads.dueInMs(now));
        if (parts.derived.isBusy()) {
            wait = Math.min(wait, Math.max(1, options.pace().coalesceMs()));
        }
        wait = Math.min(wait, parts.files.dueInMs(now, options.pace().coalesceMs()));
        wait = Math.min(wait, parts.verifier.dueInMs(now));
        wait = Math.min(wait, parts.patrol.dueInMs(now));
        wait = Math.min(wait, parts.pulse.dueInMs(now));
        wait = Math.min(wait, parts.dentries.linksDueInMs());
        if (parts.watcher.scanning() && !parts.watcher.holdsScans()) {
            return 0;
        }
        if (phase != Phase.RUNNING || options.once() || flush.isUnderWay() || !parts.dentries.isSettled()) {
            wait = Math.min(wait, 10);
        }
        return (int) Math.max(0, wait);
    }

    private int periodically(long now) {
        parts.files.step(now, phase == Phase.DRAINING);
        parts.descriptors.step(now);
        parts.dentries.stepLinks(now, false);
        if (now >= nextUnreadableMs) {
            parts.dentries.retryUnreadable();
            nextUnreadableMs = now + RETRY_UNREADABLE_MS;
            boolean mayShow = !parts.known.isEmpty() || parts.missing.isBusy();
            if (phase == Phase.RUNNING && mayShow && !parts.isScanning()) {
                removeUnseen(); // what could not be read at the start
            }
        }
        parts.trim(now);
        parts.derived.step();
        int work = parts.checkpoints.step(now) ? 1 : 0;
        work += parts.patrol.step(now) ? 1 : 0;
        return work + (parts.verifier.step(now) ? 1 : 0);
    }

    private int runTurns(long now) {
        int turns = 0;
        while (turns < TURNS_PER_STEP && !parts.pipeline.isBlocked()) {
            Tail tail = parts.files.next();
            if (tail == null) {
                break;
            }
            turns++;
            Next next = parts.tailer.turn(tail, steadyMs());
            risk.watch(tail, now);
            take(next, tail, now);
        }
        lookAtOthers(now);
        return turns;
    }

    private void take(Next next, Tail tail, long begunMs) {
        switch (next) {
            case AGAIN -> parts.files.enqueue(tail);
            case LATER -> parts.files.defer(tail);
            case REFUSED -> parts.files.refuse(tail, begunMs, steadyMs());
            case NO_ROOM -> {
                parts.files.putBack(tail);
                parts.pipeline.block();
            }
            case OVER -> parts.files.enqueueSuccessor(tail);
            case WAIT -> waits(tail);
        }
    }

    /** Looks also at files that get no turn because no more can be read: they count, and they are held. */
    private void lookAtOthers(long now) {
        for (Tail tail = parts.files.nextToLookAt(); tail != null; tail = parts.files.nextToLookAt()) {
            if (tail.isLive()) {
                Next failed = parts.tailer.look(tail, now);
                risk.watch(tail, now);
                if (failed != null) {
                    take(failed, tail, now);
                }
            }
        }
    }

    private void waits(Tail tail) {
        if (!parts.verifier.compares(tail)) {
            tail.notRefused();
        }
        if (!tail.isResting() && tail.bytes().heldBackBytes() > 0) {
            parts.files.holdsBack(tail);
        }
        if (options.storage().copies()) {
            parts.derived.look(tail);
        }
    }

    private int advancePhase(long now) {
        Phase before = phase;
        switch (phase) {
            case FIRST_SCAN -> {
                if (!parts.isScanning() && removeUnseen()) {
                    phase = Phase.RUNNING;
                }
            }
            case RUNNING -> {
                parts.sayUnmatched();
                if (options.once() || drainRequested) {
                    beginDrain(now);
                }
            }
            case LAST_SCAN -> {
                if (!parts.isScanning() && removeUnseen()) {
                    if (rescanned) {
                        parts.demand.ofAll(now);
                    } else {
                        parts.demand.ofSeen(sinceMs);
                    }
                    phase = Phase.DRAINING;
                }
            }
            case DRAINING -> {
                if (isDrained(now)) {
                    drained = parts.dentries.unreadable().all().isEmpty();
                    parts.closeIncarnation();
                    phase = Phase.CLOSING;
                }
            }
            case CLOSING -> {
                if (parts.pipeline.isIdle()) {
                    phase = Phase.FINISHED;
                }
            }
            case FINISHED -> {}
        }
        if (drainRequested && phase == Phase.FIRST_SCAN) {
            beginDrain(now);
        }
        if (drainRequested && drainUntilMs == Long.MAX_VALUE) { // also when a run of once is draining already
            drainUntilMs = now + options.pace().drainMs();
        }
        long refusedMs = Math.max(parts.health.refusesForMs(now), now - refusedSinceMs);
        if (now >= drainUntilMs
                || (options.once() && refusedMs >= options.pace().drainMs())) {
            phase = Phase.FINISHED;
        }
        return before == phase ? 0 : 1;
    }

    /** Records names as gone that the archive knew and the scan did not find; returns whether all were recorded. */
    private boolean removeUnseen() {
        if (gone.isEmpty()) {
            parts.seekMissing();
        }
        Pathname removed = null;
        for (Pathname path : parts.takeGone()) {
            if (removed == null || !path.startsWith(removed)) {
                removed = path;
                gone.add(path);
            }
        }
        while (!gone.isEmpty() && !parts.pipeline.filling().isCrowded()) {
            parts.pipeline.write(new LogRecord.NameRemoved(gone.remove(), false));
        }
        parts.files.startAtEnd &= !gone.isEmpty();
        return gone.isEmpty();
    }

    private void beginDrain(long now) {
        phase = Phase.LAST_SCAN;
        parts.demand.begin();
        parts.dentries.stepLinks(now, true);
        rescanned = !options.once() || drainRequested;
        if (rescanned) {
            parts.watcher.rescan();
        }
    }

    private boolean isDrained(long now) {
        if (parts.files.hasReady()
                || parts.derived.isBusy()
                || !parts.offload.isIdle()
                || (options.once() && !parts.checkpoints.isIdle())
                || !parts.uploads.isIdle()
                || !parts.pipeline.isIdle()) {
            return false;
        }
        if (!parts.undelivered.hasDelivered(parts.pipeline.acknowledgedSeq())) {
            return false;
        }
        Demand.Reading reading = parts.demand.reading();
        boolean refused = reading == Demand.Reading.REFUSED;
        refusedSinceMs = refused ? Math.min(refusedSinceMs, now) : Long.MAX_VALUE;
        return reading == Demand.Reading.DONE && parts.demand.isKept(parts.pipeline.acknowledgedSeq());
    }

    /** Asks it to scan once more, ship all that is there, close its incarnation and finish. Safe for any thread. */
    public void requestDrain() {
        drainRequested = true;
        parts.watcher.wakeup();
    }

    /**
     * Asks the shipper to scan once more and commit everything at once, without regard to the lag, and to continue
     * after that. Safe for any thread.
     */
    public void requestFlush() {
        flush.request();
    }

    /** Says whether a flush was asked for and is not answered. Confined like the steps. */
    public boolean flushing() {
        return flush.isAsked();
    }

    /**
     * Asks the shipper to continue with other options, without closing a file: other sources, lags and codecs, another
     * heartbeat and time to drain. The other options have no effect. Begins when the first scan is over; of several
     * that come before, the last one counts. Safe for any thread.
     */
    public void requestReload(ShipOptions next) {
        reload = next;
        parts.watcher.wakeup();
    }

    /** Ends the wait of the step that is under way, or else of the next. Safe for any thread. */
    public void wake() {
        parts.watcher.wakeup();
    }

    /**
     * Tells the result of reading the configuration again to those who asked and, while it is refused, to all who look
     * at the heartbeats. Confined like the steps.
     *
     * @param refusedMs since when it is refused, milliseconds since 1970
     */
    public void tellReloads(ReloadAnswer answer, long refusedMs) {
        parts.pulse.reloads(answer, refusedMs);
    }

    /**
     * Tells the shipper that the machine will vanish: it commits at once from now on, without regard to the lag, and
     * says so in its heartbeat. The first notice counts. Safe for any thread.
     *
     * @param what the text of the notice
     */
    public void requestHaste(String what) {
        notice = notice == null ? what : notice;
        parts.watcher.wakeup();
    }

    /**
     * Says whether a reload was asked for and is not done: what it adds is not found yet. It does not wait for what is
     * created meanwhile. Confined like the steps.
     */
    public boolean reloading() {
        return reload != null || parts.watcher.retargeting();
    }

    /** Says whether the first scan is over and it stays, until somebody asks for a drain. Confined like the steps. */
    public boolean following() {
        return phase == Phase.RUNNING && !options.once();
    }

    /** Says whether the shipper is done: everything is acknowledged, or the time for draining is over. */
    public boolean finished() {
        return phase == Phase.FINISHED;
    }

    /** Says whether everything the last scan saw was acknowledged. */
    public boolean drained() {
        return drained;
    }

    /** Says whether each glob of a source was found to match a name, once it has drained. */
    public boolean foundAll() {
        return parts.foundAll();
    }

    private void publish(long now) {
        boolean last = phase == Phase.FINISHED;
        published.publish(now, last, phase == Phase.FIRST_SCAN || parts.isScanning() || parts.pipeline.isCrowded());
        if (last) {
            flush.end(published.last());
        }
    }

    /** Returns the last published status; while the loop hangs the risk is unknown. Safe for any thread. */
    public ShipStatus status() {
        return published.now();
    }

    /**
     * Returns for how long the loop is in one call, or nobody has taken the next step, in milliseconds; 0 for less than
     * ten seconds. A call into a file system that does not answer may take for ever. Safe for any thread.
     */
    public long hangsForMs() {
        return published.hangsForMs();
    }

    /** Returns the files at risk as of when somebody asked last, and has them looked at again. Safe for any thread. */
    public List<FileRisk> filesAtRisk() {
        return published.filesAtRisk();
    }

    /**
     * Says that the store is a spool: its acknowledged bytes are at risk until they are delivered, and a drain waits
     * for that. Before the first step.
     */
    public void deliver(Undelivered undelivered) {
        parts.undelivered = undelivered;
    }

    /** Bounds the bytes of removed files that it alone has open; else nothing does. Before the first step. */
    public void hold(long mostBytes) {
        held = new HeldFiles(parts, mostBytes);
    }

    /** Returns as which host it writes. */
    public String hostId() {
        return parts.hostId;
    }

    /** Returns the number of files whose position the archive knew at the start. */
    public int positions() {
        return parts.positions;
    }

    /** Returns the registry of its metrics, which may be asked by any thread: values are a moment old. */
    public Metrics metrics() {
        return ShipMetrics.of(parts, this::status, () -> hangsForMs() == 0 ? drill.forecast() : DrainForecast.UNKNOWN);
    }

    @Override
    public void close() {
        published.ends();
        if (phase == Phase.FINISHED) {
            parts.pulse.end(drained, published.last());
        }
        parts.rememberAcknowledged();
        if (held != null) {
            held.close();
        }
        parts.close();
    }
}
