package io.chagres.ship;

import io.chagres.archive.FileKey;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.archive.log.DamagedLogException;
import io.chagres.archive.log.FencedException;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Pathname;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.bytes.Verification;
import io.chagres.ship.commit.CommitPipeline;
import io.chagres.ship.commit.StoreHealth;
import io.chagres.ship.file.KnownNames;
import io.chagres.ship.follow.CheckpointStep;
import io.chagres.ship.follow.LogPresence;
import io.chagres.ship.follow.Offload;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/**
 * Ships an input that is no file, such as standard input, as one file of the archive, and commits it while it comes.
 * Until its end was read the file has a name of its own, {@link #UNFINISHED}: only what is whole takes the place of an
 * earlier file. Everything happens in steps, as with {@link Shipper}. Confined to one thread but for
 * {@link #requestStop} and {@link #requestFlush}.
 */
public final class StreamShipper implements AutoCloseable {
    /** The suffix of a file's name until its end was read. */
    public static final String UNFINISHED = ".part";

    private static final int PIECE_BYTES = PrefixChecksums.PIECE_BYTES;
    private static final int PERMISSIONS = 0600;
    private static final long PRESENCE_MS = 60_000;
    private static final long NS_PER_MS = 1_000_000;

    private enum StreamPhase {
        READING,
        /** Nothing more is read; the bytes that were read are committed. */
        COMMITTING,
        /** The store is asked whether it has it. */
        CONFIRMING,
        FINISHED
    }

    private final ShipOptions options;
    private final Pathname name;
    private final InputBuffer input;
    private final IncarnationOpening opening;
    private final SteadyClock clock;
    private final StoreHealth health;
    private final CommitPipeline pipeline;
    private final CheckpointStep checkpoints;
    private final LogPresence presence;
    private final Pulse pulse;
    private final Drill drill;
    private final long versionId;
    private final Verification version = new Verification(new PrefixChecksums(0));
    private final CRC32C crc = new CRC32C();
    private final Semaphore wakeups = new Semaphore(0);

    private StreamPhase phase = StreamPhase.READING;
    private boolean whole;
    private long waitsSinceMs;
    private long behindSinceMs;
    private long stoppedMs = -1;
    private volatile boolean stopRequested;
    private volatile boolean flushRequested;
    private long flushes;
    private long flushedWithCommit = -1;
    private ShipStatus status = ShipStatus.UNKNOWN;

    private StreamShipper(
            ShipOptions options,
            Pathname name,
            InputBuffer input,
            IncarnationOpening opening,
            Executor workers,
            Clock wall,
            ShipListener listener)
            throws IOException {
        this.options = options;
        this.name = name;
        this.input = input;
        this.opening = opening;
        clock = new SteadyClock(wall);
        BlobStore store = opening.store;
        health = new StoreHealth(store.name(), listener::problem);
        Runnable wakeup = wakeups::release;
        pipeline = new CommitPipeline(
                opening.log,
                opening.check,
                workers,
                wakeup,
                health,
                options.pace().maxLagMs(),
                () -> new CommitBuilder(
                        options.storage().commitBytes(), options.storage().level()));
        checkpoints = new CheckpointStep(
                opening.recent, pipeline, new Offload(workers, wakeup), store, opening.hostId, listener::problem);
        presence = new LogPresence(opening.log, new Offload(workers, wakeup), health);
        pulse = new Pulse(
                store,
                pipeline::acknowledgedSeq,
                opening.registration(wall),
                workers,
                wall::millis,
                opening.state,
                listener::problem);
        pulse.reload(options);
        drill = new Drill(pipeline, presence, health, opening, clock.getAsLong());
        versionId = opening.loaded.nextVersionId();
        flushes = opening.state == null ? 0 : opening.state.flushes();
        begin();
        input.onFilled(wakeup);
    }

    /**
     * Opens one: takes the lock of the state directory, finds or mints the host and opens a new incarnation in its log,
     * as {@link Shipper#open}.
     *
     * @param options how to work; its paths are only shown
     * @param name absolute, which the file has once its end was read
     * @param input the bytes to ship
     * @param store stays open, the caller closes it
     * @throws LockedException when another shipper writes as this host and lives, or may
     * @throws StoreException when the archive has a directory of that name
     */
    public static StreamShipper open(
            ShipOptions options,
            Pathname name,
            InputBuffer input,
            BlobStore store,
            Executor workers,
            Clock clock,
            ShipListener listener)
            throws IOException {
        IncarnationOpening opening = new IncarnationOpening(options, store, ShipHost.current(clock), workers);
        try {
            opening.open(clock, listener);
            refuseDirectories(opening.rows.names(), name);
            return new StreamShipper(options, name, input, opening, workers, clock, listener);
        } catch (IOException | RuntimeException e) {
            opening.abandon();
            throw e;
        }
    }

    private static void refuseDirectories(KnownNames names, Pathname name) throws StoreException {
        for (Pathname each : new Pathname[] {name, unfinished(name)}) {
            KnownNames.Meaning there = names.get(each);
            if (there != null && there.isDirectory()) {
                throw new StoreException(
                        each + " is a directory in the archive of this host. Nothing was shipped; give another name"
                                + " (--as)");
            }
        }
    }

    private static Pathname unfinished(Pathname name) {
        return Pathname.of(name + UNFINISHED);
    }

    private void begin() {
        SecureRandom random = new SecureRandom();
        FileKey nobodyElse = new FileKey(random.nextLong(), random.nextLong(), random.nextLong() >>> 1, 0);
        Pathname part = unfinished(name);
        ends(part);
        pipeline.write(new LogRecord.VersionOpened(versionId, nobodyElse, 0, 0, part, attributes()));
        pipeline.write(new LogRecord.NameAdded(part, LogRecord.Kind.FILE, versionId, Pathname.of(""), attributes()));
    }

    /** Ends the version that had a name which another file takes. */
    private void ends(Pathname of) {
        KnownNames.Meaning there = opening.rows.names().get(of);
        if (there != null && there.versionId() != 0) {
            pipeline.write(new LogRecord.VersionClosed(there.versionId(), LogRecord.Reason.GONE));
        }
    }

    private InodeAttributes attributes() {
        return new InodeAttributes(PERMISSIONS, 0, 0, mtimeNs());
    }

    private long mtimeNs() {
        return clock.getAsLong() * NS_PER_MS;
    }

    /**
     * Does one step: takes the bytes that were read, commits them.
     *
     * @param timeoutMs milliseconds to wait at most when there is nothing to do
     * @throws FencedException when another writer has taken over the host's log
     * @throws DamagedLogException when the log is damaged where it continues
     * @throws IOException when the store has lost what it acknowledged; other refusals are tried again and shown in the
     *     status
     */
    public void doWork(int timeoutMs) throws IOException {
        long now = clock.getAsLong();
        boolean moved = take(now);
        moved |= advance(now);
        boolean hurry = phase != StreamPhase.READING || flushedWithCommit >= 0;
        moved |= step(now, hurry);
        moved |= answerFlush();
        checkpoints.step(now);
        measure(now);
        drill.step(now, status);
        pulse.step(now, status, health.isFull());
        if (!moved && phase != StreamPhase.FINISHED) {
            await(Math.min(timeoutMs, pipeline.dueInMs(now)));
        }
    }

    private boolean step(long now, boolean hurry) throws IOException {
        long before = version.acknowledged();
        long commits = pipeline.commits();
        try {
            boolean moved = pipeline.step(now, hurry);
            if (pipeline.commits() > commits) {
                drill.committed(now);
            }
            presence.step(now, PRESENCE_MS, pipeline.acknowledgedSeq(), pipeline.isIdle());
            behindSinceMs = version.acknowledged() > before ? now : behindSinceMs;
            return moved;
        } catch (FencedException e) {
            pulse.fenced(e.who(), opening.sideline, status);
            throw e;
        }
    }

    private void await(long ms) {
        try {
            if (wakeups.tryAcquire(Math.max(1, ms), TimeUnit.MILLISECONDS)) {
                wakeups.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Takes whole pieces, and less where it has waited for half of the lag, or nothing comes behind it. */
    private boolean take(long now) {
        boolean any = false;
        while (!pipeline.isBlocked()) {
            int available = input.available();
            waitsSinceMs = available == 0 ? 0 : waitsSinceMs == 0 ? now : waitsSinceMs;
            boolean waited = now - waitsSinceMs >= lagMs() || input.isEnded() || flushRequested;
            if (available < PIECE_BYTES && !(available > 0 && waited)) {
                break;
            }
            CommitBuilder commit = pipeline.filling();
            if (!commit.reserve(PIECE_BYTES)) {
                pipeline.block();
                break;
            }
            append(commit);
            waitsSinceMs = 0;
            any = true;
        }
        return any;
    }

    private void append(CommitBuilder commit) {
        int start = commit.dataLength();
        int length = input.take(commit.data(), start, PIECE_BYTES);
        crc.reset();
        crc.update(commit.dataBytes().duplicate().limit(start + length).position(start));
        commit.appendRun(versionId, version.position(), length, (int) crc.getValue(), mtimeNs());
        version.advance(length, (int) crc.getValue());
        pipeline.touch(version, lagMs());
    }

    private long lagMs() {
        return Math.max(1, options.pace().maxLagMs() / 2);
    }

    private boolean advance(long now) {
        if (stopRequested && stoppedMs < 0) {
            stoppedMs = now;
            input.close();
        }
        StreamPhase before = phase;
        switch (phase) {
            case READING -> {
                if (input.isEnded() && input.available() == 0) {
                    whole = input.isWhole();
                    if (whole) {
                        rename();
                    }
                    pipeline.write(new LogRecord.IncarnationClosed(whole));
                    phase = StreamPhase.COMMITTING;
                }
            }
            case COMMITTING -> {
                if (pipeline.isIdle()) {
                    presence.demand();
                    presence.want(pipeline.acknowledgedSeq());
                    phase = StreamPhase.CONFIRMING;
                }
            }
            case CONFIRMING -> {
                if (presence.isFound()) {
                    phase = StreamPhase.FINISHED;
                }
            }
            case FINISHED -> {}
        }
        boolean refused = phase != StreamPhase.READING
                && health.refusesForMs(now) >= options.pace().drainMs();
        if (phase != StreamPhase.FINISHED
                && (refused
                        || (stoppedMs >= 0 && now - stoppedMs >= options.pace().drainMs()))) {
            whole = false;
            phase = StreamPhase.FINISHED;
        }
        return phase != before;
    }

    /** The file is whole: it takes its name, and the place of the file that had it. */
    private void rename() {
        ends(name);
        pipeline.write(new LogRecord.AttributesChanged(versionId, Pathname.of(""), attributes()));
        pipeline.write(new LogRecord.NameMoved(unfinished(name), name));
        pipeline.write(new LogRecord.VersionClosed(versionId, LogRecord.Reason.SEALED));
    }

    /** Answers a drain: the bytes that were read are safe, and nobody knows how many come. */
    private boolean answerFlush() {
        if (flushRequested && flushedWithCommit < 0 && input.available() < PIECE_BYTES) {
            flushedWithCommit = pipeline.commitsWithAllSoFar();
        }
        if (flushedWithCommit < 0 || pipeline.commits() < flushedWithCommit) {
            return false;
        }
        flushRequested = false;
        flushedWithCommit = -1;
        flushes++;
        try {
            if (opening.state != null) {
                opening.state.answer(new FlushAnswer(flushes, flushes, -1, status.riskBytes(), status.riskMs()));
            }
        } catch (ErrnoException e) {
            health.problem("the state directory cannot be written (" + e.getMessage()
                    + "); the flush continues, 'chagres drain' does not hear of it");
        }
        return true;
    }

    private void measure(long now) {
        long read = version.position() + input.available();
        long acknowledged = version.acknowledged();
        long risk = read - acknowledged;
        behindSinceMs = risk == 0 || behindSinceMs == 0 ? now : behindSinceMs;
        boolean unknown = (phase == StreamPhase.FINISHED && !whole) || (phase == StreamPhase.CONFIRMING && risk == 0);
        status = new ShipStatus(
                1,
                acknowledged,
                unknown ? -1 : risk,
                now - behindSinceMs,
                0,
                0,
                0,
                0,
                read,
                acknowledged,
                pipeline.commits(),
                health.errors(),
                false,
                health.trouble(now),
                0,
                Looks.NONE,
                Lost.NOTHING,
                0,
                0);
    }

    /** Asks it to stop reading, to commit all that it has read, and to finish. Safe for any thread. */
    public void requestStop() {
        stopRequested = true;
        wakeups.release();
    }

    /** Asks it to commit at once all that it has read, and to continue. Safe for any thread. */
    public void requestFlush() {
        flushRequested = true;
        wakeups.release();
    }

    /** Says whether it is done, whatever came of it. */
    public boolean finished() {
        return phase == StreamPhase.FINISHED;
    }

    /** Says whether everything up to the end of the input is acknowledged, and has its name. */
    public boolean isWhole() {
        return phase == StreamPhase.FINISHED && whole;
    }

    /**
     * Requires that the input could be read.
     *
     * @throws IOException when it could not
     */
    public void requireInput() throws IOException {
        IOException failure = input.failure();
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns its status, as of the last step. */
    public ShipStatus status() {
        return status;
    }

    /** Returns as which host it writes. */
    public String hostId() {
        return opening.hostId;
    }

    @Override
    public void close() {
        input.close();
        if (phase == StreamPhase.FINISHED) {
            pulse.end(whole, status);
        }
        try {
            if (opening.state != null) {
                opening.state.acknowledged(opening.hostId, pipeline.acknowledgedSeq(), opening.log.lookedForUpTo());
            }
        } catch (ErrnoException e) {
            // the next start then cannot say that the archive was set back
        }
        pipeline.close();
        opening.abandon();
    }
}
